"""Connect four, with gravity and a forbidden cell."""
