"""`scripts/build_wheel`: the wheel for any Python from 3.10 on, on Linux and x86-64, tried without any package.

It has the packages of this checkout, native engines of every level and the weights, so that numba is not needed, and a
version that tells its sources.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from bot.backends import native, native_build
from bot.backends.sources import PACKED_ENGINES
from bot.games import NAMES
from checkout import CHECKOUT
from portable_engines import EnginesError, engines_of

PACKAGES = ("bot", "judge", "protocol")
PLATFORM = "linux_x86_64"
HASH_DIGITS = 12
_NOT_SOURCES = shutil.ignore_patterns("__pycache__", PACKED_ENGINES)
_VERSION = re.compile(r'^version = "(.+)"$', re.MULTILINE)
# The zip format knows no earlier time; a fixed one makes equal contents equal files.
_TIMESTAMP = "315532800"


class WheelError(RuntimeError):
    """The wheel cannot be made; str() says why."""


def build(folder, say):
    """Write the wheel into a folder; its path. say: takes a line on what takes long. Raises WheelError, OSError."""
    try:
        engines = {game: engines_of(game, say) for game in NAMES}
    except EnginesError as error:
        raise WheelError(str(error)) from error
    with tempfile.TemporaryDirectory() as workshop:
        tree = Path(workshop) / "tree"
        _lay_out(tree, engines)
        made = Path(workshop) / "made"
        _run_pip(tree, made)
        (wheel,) = made.glob("*.whl")
        folder.mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(wheel, folder / wheel.name))


def _lay_out(tree, engines):
    """Copy what the wheel is made of to a folder that does not exist yet."""
    for package in PACKAGES:
        shutil.copytree(CHECKOUT / package, tree / package, ignore=_NOT_SOURCES)
    version = source_hash(tree)
    for game, folder in engines.items():
        target = tree / "bot" / PACKED_ENGINES / game
        target.mkdir(parents=True)
        for name in (native.MANIFEST, *(native_build.CODE_FILE % level for level in native.NAMES)):
            shutil.copyfile(folder / name, target / name)
    for name in ("README.md", "LICENSE", "dropfour.py"):
        shutil.copyfile(CHECKOUT / name, tree / name)
    project = (CHECKOUT / "pyproject.toml").read_text("utf-8")
    (tree / "pyproject.toml").write_text(_VERSION.sub(rf'version = "\1+{version}"', project, count=1), "utf-8")
    (tree / "setup.cfg").write_text(f"[bdist_wheel]\nplat_name = {PLATFORM}\n", "ascii")


def source_hash(tree):
    """Digits that stand for every file of the packages below a folder."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted(path for path in (tree / package).rglob("*") if path.is_file()):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(tree).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:HASH_DIGITS]


def _run_pip(tree, target):
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    done = subprocess.run(
        [*command, "--no-build-isolation", "--wheel-dir", target, tree],
        env={**os.environ, "SOURCE_DATE_EPOCH": _TIMESTAMP},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise WheelError(f"pip could not make it:\n{done.stdout}{done.stderr}")


def missing_engines(wheel):
    """What the bot of an unpacked wheel says of an engine that does not load, "" where all do.

    The best engine for this CPU is tried in each game, with the standard library alone and an empty cache.
    """
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        with zipfile.ZipFile(wheel) as content:
            content.extractall(folder)
        done = subprocess.run(
            [sys.executable, "-S", "-s", "-m", "bot.compiled"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": folder, "DROPFOUR_CACHE_DIR": cache},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    ready = all(f"{game}: the native engine" in done.stdout for game in NAMES)
    return "" if ready and done.returncode == 0 else (done.stdout + done.stderr).strip()


def main(words):
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/build_wheel", description=__doc__.partition(": ")[2])
    parser.add_argument(
        "--output", type=Path, default=CHECKOUT / "dist", metavar="DIR", help="where it goes (default: dist)"
    )
    options = parser.parse_args(words)
    try:
        wheel = build(options.output, lambda text: print(text, flush=True))
    except (WheelError, OSError) as error:
        print(f"scripts/build_wheel: {error}", file=sys.stderr)
        return 1
    missing = missing_engines(wheel)
    if missing:
        print(f"scripts/build_wheel: {wheel} does not work without numba: {missing}", file=sys.stderr)
        return 1
    print(f"{wheel}: {wheel.stat().st_size:,} bytes, its engines work without numba")
    print(f"to install it: python3 -m pip install {wheel}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
