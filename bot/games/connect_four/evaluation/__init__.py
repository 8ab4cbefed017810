"""What a position is worth before any search, as games of the engine against itself have taught it."""
