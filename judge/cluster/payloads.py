"""Payloads: the form in which players are sent to workers, with the contents of their files and how to start them.

This repository's bot is sent as the zip for the ladder, which a checkout makes and caches by the bot's version.
"""

import dataclasses
import hashlib
import io
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from judge.files import walk
from judge.language import _, shown
from judge.players import library_player, own_bot, source_player, versions
from judge.players.launch import BadCommand, PlayerError, path_of
from judge.players.players import Contestant
from judge.players.source_player import MAIN_SCRIPT, files_below
from judge.players.versions import CHECKOUT
from judge.processes.bubblewrap import Sandbox
from judge.processes.start import Launch
from judge.terminal import MEGABYTE

BUNDLES = "bundles"  # the folder of zips in the cache folder
RUNNER = ("scripts", "run_module.py")  # the path in a checkout of the script that makes a zip
OWN_BOT, LIBRARY, SOURCE, FOLDER, COMMAND = "own-bot", "library", "source", "folder", "command"
LARGEST_BYTES = 64 * MEGABYTE  # the largest total size of a player's files
EXECUTABLE, PLAIN = 0o755, 0o644
BUNDLE_MAIN = "main.py"
NEEDS_CHECKOUT = ("jit",)  # backends that a zip does not have


def read_bundle(checkout: Path, version: str, game: str, name: str) -> bytes:
    """Return the zip of the bot in a checkout of this repository for a game, from the cache or newly made.

    `version` is the version of the bot's sources, and `name` the player's name for error messages. Raises PlayerError
    for a revision that cannot make a zip. Also raises it if making the zip fails, with the last line of the output.
    """
    # The files that make a zip: the hash in its name includes them.
    paths = [*sorted(checkout.glob("scripts/bundle/*.py")), *sorted(checkout.glob("scripts/*.py"))]
    makers = [(path.name, path) for path in paths]
    path = versions.cache_folder() / BUNDLES / f"{versions.digest(makers, version, game)[: 2 * versions.DIGITS]}.zip"
    if not path.exists():
        if checkout == CHECKOUT and not checkout.joinpath("scripts").exists():
            message = _(
                "player {name!r} cannot be sent to workers: only a checkout of the repository can make its "
                "zip, and this program was installed as a package"
            )
            raise PlayerError(message.format(name=name))
        # A revision that can make a zip has both files.
        if not (checkout / "scripts" / "bundle" / "archive.py").exists() or not checkout.joinpath(*RUNNER).exists():
            message = _("player {name!r} cannot be sent to workers: {version} is too old to make the zip to send")
            raise PlayerError(message.format(name=name, version=version))
        print(_("making the zip of {name} to send to the workers ..").format(name=name), file=sys.stderr, flush=True)
        _make_zip(checkout, game, name, path)
    return path.read_bytes()


def _make_zip(checkout: Path, game: str, name: str, path: Path) -> None:
    """Write the zip of the bot of `checkout` to `path`.

    Raises PlayerError if that fails. `name` is the player's name in the error message.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, str(checkout.joinpath(*RUNNER)), "bundle", "--game", game, "--output", str(path)]
    done = subprocess.run(words, cwd=checkout, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode or not path.exists():
        path.unlink(missing_ok=True)
        output = [*done.stderr.strip().splitlines(), *done.stdout.strip().splitlines()]
        message = _("player {name!r} cannot be sent to workers: making its zip failed: {error}")
        raise PlayerError(message.format(name=name, error=output[-1] if output else done.returncode))


@dataclasses.dataclass(frozen=True)
class File:
    """A file: its path relative to the player's folder, its permissions and its content."""

    path: str
    mode: int
    content: bytes


@dataclasses.dataclass(frozen=True)
class Payload:
    """The payload of a player: the `contestant` without its Launch, and its `files`.

    `kind` is the kind of player: OWN_BOT, LIBRARY etc. `root` is the name of its main file or folder; `words` are
    further arguments. A command has no files: its `words` hold the version of the files that the command needs on the
    worker.
    """

    kind: str
    contestant: Contestant
    files: tuple[File, ...] = ()
    root: str = ""
    words: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """A hash of the payload's kind, files and arguments, 64 hexadecimal digits."""
        parts = [f"{file.path}:{file.mode}:{hashlib.sha256(file.content).hexdigest()}" for file in self.files]
        return versions.digest([], self.kind, self.root, *self.words, *parts)


def pack(player: Contestant, game: str) -> Payload:
    """Return the Payload of a player of this game. Raises PlayerError with the reason if it cannot be sent."""
    bare = dataclasses.replace(player, prepared=None)
    if player.prepared is None:  # a command: its program has to be on the worker already
        return Payload(COMMAND, bare, words=(_version_of_own_files(bare),))
    if own_bot.is_own_bot(player.command):
        return _pack_own_bot(player, bare, player.prepared, game)
    if player.command.startswith(library_player.PREFIX):
        path = path_of(player.command.removeprefix(library_player.PREFIX)).resolve()
        return Payload(LIBRARY, bare, _read_files(player, path.parent, path.parent, [Path(path.name)]), path.name)
    if player.command.startswith(source_player.PREFIX):
        folder, checks, left_out = source_player.parse_text(player.command)
        path = Path(os.path.abspath(folder))
        words = [f"--{name}" for name in checks]
        for name in left_out:
            words += [source_player.WITHOUT, name]
        return Payload(SOURCE, bare, _read_project(player, path), path.name, tuple(words))
    path = Path(player.prepared.folder or "")
    return Payload(FOLDER, bare, _read_project(player, path), path.name)


def unpack(payload: Payload, folder: Path, game: str, sandbox: Sandbox | None = None) -> Contestant:
    """Write the player's files below `folder`, and return the player, ready to start here.

    `sandbox` holds the sandbox options for building a project, None for the defaults. Raises PlayerError if the player
    cannot play here. Precondition: no other thread or process unpacks into the folder at the same time.
    """
    home = folder / payload.digest
    if payload.files and not home.exists():
        _write_files(payload.files, home)
    return dataclasses.replace(payload.contestant, prepared=_launch(payload, home, game, sandbox))


def _launch(payload: Payload, home: Path, game: str, sandbox: Sandbox | None) -> Launch | None:
    """Return the Launch that starts the player from its files in `home`, or None for a command.

    Raises PlayerError if a project cannot be built, or if this machine lacks the files of a command.
    """
    if payload.kind == OWN_BOT:
        return Launch((sys.executable, BUNDLE_MAIN, *payload.words), {}, str(home))
    if payload.kind == LIBRARY:
        return library_player.prepare(home / payload.root)
    if payload.kind == SOURCE:
        text = shlex.join([f"{source_player.PREFIX}{home / payload.root}", *payload.words])
        return source_player.prepare(text, game, sandbox).launch
    if payload.kind == FOLDER:
        return Launch((sys.executable, MAIN_SCRIPT), {}, str(home / payload.root))
    _require_same_files(payload)
    return None


def _version_of_own_files(player: Contestant) -> str:
    """Return the version of the files that a command names.

    A program that is found on PATH does not count, as the interpreters of machines may differ. Raises PlayerError if
    the command cannot be split.
    """
    words, folder = _argv_and_folder(player)
    names = words if os.sep in words[0] else words[1:]
    files = [folder / name for name in names if name and not name.startswith("-") and (folder / name).is_file()]
    return versions.version_of_files(files) or ""


def _argv_and_folder(player: Contestant) -> tuple[tuple[str, ...], Path]:
    """Return (argv of a command, the folder in which it runs). Raises PlayerError if the command cannot be split."""
    try:
        launch = player.launch(1.0, 0)
    except BadCommand as error:
        raise PlayerError(_("player {name!r}: {error}").format(name=player.command, error=shown(str(error)))) from None
    return launch.argv, Path(player.folder or os.curdir).absolute()


def _require_same_files(payload: Payload) -> None:
    """Raise PlayerError unless a command can run on this machine with the same files as on the sender's.

    The program and the folder of the command must exist, and the files that the command names must be the same.
    """
    player = payload.contestant
    words, folder = _argv_and_folder(player)
    program = str(folder / words[0]) if os.sep in words[0] else words[0]
    if not folder.is_dir() or shutil.which(program) is None:
        message = _(
            "player {name!r}: {program} is not on this worker: install it there, as the files of a command are not sent"
        )
        raise PlayerError(message.format(name=player.command, program=words[0]))
    if (_version_of_own_files(player),) != payload.words:
        message = _(
            "player {name!r}: its files are missing or different on this worker: copy them there, as "
            "the files of a command are not sent"
        )
        raise PlayerError(message.format(name=player.command))


def _pack_own_bot(player: Contestant, bare: Contestant, launch: Launch, game: str) -> Payload:
    """Return the Payload of our bot. `bare` is the player without its `launch`. Raises PlayerError; see pack()."""
    # The options follow `python -m bot`.
    words = launch.argv[3:]
    if own_bot.backend_in(words) in NEEDS_CHECKOUT:
        message = _(
            "player {name!r} cannot be sent to workers: numba compiles it from a checkout, and its zip "
            "has only compiled engines"
        )
        raise PlayerError(message.format(name=player.command))
    data = read_bundle(Path(launch.folder or ""), player.version or "", game, player.command)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = tuple(File(entry.filename, PLAIN, archive.read(entry)) for entry in archive.infolist())
    return Payload(OWN_BOT, bare, files, BUNDLE_MAIN, words)


def _read_project(player: Contestant, path: Path) -> tuple[File, ...]:
    """Return the files of the project at `path`, with paths relative to the parent of `path`.

    `path` is the folder of the project, or one file in it.

    Raises PlayerError if the files cannot be read, are larger than LARGEST_BYTES in all, lie outside the project's
    folder, or if a link leads to a folder.
    """
    project = path.parent if path.is_file() else path
    # Hidden files and Python's caches are no part of a project.
    for folder, entries in walk(project, lambda inner: not inner.name.startswith((".", "__"))):
        for entry in entries:
            if entry.is_symlink() and os.path.isdir(entry.path) and not entry.name.startswith((".", "__")):
                message = _(
                    "player {name!r} cannot be sent to workers: {path!r} is a link to a folder, put the folder itself "
                    "in its place"
                )
                raise PlayerError(message.format(name=player.command, path=(folder / entry.name).as_posix()))
    names = [project.relative_to(path.parent) / name for name in files_below(project)]
    return _read_files(player, path.parent, project, names)


def _read_files(player: Contestant, above: Path, own: Path, paths: Iterable[Path]) -> tuple[File, ...]:
    """Return the Files at `paths`, which are relative to the folder `above`.

    Raises PlayerError if the files cannot be read, are larger than LARGEST_BYTES in all, or lie outside the folder
    `own`.
    """
    files: list[File] = []
    bytes_left = LARGEST_BYTES
    try:
        for path in paths:
            place = above / path
            if not place.resolve().is_relative_to(own.resolve()):
                message = _(
                    "player {name!r} cannot be sent to workers: {path!r} is a link that leads out of its folder"
                )
                raise PlayerError(message.format(name=player.command, path=path.as_posix()))
            bytes_left -= place.stat().st_size
            if bytes_left < 0:
                message = _("player {name!r} cannot be sent to workers: its files are larger than {size} MB in total")
                raise PlayerError(message.format(name=player.command, size=LARGEST_BYTES // MEGABYTE))
            mode = EXECUTABLE if os.access(place, os.X_OK) else PLAIN
            files.append(File(path.as_posix(), mode, place.read_bytes()))
    except OSError as error:
        raise PlayerError(_("player {name!r}: {error}").format(name=player.command, error=error)) from error
    return tuple(files)


def _write_files(files: Sequence[File], home: Path) -> None:
    """Write the files below the folder `home`, which appears only when it is complete.

    Raises PlayerError if the path of a file leads out of the folder.
    """
    home.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(dir=home.parent))
    try:
        for file in files:
            target = unfinished / file.path
            if not target.resolve().is_relative_to(unfinished.resolve()):
                raise PlayerError(
                    _("the player's file {path!r} leads out of the player's folder").format(path=file.path)
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.content)
            target.chmod(file.mode)
        unfinished.chmod(EXECUTABLE)
        unfinished.rename(home)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
