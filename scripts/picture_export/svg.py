"""Lines of a terminal as one SVG file: the same bytes for the same lines, and nothing that has to be loaded."""

import io

from rich.console import Console, Group
from rich.text import Text

# rich's own template names a font on a server. Whoever looks at the picture has one of these.
FONTS = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
TEMPLATE = f"""<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {{width}} {{height}}">
<style>
.{{unique_id}}-matrix {{{{ font-size: {{char_height}}px; font-family: {FONTS}; }}}}
.{{unique_id}}-title {{{{ font-size: 16px; font-weight: bold; font-family: sans-serif; }}}}
{{styles}}
</style>
<defs>
<clipPath id="{{unique_id}}-clip-terminal">
<rect x="0" y="0" width="{{terminal_width}}" height="{{terminal_height}}"/>
</clipPath>
{{lines}}
</defs>
{{chrome}}
<g transform="translate({{terminal_x}}, {{terminal_y}})" clip-path="url(#{{unique_id}}-clip-terminal)">
{{backgrounds}}
<g class="{{unique_id}}-matrix">
{{matrix}}
</g>
</g>
</svg>
"""
COLUMNS = 80  # the usual terminal's
UNIQUE_ID = "game"


def svg(lines: list[Text], title: str) -> str:
    """The lines in a terminal as wide as the longest, at most COLUMNS; `title` in its bar."""
    width = min(COLUMNS, max(part.cell_len for line in lines for part in line.split("\n")))
    console = Console(
        file=io.StringIO(), record=True, width=width, force_terminal=True, color_system="truecolor", _environ={}
    )
    console.print(Group(*lines))
    drawn = console.export_svg(title=title, code_format=TEMPLATE, unique_id=UNIQUE_ID)
    return "\n".join(stripped for row in drawn.splitlines() if (stripped := row.strip())) + "\n"
