"""Players: turns the command line's text for a player into the command that starts it."""
