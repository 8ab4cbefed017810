"""Makes the ladder's zip, the same bytes each time: main.py, the bot's sources, native engines, byte code, manifest."""

import contextlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from bot.backends import native
from bundle.boards import ZIP_NAMES
from bundle.contents import bundled_modules, imported_at_start, source_of
from checkout import CHECKOUT, revision
from portable_engines import EnginesError, engines_of
from whole_file import written_whole

OLDEST, NEWEST = (3, 8), (3, 14)
# The zip format knows no earlier time; a fixed one makes equal contents equal files.
_TIMESTAMP = (1980, 1, 1, 0, 0, 0)
LARGEST_BYTES = 1_000_000

# Run by each interpreter that byte code is made for, in the bundle's folder: unchecked, because an unpacked file's time
# says nothing; with names from the folder on; without docstrings.
_COMPILE = """
import importlib.util, py_compile, sys
for path in sys.argv[1:]:
    py_compile.compile(path, importlib.util.cache_from_source(path), path, True, 2,
                       py_compile.PycInvalidationMode.UNCHECKED_HASH)
"""
_VERSION = "import sys; print(*sys.version_info[:2], sys.implementation.name)"


class BundleError(RuntimeError):
    """The bundle cannot be made; str() says why."""


def interpreters(named):
    """{(major, minor): path} of the CPythons to make byte code for: those named, or all that PATH has by version.

    Raises BundleError for a name that is no CPython of the versions that a bundle runs on.
    """
    found = {}
    names = named or [f"python3.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]
    for name in names:
        path = shutil.which(name)
        version = path and _version(path)
        if version is not None and OLDEST <= version <= NEWEST:
            found.setdefault(version, path)
        elif named:
            raise BundleError(f"{name}: expected a CPython of 3.{OLDEST[1]} to 3.{NEWEST[1]}")
    found.setdefault(sys.version_info[:2], sys.executable)
    return dict(sorted(found.items()))


def _version(path):
    """(major, minor) of a CPython, None for anything else."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        words = subprocess.run([path, "-c", _VERSION], capture_output=True, text=True, timeout=20).stdout.split()
        if words[2:] == ["cpython"]:
            return int(words[0]), int(words[1])
    return None


def build(target, game, pythons, say):
    """Write the zip to the path `target`.

    pythons: as from interpreters(); say: takes a line on what takes long. Raises BundleError.
    """
    try:
        engines = engines_of(game, say)
    except EnginesError as error:
        raise BundleError(str(error)) from error
    with tempfile.TemporaryDirectory() as folder:
        content = Path(folder)
        _lay_out(content, game, engines)
        _add_byte_code(content, game, pythons)
        target.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(target) as unfinished:
            _pack(content, unfinished)
    if target.stat().st_size > LARGEST_BYTES:
        raise BundleError(f"{target} has {target.stat().st_size} bytes, expected at most {LARGEST_BYTES}")


def _lay_out(content, game, engines):
    """Copy everything but byte code to where it lies in the bundle."""
    start = Path(__file__).with_name("main.py").read_text("utf-8")
    (content / "main.py").write_text(start.replace('"GAME"', f'"{game}"'), "utf-8")
    shutil.copyfile(Path(__file__).with_name("zip_main.py"), content / "__main__.py")
    for data in (CHECKOUT / "bot" / "games" / game).rglob("*.bin"):
        target = content / data.relative_to(CHECKOUT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(data, target)
    for module in bundled_modules(game):
        source = source_of(module)
        target = content / source.relative_to(CHECKOUT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    (content / "engines").mkdir()
    lines = [f"game {game}", f"version {_project_version()}", f"revision {revision('--abbrev=12')}"]
    for line in (engines / native.MANIFEST).read_text("ascii").splitlines():
        words = line.split(" ")
        if words[0] == "engine":
            shutil.copyfile(engines / words[2], content / "engines" / words[2])
            words[2] = f"engines/{words[2]}"
        lines.append(" ".join(words))
    (content / native.MANIFEST).write_text("\n".join(lines) + "\n", "ascii")


def _project_version():
    return re.search(r'^version = "(.+)"$', (CHECKOUT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)[1]


def _add_byte_code(content, game, pythons):
    """Byte code of what a start imports, for each interpreter."""
    files = [str(source_of(module).relative_to(CHECKOUT)) for module in imported_at_start(game)]
    for path in pythons.values():
        done = subprocess.run([path, "-I", "-S", "-c", _COMPILE, *files], cwd=content, capture_output=True, text=True)
        if done.returncode:
            raise BundleError(f"{path} cannot compile the bundle: {done.stderr.strip().splitlines()[-1]}")


def _pack(content, target):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(path for path in content.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(content).as_posix(), _TIMESTAMP)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, path.read_bytes())


def default_target(game):
    """Where the game's bundle goes unless told otherwise."""
    return CHECKOUT / "dist" / ZIP_NAMES[game]
