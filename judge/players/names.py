"""What players are called where people read: short, and apart where they would be called the same.

Records and --resume go by the whole command; these names are for the eye alone.
"""

import os
import re
import shlex
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

LONGEST = 40  # characters of a name
INTERPRETER = re.compile(r"(python|pypy)[\d.]*|node|java|sh|bash|env")
SETTING = re.compile(r"\w+=.*")  # of env
CODE_FOLLOWS = "-c"
PREFIX = re.compile(r"(src|lib):")
LEFT_OUT = "..."

Key = TypeVar("Key", bound=Hashable)


def of_command(command: str) -> str:
    """The file name of a command line's program, or of its script where the program is an interpreter."""
    words = _split(command)
    return shortened(os.path.basename(words[_program(words)]) if words else command)


def shortened(name: str) -> str:
    """The name, without its middle where it is long."""
    half = (LONGEST - len(LEFT_OUT)) // 2
    return name if len(name) <= LONGEST else name[:half] + LEFT_OUT + name[-half:]


def told_apart(commands: Sequence[str]) -> list[str]:
    """A name for each of these players that have one and the same short name: its program and what tells it apart.

    That is the folders in which the programs' paths differ, else the words that not all of them have. Commands that are
    the same have the same name.
    """
    names: dict[str, str] = {}
    for label, alike in _groups(commands, _paths_apart(commands)).items():
        names.update(zip(alike, _words_apart(alike, label), strict=True))
    return [shortened(names[command]) for command in commands]


def _paths_apart(commands: Sequence[str]) -> Callable[[str], str]:
    """What shows of each one's program: its last part, and before it the nearest folder in which they differ."""
    parts = {command: _path_of(command) for command in commands}
    depths = range(1, max(map(len, parts.values())) + 1)
    depth = max(depths, key=lambda depth: (len({tuple(path[-depth:]) for path in parts.values()}), -depth))

    def label(command: str) -> str:
        shown = parts[command][-depth:]
        return os.sep.join(shown if len(shown) < 3 else (shown[0], LEFT_OUT, shown[-1]))

    return label


def _path_of(command: str) -> list[str]:
    """The parts of the path of a command's program, in the file system where it is there."""
    words = _split(command)
    path = PREFIX.sub("", words[_program(words)], count=1) if words else command
    if os.path.exists(path):
        path = os.path.abspath(path)
    return [part for part in path.split(os.sep) if part] or [path]


def _words_apart(commands: Sequence[str], label: str) -> list[str]:
    """The label with the words around it that not all of these commands have, and the options before such values."""
    all_words = [_split(command) for command in commands]
    common = set(all_words[0]).intersection(*all_words[1:])
    names = []
    for words in all_words:
        program = _program(words) if words else 0
        shown = [index for index, word in enumerate(words) if word not in common and index != program]
        values = [index for index in shown if not words[index].startswith("-")]
        shown += [index - 1 for index in values if words[index - 1].startswith("-") and index - 1 not in shown]
        names.append(" ".join(label if index == program else words[index] for index in sorted({*shown, program})))
    return [name or label for name in names]


def _groups(commands: Sequence[str], key: Callable[[str], Key]) -> dict[Key, list[str]]:
    """{a key: the different commands that have it, in order}."""
    groups: dict[Key, list[str]] = {}
    for command in dict.fromkeys(commands):
        groups.setdefault(key(command), []).append(command)
    return groups


def _program(words: Sequence[str]) -> int:
    """The index of the word that names the program: the script's, where an interpreter is given one."""
    found = 0
    for index, word in enumerate(words):
        if word.startswith("-") or (index and SETTING.fullmatch(word)):
            continue
        if index and words[index - 1] == CODE_FOLLOWS:
            break
        found = index
        if not INTERPRETER.fullmatch(os.path.basename(word)):
            break
    return found


def _split(command: str) -> list[str]:
    """The words of a command line, one word where it is none."""
    try:
        return shlex.split(command)
    except ValueError:
        return [command]
