"""rich's console for text of others: what a terminal would obey is escaped on its way out, whoever forgot to."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from judge.safe_text import printable_lines


class PlainConsole(Console):
    """Without markup, emoji codes and highlighting."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """As rich's. What moves the cursor is rich's own alone, and comes as segments of another kind."""
        for segment in super().render(renderable, options):
            text = segment.text if segment.control else printable_lines(segment.text)
            yield segment if text == segment.text else Segment(text, segment.style, segment.control)
