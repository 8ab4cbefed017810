# Shows every line that the function goes through in which gdb has stopped, and those of its callers. It fails in code
# without line numbers.
while 1
  next
end
