"""All that the judge prints comes by its own streams and console, which leave a terminal nothing to obey."""

import ast

import pytest

from tests.house.imports import python_files, source_of

# What would go past them: the streams as they were, bytes, a console of rich's own, JSON with what json.dumps leaves.
PAST_THE_STREAMS = {"__stdout__", "__stderr__", "buffer", "unescaped"}
WRITERS = {"print", "write"}
THE_STREAMS = ("judge/streams.py", "judge/terminal.py", "judge/plain_console.py")
PROGRAMS = ("judge/machine/fairness/slot.py",)  # on a pipe of the judge's own


def past_the_streams(source):
    """(line, what) of each way around the streams in a source."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in PAST_THE_STREAMS:
            found.append((node.lineno, node.attr))
        if isinstance(node, ast.Call) and _name(node.func) == "Console":
            found.append((node.lineno, "Console()"))
        if isinstance(node, ast.Call) and _name(node.func) in WRITERS:
            inner = [part for argument in node.args for part in ast.walk(argument)]
            found += [
                (part.lineno, "dumps()") for part in inner if isinstance(part, ast.Call) if _name(part.func) == "dumps"
            ]
    return found


def _name(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


@pytest.mark.parametrize("file", [file for file in python_files("judge") if file not in THE_STREAMS + PROGRAMS])
def test_nothing_is_printed_past_the_streams(file):
    assert past_the_streams(source_of(file)) == []


@pytest.mark.parametrize(
    "source",
    [
        "sys.__stdout__.write(text)",
        "sys.stdout.buffer.write(data)",
        "console = Console(stderr=True)",
        "console = rich.console.Console()",
        "print(json.dumps(content), flush=True)",
        "sys.stdout.write(f'{json.dumps(content)}')",
        "print(text, file=sys.stderr.unescaped)",
    ],
)
def test_the_check_finds(source):
    assert len(past_the_streams(source)) == 1


def test_the_check_allows():
    assert (
        past_the_streams("print(json_line(content))\nterminal.console().print(text)\nkey = json.dumps(board)\n") == []
    )
