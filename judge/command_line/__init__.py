"""What the words of every command are made of: options, usage errors, exit statuses."""
