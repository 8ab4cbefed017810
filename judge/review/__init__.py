"""Reviews: an engine's answers on every position of recorded games, stored in a file, and the mistakes they reveal."""
