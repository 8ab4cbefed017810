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
from judge.players.checkout import CHECKOUT, own_version
from judge.players.launch import Launch, PlayerError
from judge.players.worktree import worktree
from protocol import preset_names
from protocol.preset_names import old_name

OWN_BOT = "bot"
FORM = re.compile(r"bot(?:@(?P<revision>[^:]*))?(?::(?P<preset>.*))?")
USAGE_ERROR = 2  # the bot's exit status for options it does not know
SILENT_S = 1.0  # how long a compiler may take before the user is told
PROBE_LIMIT_S = 60.0  # a bot told that its input has ended is gone in a fifth of a second


def is_own_bot(text: str) -> bool:
    """True if a player called this is the repository's bot rather than a command."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    return bool(words) and FORM.fullmatch(words[0]) is not None


def prepare(text: str, game: str = DEFAULT_GAME) -> tuple[Launch, str]:
    """(Launch, version) of the bot that the text asks for; its kernels are compiled when this returns.

    Precondition: is_own_bot(text). Raises PlayerError for an unknown revision, and for a game, preset or
    options that the bot refuses, with its words.
    """
    try:
        word, *options = shlex.split(text)
    except ValueError as error:
        raise PlayerError(f"player {text!r}: {error}") from error
    form = FORM.fullmatch(word)
    revision, preset = form.group("revision", "preset") if form else ("", "")
    if "" in (revision, preset):
        raise PlayerError(f"player {text!r}: expected bot, bot:PRESET, bot@REVISION or bot@REVISION:PRESET")
    folder, version = (CHECKOUT, own_version()) if revision is None else worktree(revision)
    if not (folder / "bot" / "__main__.py").exists():
        raise PlayerError(f"player {text!r}: there is no bot in {folder}")
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
    failure = _compile_kernels(launch, game)
    if failure and revision is not None:  # what it is measured for is how it plays with them
        raise PlayerError(f"player {text!r}: its kernels could not be prepared: {failure}")
    if failure:
        print(f"note: {failure}", file=sys.stderr, flush=True)
    if options:
        _check_options(text, launch)
    return launch, version


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


def _compile_kernels(launch: Launch, game: str) -> str:
    """Fill the bot's kernel cache: a bot that starts cold compiles while it plays, and plays weaker.

    Returns why that was impossible, in the bot's words, "" if it was not. Without numba it plays with what it has.
    """
    if not os.path.exists(os.path.join(launch.folder or "", "bot", "compiled.py")):
        return ""
    games = [] if game == DEFAULT_GAME else [game]
    with _start(launch, [sys.executable, "-m", "bot.compiled", *games]) as compiler:
        try:
            _, errors = compiler.communicate(timeout=SILENT_S)
        except subprocess.TimeoutExpired:
            print(f"compiling the bot in {launch.folder} ..", file=sys.stderr, flush=True)
            _, errors = compiler.communicate()
    return (errors.strip() or f"status {compiler.returncode}") if compiler.returncode else ""


def _check_options(text: str, launch: Launch) -> None:
    """Raise PlayerError if the bot refuses its options: better now than as a crash in every game."""
    probe = launch.filled(limit_s=1.0, seed=0)
    with _start(probe, probe.argv) as bot:
        try:
            _, errors = bot.communicate(timeout=PROBE_LIMIT_S)
        except subprocess.TimeoutExpired:
            bot.kill()
            raise PlayerError(f"player {text!r}: it does not end when its input does") from None
    if bot.returncode == USAGE_ERROR:
        raise PlayerError(f"player {text!r}: {errors.strip().splitlines()[-1]}")


def _start(launch: Launch, argv: Sequence[str]) -> subprocess.Popen[str]:
    """A process without input whose output is kept."""
    return subprocess.Popen(
        argv,
        cwd=launch.folder,
        env={**os.environ, **launch.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
