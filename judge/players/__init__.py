"""Turns the text that names a player on the command line into the command that starts the player."""
