"""What people call the endings of a game; records and JSON have the names of protocol.records.record.Termination."""

from judge.language import _, marked

NAMES = (
    marked("NORMAL"),
    marked("ILLEGAL_MOVE"),
    marked("BAD_FRAME"),
    marked("OUTPUT_LIMIT"),
    marked("TIME_FORFEIT"),
    marked("MEMORY_LIMIT"),
    marked("STALL"),
    marked("CRASH"),
    marked("STARTUP_FAILURE"),
    marked("RESIGNATION"),
    marked("VOID"),
)


def ending_in_words(termination: str, side: str | None = None) -> str:
    """An ending by its name (a Termination is one), and the side whose fault it was."""
    name = _(str(termination))
    return _("{ending} by {side}").format(ending=name, side=side) if side else name
