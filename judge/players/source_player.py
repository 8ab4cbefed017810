"""`src:FOLDER [OPTIONS]`: a student's own project as a player, built as the platform builds it.

OPTIONS: --without NAME leaves a file or folder out; --sanitize and --debug build for looking at faults.
"""

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from judge.games import DEFAULT_GAME
from judge.language import _, shown
from judge.players import content, library_player
from judge.players.compiler import COMPILER
from judge.players.launch import Launch, PlayerError
from judge.players.source_build import LOOKING_FLAGS, build
from judge.players.source_tree import read_tree

PREFIX = "src:"
WITHOUT = "--without"


@dataclass(frozen=True)
class Project:
    """A project that has been built: its name, what starts it, its version; whether it was loaded on trial."""

    name: str
    launch: Launch
    version: str
    is_tried: bool


def prepare(text: str, game: str = DEFAULT_GAME) -> Project:
    """The Project that the text asks for; it is built when this returns.

    Raises PlayerError for what cannot be built, with the compiler's words.
    """
    path, looking, left_out = read(text)
    built = build(read_tree(path, left_out), looking)
    name = path.resolve().name
    for note in built.notes:
        print(_("note: {text}").format(text=f"{name}: {shown(note)}"), file=sys.stderr, flush=True)
    root = path if path.is_dir() else path.parent
    version = built.digest[: content.DIGITS]
    if not built.is_library:
        return Project(name, Launch((str(built.path),), {}, str(root.resolve())), version, is_tried=False)
    if game != DEFAULT_GAME:
        message = _("player {name!r}: getPoint plays {own_game}, and the game is {game}")
        raise PlayerError(message.format(name=text, own_game=DEFAULT_GAME, game=game))
    return Project(name, library_player.prepare(built.path, _variables(looking)), version, is_tried=True)


def read(text: str) -> tuple[Path, list[str], list[str]]:
    """(path, keys of LOOKING_FLAGS, what is left out) of a player's text, with its prefix. Raises PlayerError."""
    whole = Path(text.removeprefix(PREFIX))
    if os.path.exists(whole):  # its name may have spaces in it
        return whole, [], []
    try:
        first, *options = shlex.split(text)
    except ValueError as error:
        raise PlayerError(_("player {name!r}: {error}").format(name=text, error=shown(str(error)))) from error
    looking, left_out = [], []
    words = iter(options)
    for word in words:
        if word.removeprefix("--") in LOOKING_FLAGS:
            looking.append(word.removeprefix("--"))
        elif word == WITHOUT:
            left_out.append(next(words, ""))
        else:
            message = _("player {name!r}: unknown option {option!r}, expected --debug, --sanitize or --without NAME")
            raise PlayerError(message.format(name=text, option=word))
    if "" in left_out:
        raise PlayerError(_("player {name!r}: --without needs the name of a file or folder").format(name=text))
    return Path(first.removeprefix(PREFIX)), looking, left_out


def _variables(looking: list[str]) -> dict[str, str]:
    """What the project's host needs in its environment: a sanitizer has to be loaded before all else."""
    if "sanitize" not in looking:
        return {}
    asked = [COMPILER, "-print-file-name=libasan.so"]
    library = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    return {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"}
