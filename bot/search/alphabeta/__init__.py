"""Alpha-beta for any game."""
