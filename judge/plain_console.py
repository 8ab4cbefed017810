"""A rich console that escapes control characters, in case a caller has not, and never cuts a line."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from judge.safe_text import printable_lines


class PlainConsole(Console):
    """A rich Console that escapes control characters in all text that it renders, and prints long lines whole."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does, but print a line whole even if it is longer than the terminal is wide."""
        super().print(*objects, **{"crop": False, **options})

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield rich's segments with their text escaped. Control segments come from rich itself and stay unchanged."""
        for segment in super().render(renderable, options):
            text = segment.text if segment.control else printable_lines(segment.text)
            yield segment if text == segment.text else Segment(text, segment.style, segment.control)
