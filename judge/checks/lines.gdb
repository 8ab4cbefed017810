# Shows $left lines that the program goes through. It fails in code without line numbers.
while $left > 0
  next
  set $left = $left - 1
end
