"""How a game ended, in the words of other programs: what can be known of it."""

import re

from judge.formats.logged import DRAW, Claim
from protocol.records.record import GameRecord, Termination

REASON = "gameend_reason"  # Saiblo's key for its words
# Our own names come first, then the platform's end states; the rest is a guess at what people write.
WORDS = (
    *((re.compile(rf"\b{member.value}\b"), member) for member in Termination if member is not Termination.NORMAL),
    (re.compile(r"\bTLE\b"), Termination.TIME_FORFEIT),
    (re.compile(r"\bMLE\b"), Termination.MEMORY_LIMIT),
    (re.compile(r"\bOLE\b"), Termination.OUTPUT_LIMIT),
    (re.compile(r"\bIA\b"), Termination.ILLEGAL_MOVE),
    (re.compile(r"\b(?:RE|EXIT)\b"), Termination.CRASH),
    (re.compile(r"time(?:d| )?-?\s?out|out of time|time limit|超时", re.IGNORECASE), Termination.TIME_FORFEIT),
    (re.compile(r"illegal|invalid|非法|不合法|违规", re.IGNORECASE), Termination.ILLEGAL_MOVE),
    (re.compile(r"crash|runtime error|运行错误|异常退出|崩溃", re.IGNORECASE), Termination.CRASH),
)


def claim_of(result: str | None, words: str) -> Claim:
    """What a result ("A", "B", DRAW or None) and the file's words on it say together.

    The words may name a fault: whoever has not won is at fault then.
    """
    found = next((termination for pattern, termination in WORDS if pattern.search(words)), None)
    if found is Termination.VOID:
        return Claim(None, found, None, words)
    if found is None or result in (None, DRAW):
        return Claim(result, None, None, words)
    return Claim(result, found, "B" if result == "A" else "A", words)


def words_of(record: GameRecord) -> str:
    """The words for a record's ending, of which claim_of() makes the same ending."""
    reason = str(record.extra.get("reason", ""))
    if record.termination is Termination.NORMAL:
        return reason
    return f"{record.termination}: {reason}"
