"""One slow, obvious referee per game."""


class IllegalMove(Exception):
    """A move that the rules do not allow; str() says what was wrong and what would have been legal."""
