"""One game on stdin and stdout, in time."""
