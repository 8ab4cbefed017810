"""`python -m judge pack PLAYER`: checks a bot of the user's own, and writes the zip that Saiblo takes.

The same files always give the same bytes, so that two versions can be compared.
"""

import io
import zipfile
from pathlib import Path

from judge import files
from judge.cli import arguments, check, completers
from judge.cli.parser import Parser
from judge.language import _, shown
from judge.players import source_player
from judge.players.launch import path_of
from judge.players.players import PlayerError
from judge.players.source_player import MAIN_SCRIPT, PREFIX
from judge.runs.record_file import in_words
from judge.terminal import MEGABYTE, printable

MOST_BYTES = 64 * MEGABYTE  # the platform's largest upload
# The first bytes of programs, objects and libraries (Linux, Windows, macOS), and of archives.
BINARY_BEGINNINGS = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"!<arch>\n", b"PK\x03\x04", b"\x1f\x8b")


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = Parser(
        "pack",
        description=_(
            "Check a bot of your own with `check --quick`, and write the zip that Saiblo takes. The same files always "
            "give the same bytes."
        ),
        epilog=_(
            "Exit status: 0 if the zip was written, 1 if the check failed, 2 for bad arguments, a bot that the "
            "platform does not build, or a zip that is too large."
        ),
    )
    parser.add_argument(
        "player",
        metavar="PLAYER",
        completer=completers.complete_player,
        help=_("src:FOLDER, a project in C++, or a folder with a main.py"),
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="ZIP",
        completer=completers.complete_path,
        help=_("the new zip (default: FOLDER.zip in the current folder)"),
    )
    parser.add_argument("--no-check", action="store_true", help=_("write the zip without checking the bot first"))
    arguments.add_game_choice(parser)
    options = parser.parse_args(argv)
    try:
        folder, packed, left_out = _choose_files(options.player)
        data = _zip_bytes(folder, packed)
    except PlayerError as error:
        parser.error(str(error))
    except OSError as error:
        parser.error(in_words(error))
    if len(data) > MOST_BYTES:
        message = _("the zip would have {size} MB, but the platform takes at most {most} MB")
        parser.error(message.format(size=f"{len(data) / MEGABYTE:.0f}", most=f"{MOST_BYTES / MEGABYTE:.0f}"))
    output = options.output or Path(f"{folder.resolve().name}.zip")
    if output.exists():  # write_new() would refuse it too, but only after the check, which takes a while
        parser.error(_("{path} exists already, and is not overwritten").format(path=printable(str(output))))
    if not options.no_check and check.main([options.player, "--quick", "--game", options.game]):
        message = _("the check failed, and {path} was not written; with --no-check it is written anyway")
        print(message.format(path=printable(str(output))))
        return 1
    try:
        files.write_new(output, data)
    except OSError as error:
        parser.error(in_words(error))
    line = _("the zip {path} was written: {number} files, {size} KB")
    print(line.format(path=printable(str(output)), number=len(packed), size=f"{len(data) / 1000:,.1f}"))
    for name, reason in left_out.items():
        print(_("not in the zip: {name} ({reason})").format(name=printable(name), reason=reason))
    language = "C++ zip" if options.player.startswith(PREFIX) else "Python zip"
    advice = _(
        "to upload it, go to www.saiblo.net, 我的AI, 上传新AI, and choose the language {language} (docs/submit.md)"
    )
    print(advice.format(language=language))
    return 0


def _choose_files(player: str) -> tuple[Path, list[Path], dict[str, str]]:
    """Return (the bot's folder, the files to pack, {file or folder that is left out: reason}).

    All paths are relative to the folder. Raises PlayerError if the player is no bot of the user's own, or if the
    platform does not build it, and OSError if a file cannot be read.
    """
    names: tuple[str, ...] | None = None  # the only files to pack; None stands for all files
    excluded: list[str] = []
    if player.startswith(PREFIX):
        path, _flags, excluded = source_player.parse_text(player)
        tree = source_player.read_tree(path, excluded)
        built = source_player.build(tree)
        if built.refusal:
            raise PlayerError(_("the platform does not build this bot: {reason}").format(reason=shown(built.refusal)))
        if built.is_library:
            raise PlayerError(
                _(
                    "the project has no main(), which the platform needs: add the one of Saiblo's kit, or the one "
                    "that `dropfour new` writes"
                )
            )
        folder, names = tree.root, tree.names()
        excluded = [*excluded, *map(str, tree.build_folders)]
    else:
        folder = path_of(player)
        if not (folder / MAIN_SCRIPT).is_file():
            message = _("{player!r} cannot be packed, expected src:FOLDER or a folder with a {file}")
            raise PlayerError(message.format(player=player, file=MAIN_SCRIPT))
    packed, left_out = [], dict.fromkeys(excluded, _("not part of the build"))
    excluded_paths = set(map(Path, excluded))
    for inside, entries in files.walk(
        folder, lambda path: not path.name.startswith((".", "__")) and path not in excluded_paths
    ):
        for entry in entries:
            path = inside / entry.name
            if path in excluded_paths or names is not None and str(path) not in names:
                continue
            reason = _reason_to_leave_out(folder / path)
            if reason:
                left_out[str(path)] = reason
            elif not entry.is_dir():
                packed.append(path)
    return folder, packed, left_out


def _reason_to_leave_out(path: Path) -> str:
    """Return the reason why a file or folder is left out, "" if it is packed. Raises OSError if it cannot be read."""
    if path.is_symlink():
        return _("a symbolic link")
    if path.name.startswith(".") or (path.name.startswith("__") and path.is_dir()):
        return _("a hidden file or folder")
    if path.is_dir():
        return ""
    if not path.is_file():
        return _("not a regular file")
    with path.open("rb") as file:
        return _("a compiled program or an archive") if file.read(8).startswith(BINARY_BEGINNINGS) else ""


def _zip_bytes(folder: Path, packed: list[Path]) -> bytes:
    """Return the bytes of a zip of the files `packed`, whose paths are relative to `folder`. Raises OSError."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in packed:
            entry = zipfile.ZipInfo(path.as_posix())  # it dates from 1980, so that the same files give the same bytes
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, (folder / path).read_bytes(), zipfile.ZIP_DEFLATED)
    return content.getvalue()
