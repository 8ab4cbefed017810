"""How a match ended, and what the judger is told of it: scores and end states."""

from dataclasses import dataclass

from judge.language import recorded
from protocol.records.record import Termination

WON, LOST = 1, 0  # scores; a draw is a win of both, as the platform's own logic of reversi has it
# The platform's end states: those of a player at fault.
OK, ILLEGAL = "OK", "IA"
END_STATES = {
    Termination.ILLEGAL_MOVE: ILLEGAL,
    Termination.BAD_FRAME: ILLEGAL,
    Termination.OUTPUT_LIMIT: "OLE",
    Termination.TIME_FORFEIT: "TLE",
    Termination.STALL: "TLE",
    Termination.CRASH: "RE",
    Termination.STARTUP_FAILURE: "RE",
}
# Reasons, as replays have them; `ending` is what the game's ending() gives.
NOBODY_STARTED = recorded("neither player has been started")
WON_BY = recorded("player {player} {ending}")


@dataclass(frozen=True)
class Ending:
    """A match's end: `winner` is None for a draw, or where both have lost; `at_fault` are the players that caused it.

    `reason` is in English; where the rules have ended the match, it is the game's own, to be said of the winner.
    """

    termination: Termination
    winner: int | None
    at_fault: tuple[int, ...]
    reason: str

    @property
    def in_words(self) -> str:
        """The reason as a sentence, for shown()."""
        if self.termination is not Termination.NORMAL or self.winner is None:
            return self.reason
        return WON_BY.format(player=self.winner, ending=self.reason)

    @property
    def scores(self) -> list[int]:
        """Each player's score."""
        if self.winner is None:
            return [LOST if player in self.at_fault else WON for player in (0, 1)]
        return [WON if player == self.winner else LOST for player in (0, 1)]

    @property
    def end_states(self) -> list[str]:
        """Each player's end state."""
        return [END_STATES[self.termination] if player in self.at_fault else OK for player in (0, 1)]


def over(winner: int | None, reason: str) -> Ending:
    """A match that the rules have ended."""
    return Ending(Termination.NORMAL, winner, (), reason)


def lost(player: int, termination: Termination, reason: str) -> Ending:
    """A match that a player has lost otherwise than by the rules."""
    return Ending(termination, 1 - player, (player,), reason)


BOTH_LOSE = Ending(Termination.STARTUP_FAILURE, None, (0, 1), NOBODY_STARTED)
