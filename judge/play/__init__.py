"""One game: its referee, seats, processes and record."""
