"""What Compete prints of how a game ended."""

from judge.formats.logged import DRAW, Claim
from judge.play.scoresheet import opponent
from judge.reports import compete
from protocol.records.record import Termination

# What is printed of each code of a result.
VERDICTS = {
    compete.TIE: "A and B tied",
    compete.A_WON: "A - won",
    compete.B_WON: "B - won",
    compete.A_BUG: "A - bug occurred",
    compete.A_ILLEGAL: "A - made illegal step",
    compete.B_BUG: "B - bug occurred",
    compete.B_ILLEGAL: "B - made illegal step",
    compete.A_TIMEOUT: "A - timed out",
    compete.B_TIMEOUT: "B - timed out",
    compete.A_NOT_LOADED: "Load File A Error",
    compete.B_NOT_LOADED: "Load File B Error",
}
NO_FUNCTIONS = {"Function Interface Error in A": "A", "Function Interface Error in B": "B"}
NO_VERDICT = "Platform Error"
FAULTS = {
    "bug occurred": Termination.CRASH,
    "made illegal step": Termination.ILLEGAL_MOVE,
    "timed out": Termination.TIME_FORFEIT,
}


def claim_of(text: str) -> Claim | None:
    """What a line of a verdict says, None for any other line."""
    if text == VERDICTS[compete.TIE]:
        return Claim(DRAW, Termination.NORMAL)
    if text == NO_VERDICT:
        return Claim(None, Termination.VOID, None, text)
    if text in NO_FUNCTIONS or text in (VERDICTS[compete.A_NOT_LOADED], VERDICTS[compete.B_NOT_LOADED]):
        side = NO_FUNCTIONS.get(text) or text.split()[2]
        return Claim(opponent(side), Termination.STARTUP_FAILURE, side, text)
    side, separator, words = text.partition(" - ")
    if not separator or side not in ("A", "B"):
        return None
    if words == "won":
        return Claim(side, Termination.NORMAL)
    return Claim(opponent(side), FAULTS[words], side, text) if words in FAULTS else None
