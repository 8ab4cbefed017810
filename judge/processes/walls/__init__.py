"""Walls around bots: each in namespaces of its own, by bubblewrap, and which of the processes then is the bot."""
