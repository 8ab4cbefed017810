"""What a student's project holds: its sources, and which of them make the program that the platform builds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.language import _
from judge.players import library_player
from judge.players.launch import PlayerError

SOURCE_SUFFIXES = (".c", ".cpp", ".cc", ".cxx")
PLATFORM_SUFFIXES = (".c", ".cpp")  # those that it is known to take
MAIN_SCRIPT = "main.py"
# The platform's SDK of 2022 and before; it speaks a wire that the platform has given up.
OLD_SDK_HEADER = "ai_client.hpp"


@dataclass(frozen=True)
class SourceTree:
    """A project: its folder, and the sources to compile as paths from there."""

    root: Path
    sources: tuple[Path, ...]

    def old_sdk_mains(self, mains: Sequence[Path]) -> list[Path]:
        """Those of the sources with a main() that belong to the SDK of 2022 and before."""
        return [main for main in mains if OLD_SDK_HEADER in (self.root / main).read_text("utf-8", "replace")]


def read_tree(path: Path, left_out: Sequence[str] = ()) -> SourceTree:
    """The SourceTree of a folder, or of a single source file.

    left_out are names of files and folders below it. Raises PlayerError for what is not there, or holds no source.
    """
    if path.is_file():
        if path.suffix not in SOURCE_SUFFIXES:
            message = _("{path!r} is no source, expected {choices}")
            raise PlayerError(message.format(path=str(path), choices=", ".join(SOURCE_SUFFIXES)))
        return SourceTree(path.parent, (Path(path.name),))
    if not path.is_dir():
        raise PlayerError(_("{path!r}: there is no such folder or file").format(path=str(path)))
    for name in left_out:
        if not (path / name).exists():
            message = _("--without {name}: there is no such file or folder in {path!r}")
            raise PlayerError(message.format(name=name, path=str(path)))
    sources = tuple(_files(path, SOURCE_SUFFIXES, left_out))
    if not sources:
        message = _("folder {path!r} holds no source, expected {choices}")
        raise PlayerError(message.format(path=str(path), choices=", ".join(SOURCE_SUFFIXES)))
    return SourceTree(path, sources)


def files_below(folder: Path) -> list[Path]:
    """All files below a folder, as paths from there, without hidden ones and what Python compiles."""
    return list(_files(folder, None, ()))


def kinds_of(folder: Path) -> list[str]:
    """What a bare folder may stand for, as prefixes of players: "python", "src" and "lib", those that fit."""
    kinds = []
    if (folder / MAIN_SCRIPT).is_file():
        kinds.append("python")
    if next(_files(folder, SOURCE_SUFFIXES, ()), None) is not None:
        kinds.append("src")
    if any(path.suffix == library_player.SUFFIX for path in folder.iterdir()):
        kinds.append("lib")
    return kinds


def _files(root: Path, suffixes: Sequence[str] | None, left_out: Sequence[str]) -> Iterator[Path]:
    """The files below a folder with one of these suffixes, in order, without hidden folders and what is left out."""
    hidden = {Path(name) for name in left_out}
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if (suffixes is not None and path.suffix not in suffixes) or not path.is_file():
            continue
        if any(part.startswith((".", "__")) for part in inside.parts[:-1]) or inside.name.startswith("."):
            continue
        if not hidden.isdisjoint({inside, *inside.parents}):
            continue
        yield inside
