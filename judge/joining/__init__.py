"""A player at somebody else's judger, by TCP."""
