"""Matches captured between Saiblo's judgers and a game logic, byte by byte, as the files in transcripts/ hold them.

A line is a frame: its direction, its header in hexadecimal (u32 length, to the judger also i32 target), `|`, its body.
Of one body the capture has the beginning alone.
"""

from dataclasses import dataclass
from pathlib import Path

TRANSCRIPTS = Path(__file__).resolve().parents[1] / "transcripts"
FROM_JUDGER, TO_JUDGER = "judger->logic", "logic->judger"
NAMES = ("separate", "joined", "disconnected", "output_limit", "timeout_2021", "illegal", "end_state", "reversi")
# What the two players of "separate" sent on their stdout.
SENT = (
    bytes.fromhex("00 00 00 03 38 20 30 00 00 00 03 37 20 30 00 00 00 03 36 20 30 00 00 00 03 35 20 30"),
    bytes.fromhex("00 00 00 03 38 20 31 00 00 00 03 36 20 31 00 00 00 03 35 20 31"),
)
REPLAY = (
    '{"row": 9, "col": 9, "nox": 7, "noy": 1, "rounds": [0, 1, 0, 1, 0, 1, 0], "win": 0, '
    '"gameend_reason": "four in a row"}'
)
RUN_ERROR_2021 = bytes.fromhex("00 00 00 58") + (
    rb'{"player": -1, "content": "{\"player\": 1, \"error\": 0, \"error_log\": \"RUN ERROR\"}"}'
)
# What the judger of 2021 writes to its own stdout at the end.
RESULT_2021 = bytes.fromhex("00 00 00 10 7b 22 30 22 3a 20 31 2c 20 22 31 22 3a 20 30 7d")


@dataclass(frozen=True)
class Frame:
    """A frame as captured."""

    way: str
    header: bytes
    body: bytes

    @property
    def raw(self):
        """All its bytes."""
        return self.header + self.body

    @property
    def is_whole(self):
        """Whether the capture has all of it."""
        return int.from_bytes(self.header[:4], "big") == len(self.body)


def frames_of(name):
    """The frames of a transcript, in order."""
    found = []
    for line in (TRANSCRIPTS / f"{name}.txt").read_text("utf-8").splitlines():
        head, _, body = line.partition(" | ")
        way, _, header = head.partition("  ")
        found.append(Frame(way, bytes.fromhex(header), body.encode()))
    return found


def told(name):
    """What the judger sent, a list of frames as bytes."""
    return [frame.raw for frame in frames_of(name) if frame.way == FROM_JUDGER]


def answered(name):
    """What the logic sent, all its bytes."""
    return b"".join(frame.raw for frame in frames_of(name) if frame.way == TO_JUDGER)


def stdin_of(player):
    """All that a player of "separate" got."""
    return (TRANSCRIPTS / f"separate_player_{player}.stdin").read_bytes()
