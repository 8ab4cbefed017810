"""What a player's trial has cost, for the limits to be judged from."""

from dataclasses import dataclass, field

from protocol.records.record import Termination


@dataclass
class Costs:
    """What one trial measured; `walls_s`, `cpus_s` and `spans_s` have an entry for each reply, in seconds.

    A span lies between the looks at the processor time: before the turn is sent, and after the reply.
    Memory and stderr are those before the end of the input. `printed` is the beginning of what was printed beside
    replies, `printed_late` if that came after the last of them. `demands` has for each reply the processor time that
    its threads had or waited for, and how long that took; `silences` the same for each long silence after the first
    reply; `most_threads` those of all its processes together. It is `hurried` where it was told a shorter limit.
    """

    walls_s: list[float] = field(default_factory=list)
    cpus_s: list[float] = field(default_factory=list)
    spans_s: list[float] = field(default_factory=list)
    peak_rss_bytes: int = 0
    stderr_bytes: int = 0
    stderr_bytes_at_first_reply: int = 0
    charged_start: bool = False  # the first clock began with the process
    fault: Termination | None = None
    printed: bytes = b""
    printed_late: bool = False
    demands: list[tuple[float, float]] = field(default_factory=list)
    most_threads: int = 0
    hurried: bool = False
    silences: list[tuple[float, float]] = field(default_factory=list)
