"""How a game ended, in the words of other programs: what can be known of it."""

import re

from judge.formats.logged import DRAW, Claim
from protocol.records.record import GameRecord, Termination

REASON = "gameend_reason"  # Saiblo's key for its words
# Our own names, and the platform's end states.
NAMES = {
    **{member.value: member for member in Termination if member is not Termination.NORMAL},
    "TLE": Termination.TIME_FORFEIT,
    "MLE": Termination.MEMORY_LIMIT,
    "OLE": Termination.OUTPUT_LIMIT,
    "IA": Termination.ILLEGAL_MOVE,
    "RE": Termination.CRASH,
    "EXIT": Termination.CRASH,
}
# Not within a Latin word; a digit or Chinese may stand beside it, as in 玩家0TLE.
NAME = re.compile(rf"(?<![A-Za-z_])(?:{'|'.join(NAMES)})(?![A-Za-z_])")
# A guess at what people write.
WORDS = (
    (re.compile(r"time(?:d| )?-?\s?out|out of time|time limit|超时", re.IGNORECASE), Termination.TIME_FORFEIT),
    (re.compile(r"illegal|invalid|非法|不合法|违规", re.IGNORECASE), Termination.ILLEGAL_MOVE),
    (re.compile(r"crash|runtime error|运行错误|异常退出|崩溃", re.IGNORECASE), Termination.CRASH),
)


def claim_of(result: str | None, words: str) -> Claim:
    """What a result ("A", "B", DRAW or None) and the file's words on it say together.

    The words may name a fault: whoever has not won is at fault then.
    """
    found = _termination(words)
    if found is Termination.VOID:
        return Claim(None, found, None, words)
    if found is None or result in (None, DRAW):
        return Claim(result, None, None, words)
    if found is Termination.RESIGNATION:
        return Claim(result, found, None, words)
    return Claim(result, found, "B" if result == "A" else "A", words)


def _termination(words: str) -> Termination | None:
    """What the first name in the words says, else the first other word that says anything."""
    name = NAME.search(words)
    if name:
        return NAMES[name[0]]
    guesses = [(match.start(), guess) for pattern, guess in WORDS if (match := pattern.search(words))]
    return min(guesses)[1] if guesses else None


def words_of(record: GameRecord) -> str:
    """The words for a record's ending, of which claim_of() makes the same ending."""
    reason = str(record.extra.get("reason", ""))
    if record.termination is Termination.NORMAL:
        return reason
    return f"{record.termination}: {reason}"
