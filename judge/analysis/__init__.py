"""What our own bot thinks of a position: `bot analyze` as a process, and its values as they deepen."""
