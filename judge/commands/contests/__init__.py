"""Commands that play many games, or count with their results."""
