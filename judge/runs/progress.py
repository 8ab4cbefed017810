"""How a run of games stands: a line that redraws itself on a terminal, else a line per game."""

import sys
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.live import Live
from rich.text import Text

from protocol.records.record import GameRecord


class Progress:
    """A context that writes to stderr; `line(records)` is what to tell, as one line of text."""

    def __init__(self, line: Callable[[Sequence[GameRecord]], str]) -> None:
        self.line = line
        self.console = Console(stderr=True, highlight=False)
        self.live = Live(console=self.console, auto_refresh=False, transient=True)

    def __enter__(self) -> "Progress":
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()

    def show(self, records: Sequence[GameRecord], latest: GameRecord | None = None) -> None:
        """Tell how things stand after these records; `latest` has just come, None at the start."""
        line = self.line(records)
        if self.console.is_terminal:
            self.live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)
        elif latest is not None:
            print(f"{line}  {_ending(latest)}", file=sys.stderr, flush=True)


def _ending(record: GameRecord) -> str:
    fault = f" by {record.at_fault}" if record.at_fault else ""
    return f"(game {record.extra['index'] + 1}: {record.termination.value}{fault}, {len(record.moves)} plies)"
