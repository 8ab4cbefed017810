"""A console of rich that never cuts a line, and that escapes control characters in case the caller has not."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from judge.safe_text import printable_lines


class PlainConsole(Console):
    """A rich Console that escapes control characters in all text that it renders, and prints long lines whole."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does, but never cut a line that is longer than the terminal is wide."""
        super().print(*objects, **{"crop": False, **options})

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield rich's segments with their text escaped.

        Segments with control codes are unchanged, because they come from rich itself.
        """
        for segment in super().render(renderable, options):
            text = segment.text if segment.control else printable_lines(segment.text)
            yield segment if text == segment.text else Segment(text, segment.style, segment.control)
