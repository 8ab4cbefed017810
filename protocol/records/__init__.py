"""Records and reviews of games, in append-only files."""
