"""One game: referee, seats, processes, and what is kept of it."""
