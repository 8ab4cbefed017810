"""This repository's bot as a player: `bot[@REVISION][:PRESET] [OPTIONS]`.

OPTIONS are those of `python -m bot`; the judge passes the clock's limit and the game's seed before them, and
which game it is unless that is what every revision plays.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence

from judge.games import DEFAULT_GAME
from judge.language import _, shown
from judge.players import engine_build
from judge.players.checkout import CHECKOUT, own_version
from judge.players.launch import Launch, PlayerError
from judge.players.worktree import worktree
from protocol import preset_names
from protocol.preset_names import old_name

OWN_BOT = "bot"
FORM = re.compile(r"bot(?:@(?P<revision>[^:]*))?(?::(?P<preset>.*))?")
USAGE_ERROR = 2  # the bot's exit status for options it does not know
BACKEND = "--backend"
NO_BACKEND = "python"  # its value for play without compiled code
REVISION_DIGITS = 12
PROBE_LIMIT_S = 60.0  # a bot told that its input has ended is gone in a fifth of a second


def is_own_bot(text: str) -> bool:
    """True if a player called this is the repository's bot rather than a command."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    return bool(words) and FORM.fullmatch(words[0]) is not None


def prepare(text: str, game: str = DEFAULT_GAME) -> tuple[Launch, str, str]:
    """(Launch, version, lack) of the bot that the text asks for; its engine is built when this returns.

    lack: why it has no compiled engine and plays weaker than it should, "" if it has one. Precondition:
    is_own_bot(text). Raises PlayerError for an unknown revision, for a game, preset or options that the bot refuses,
    with its words, and for data of the bot that are missing or damaged.
    """
    try:
        word, *options = shlex.split(text)
    except ValueError as error:
        raise PlayerError(_("player {name!r}: {error}").format(name=text, error=shown(str(error)))) from error
    form = FORM.fullmatch(word)
    revision, preset = form.group("revision", "preset") if form else ("", "")
    if "" in (revision, preset):
        message = _("player {name!r}: expected bot, bot:PRESET, bot@REVISION or bot@REVISION:PRESET")
        raise PlayerError(message.format(name=text))
    folder, version = (CHECKOUT, own_version()) if revision is None else worktree(revision)
    if not (folder / "bot" / "__main__.py").exists():
        raise PlayerError(_("player {name!r}: there is no bot in {folder}").format(name=text, folder=folder))
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    # The folder matters beside PYTHONPATH: -m looks for "bot" in the current folder first.
    environment, own_options = {"PYTHONPATH": os.pathsep.join(paths)}, ["--info", "--limit", "{limit}"]
    if preset is not None:
        options = ["--preset", preset, *options]
    if not (folder / "protocol" / "preset_names.py").exists():  # a revision that knows the old names alone
        options = _with_old_names(options, game)
    if game != DEFAULT_GAME:
        options = ["--game", game, *options]
    argv = (sys.executable, "-m", "bot", *own_options, "--seed", "{seed}", *options)
    launch = Launch(argv, environment, str(folder))
    lack = _why_no_engine(text, launch, game, revision and version, backend_in(options))
    if options:
        _check_options(text, launch)
    return launch, version, lack


def _with_old_names(options: Sequence[str], game: str) -> list[str]:
    """The options with the preset among them called as it was before."""
    return [
        f"--preset={old_name(game, word.partition('=')[2])}"
        if word.startswith("--preset=")
        else old_name(game, word)
        if before == "--preset"
        else word
        for before, word in zip(["", *options], options, strict=False)
    ]


def with_new_names(text: str) -> str:
    """What a player is called, with the new name of the bot's preset in it: two that differ in it alone are one."""
    return preset_names.with_new_names(text) if is_own_bot(text) else text


def backend_in(options: Sequence[str]) -> str | None:
    """What the bot's options ask its compiled code from, None where they do not say."""
    for word, after in zip(options, [*options[1:], ""], strict=False):
        if word == BACKEND:
            return after
        if word.startswith(f"{BACKEND}="):
            return word.partition("=")[2]
    return None


def _why_no_engine(text: str, launch: Launch, game: str, revision: str | None, backend: str | None) -> str:
    """Build the bot's engine: one that starts cold compiles while it plays, and plays weaker.

    Returns why that was impossible, in the bot's words, "" where it was not, or where the bot is to play without.
    """
    package = os.path.join(launch.folder or "", "bot")
    if backend == NO_BACKEND or not os.path.exists(os.path.join(package, "compiled.py")):
        return ""
    # Older revisions know no options; the oldest know no games either, and do not look at the word.
    is_new = os.path.exists(os.path.join(package, "backends", "prepare.py"))
    words = [BACKEND, backend, game] if is_new and backend is not None else [game]
    title = engine_build.title_for(game, revision[:REVISION_DIGITS] if revision else "")
    try:
        engine_build.prepare(launch, words, title, tells_progress=is_new)
    except engine_build.EngineMissing as error:
        reason = _("player {name!r}: {error}").format(name=text, error=error)
        if error.status == engine_build.DATA_STATUS:
            raise PlayerError(reason) from None
        if revision:  # what it is measured for is how it plays with them
            message = _("player {name!r}: its kernels could not be prepared: {error}")
            raise PlayerError(message.format(name=text, error=error)) from None
        print(_("note: {text}").format(text=reason), file=sys.stderr, flush=True)
        return str(error)
    return ""


def _check_options(text: str, launch: Launch) -> None:
    """Raise PlayerError if the bot refuses its options: better now than as a crash in every game."""
    probe = launch.filled(limit_s=1.0, seed=0)
    try:
        done = subprocess.run(
            probe.argv,
            cwd=probe.folder,
            env={**os.environ, **probe.environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PROBE_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = _("player {name!r}: it does not end when its input does")
        raise PlayerError(message.format(name=text)) from None
    if done.returncode == USAGE_ERROR:
        last = done.stderr.strip().splitlines()[-1]
        raise PlayerError(_("player {name!r}: {error}").format(name=text, error=last))
