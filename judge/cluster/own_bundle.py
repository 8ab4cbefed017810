"""This repository's bot as it travels: the ladder's zip, which a checkout makes and keeps by the bot's version."""

import subprocess
import sys
from pathlib import Path

from judge.language import _
from judge.players import content
from judge.players.checkout import CHECKOUT
from judge.players.launch import PlayerError

BUNDLES = CHECKOUT / ".cache" / "bundles"
MAKERS = ("scripts/bundle/*.py", "scripts/*.py")  # what of a zip is not the bot's own
MAKER = ("scripts", "bundle", "archive.py")  # there since scripts/build_bundle is
RUNNER = ("scripts", "run_module.py")


def bundle_of(folder: Path, version: str, game: str, name: str) -> bytes:
    """The zip of the bot whose sources lie in a folder, of this version; `name` is what the player is called.

    Raises PlayerError for a revision that makes no zip, and with the maker's words where that fails.
    """
    makers = [(path.name, path) for place in MAKERS for path in sorted(folder.glob(place))]
    path = BUNDLES / f"{content.digest(makers, version, game)[: 2 * content.DIGITS]}.zip"
    if not path.exists():
        if folder == CHECKOUT and not folder.joinpath("scripts").exists():
            message = _(
                "player {name!r} cannot travel: this program was installed as a package; a checkout makes its zip"
            )
            raise PlayerError(message.format(name=name))
        if not folder.joinpath(*MAKER).exists() or not folder.joinpath(*RUNNER).exists():
            message = _(
                "player {name!r} cannot travel: it would as its zip, and {version} has no scripts/build_bundle to make "
                "one"
            )
            raise PlayerError(message.format(name=name, version=version))
        print(_("making the zip that {name} travels in ..").format(name=name), file=sys.stderr, flush=True)
        _make(folder, game, name, path)
    return path.read_bytes()


def _make(folder: Path, game: str, name: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, str(folder.joinpath(*RUNNER)), "bundle", "--game", game, "--output", str(path)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode or not path.exists():
        path.unlink(missing_ok=True)
        said = [*done.stderr.strip().splitlines(), *done.stdout.strip().splitlines()]
        message = _("player {name!r} cannot travel: its zip cannot be made: {error}")
        raise PlayerError(message.format(name=name, error=said[-1] if said else done.returncode))
