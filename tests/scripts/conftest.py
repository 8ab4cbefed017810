"""The strength suite lies beside the scripts, libraries to meet are made as for the judge's tests; bundles to start."""

import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path += [str(REPOSITORY / "scripts"), str(REPOSITORY / "tests" / "judge")]


@pytest.fixture(scope="session")
def zips(tmp_path_factory):
    """A function: the path of a game's zip, made once.

    Connect four's has the engines of all CPUs. The others have the one for this CPU at least, which the bot's own
    tests need too.
    """
    from bundles import BEST, built

    from bot import native

    folder, made = tmp_path_factory.mktemp("zips"), {}

    def path_of(game):
        if game not in made:
            made[game] = built(folder / f"{game}.zip", game, native.NAMES if game == "connect_four" else [BEST])
        return made[game]

    return path_of


@pytest.fixture
def bundle(zips, tmp_path):
    """An unpacked bundle of connect four, of the test's own."""
    from bundle import games

    return games.unpack(zips("connect_four"), tmp_path / "unpacked")
