"""The players file: TOML that names players once, with their options.

Each table is a player's name and has one of these forms:

    [old]
    revision = "v0.1"
    preset = "puct-basic"
    iterations = 4000
    set = { exploration = 1.2 }
    options = ["--memory", "400"]

    [course]
    library = "samples/100.so"

    [mine]
    source = "../connect4/v8"

    [mover]
    command = "python random_mover.py --seed {seed}"

The first is the repository's bot; each of its keys may be left out. Paths are relative to the file, and a command runs
in its folder.
"""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.language import _
from judge.players import library_player, source_player
from judge.players.launch import PlayerError
from judge.players.own_bot import is_own_bot
from judge.terminal import printable
from protocol.records import strict_json

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEFAULT = Path("players.toml")
KINDS: dict[str, type[Any]] = {
    "command": str,
    "library": str,
    "source": str,
    "preset": str,
    "revision": str,
    "iterations": int,
    "set": dict,
    "options": list,
}
PREFIXES = (library_player.PREFIX, source_player.PREFIX)
MOST_NESTED = 8  # tables and lists; a player's options take three
NO_CHARACTER = "\0"  # ends a text where programs are started
ALONE = ("command", "library", "source")
OF_THE_BOT = ("preset", "revision", "iterations", "set", "options")


@dataclass(frozen=True)
class Entry:
    """A player of the file: what the command line would call it, and a command's folder, None for the others."""

    text: str
    folder: Path | None = None


def read(path: str | Path | None = None) -> dict[str, Entry]:
    """{name: Entry} of a players file.

    Without a path the current folder's players.toml is read; {} if there is none. Raises PlayerError naming
    the file, the player and the key that is wrong.
    """
    if path is None and not DEFAULT.exists():
        return {}
    path = Path(path or DEFAULT)
    try:
        content = tomllib.loads(path.read_text("utf-8"))
        strict_json.check(content, MOST_NESTED)
    except (OSError, ValueError, RecursionError) as error:  # a number of 5000 digits is a ValueError alone
        raise PlayerError(_("players file {path}: {error}").format(path=path, error=error)) from error
    place = _("players file {path}, [{name}]")
    return {
        name: _entry(place.format(path=path, name=printable(name)), name, entry, path)
        for name, entry in content.items()
    }


def _entry(where: str, name: str, entry: object, path: Path) -> Entry:
    if not isinstance(entry, dict):
        raise PlayerError(_("{place}: expected a table of options, got {value!r}").format(place=where, value=entry))
    if is_own_bot(name) or name.startswith(PREFIXES):
        message = _("{place}: the name already means something else, choose another")
        raise PlayerError(message.format(place=where))
    for key, value in entry.items():
        _check(where, key, value)
    if len([key for key in ALONE if key in entry]) + any(key in entry for key in OF_THE_BOT) > 1:
        message = _("{place}: expected one of {choices} or the bot's options, got {keys}")
        raise PlayerError(message.format(place=where, choices=", ".join(ALONE), keys=printable(", ".join(entry))))
    if "command" in entry:
        return Entry(entry["command"], path.parent)
    if "library" in entry:
        return Entry(f"{library_player.PREFIX}{path.parent / entry['library']}")
    if "source" in entry:
        return Entry(f"{source_player.PREFIX}{path.parent / entry['source']}")
    return Entry(_bot_text(entry))


def _check(where: str, key: str, value: Any) -> None:
    if key not in KINDS:
        message = _("{place}: unknown key {key!r}, expected one of {choices}")
        raise PlayerError(message.format(place=where, key=key, choices=", ".join(KINDS)))
    kind = KINDS[key]
    fits = isinstance(value, kind) and not (kind is int and (isinstance(value, bool) or value < 1))
    if key == "options":
        fits = fits and all(isinstance(word, str) for word in value)
    if fits and NO_CHARACTER in _text_of(value):
        message = _("{place}: {key} is {value!r}, which holds a null character: no program can be given one")
        raise PlayerError(message.format(place=where, key=printable(key), value=value))
    if not fits or value == "":
        expected = {
            str: _("a text"),
            int: _("an integer of at least 1"),
            dict: _("a table"),
            list: _("a list of texts"),
        }[kind]
        message = _("{place}: {key} is {value!r}, expected {expected}")
        raise PlayerError(message.format(place=where, key=key, value=value, expected=expected))


def _text_of(value: Any) -> str:
    """All texts of a key's value, one behind the other."""
    if isinstance(value, dict):
        return "".join(map(_text_of, [*value, *value.values()]))
    return "".join(map(_text_of, value)) if isinstance(value, list) else str(value)


def _bot_text(entry: dict[str, Any]) -> str:
    word = "bot"
    if "revision" in entry:
        word += f"@{entry['revision']}"
    if "preset" in entry:
        word += f":{entry['preset']}"
    words = [word]
    if "iterations" in entry:
        words += ["--iterations", str(entry["iterations"])]
    for key, value in entry.get("set", {}).items():
        words += ["--set", f"{key}={_setting(value)}"]
    return shlex.join([*words, *entry.get("options", [])])


def _setting(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
