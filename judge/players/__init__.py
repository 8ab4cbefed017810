"""Who plays: from what the command line calls a player to what starts it."""
