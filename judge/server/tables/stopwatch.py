"""How long a human thinks about a move; it stands still while nobody looks at the board."""

from collections.abc import Callable


class Stopwatch:
    """Seconds of the clock while it runs; it begins at rest."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._before_s = 0.0
        self._since: float | None = None

    @property
    def seconds(self) -> float:
        """The time so far."""
        return self._before_s + (0.0 if self._since is None else self._clock() - self._since)

    def run(self) -> None:
        """Go on, if it stands still."""
        if self._since is None:
            self._since = self._clock()

    def rest(self) -> None:
        """Stand still."""
        self._before_s, self._since = self.seconds, None

    def reset(self) -> None:
        """Begin at 0 again, running if it ran."""
        self._before_s, self._since = 0.0, None if self._since is None else self._clock()
