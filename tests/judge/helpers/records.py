"""Records without a game, for what looks at endings alone."""

from protocol.records.record import GameRecord, Player


def ended(termination, at_fault=None):
    """The record of a game between a and b that ended in this way, whoever is at fault losing it."""
    return GameRecord(
        game="connect_four",
        board={},
        players=(Player("a", "a", None), Player("b", "b", None)),
        first="A",
        moves=(),
        winner={"A": "B", "B": "A", None: None}[at_fault],
        termination=termination,
        at_fault=at_fault,
        started="",
        finished="",
        judge_version="",
        seed=0,
        pair=0,
        extra={"index": 0},
    )
