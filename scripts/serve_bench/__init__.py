"""What it costs a match to be followed by pages of `serve`, and how soon they are told of a move."""
