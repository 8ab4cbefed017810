"""Who is told of every byte that passes between the judge and a bot: nobody, unless somebody keeps evidence."""


class Recorder:
    """Is told of a bot's bytes as they pass, on players' clocks: whatever stands in its place has to be quick."""

    def sent(self, data: bytes) -> None:
        """These were meant for the bot's stdin."""

    def received(self, now: float, data: bytes) -> None:
        """These came from its stdout, and were read at this moment of time.monotonic()."""
