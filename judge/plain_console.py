"""A rich console that escapes control characters in text, for callers that forget to, and cuts no line."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from judge.safe_text import printable_lines


class PlainConsole(Console):
    """A Console that escapes control characters in all text that it renders, and prints long lines whole."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does, but leave a line that is longer than the screen to the terminal."""
        super().print(*objects, **{"crop": False, **options})

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield rich's segments, their text escaped. Control segments are rich's own and stay unchanged."""
        for segment in super().render(renderable, options):
            text = segment.text if segment.control else printable_lines(segment.text)
            yield segment if text == segment.text else Segment(text, segment.style, segment.control)
