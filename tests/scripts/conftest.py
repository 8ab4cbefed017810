"""What the scripts' tests rely on: bundles to start."""

import pytest


@pytest.fixture(scope="session")
def zips(tmp_path_factory):
    """A function: the path of a game's zip, made once.

    Connect four's has the engines of all CPUs. The others have the one for this CPU at least, which the bot's own
    tests need too.
    """
    from bot.backends import native
    from tests.scripts.helpers.bundles import BEST, built

    folder, made = tmp_path_factory.mktemp("zips"), {}

    def path_of(game):
        if game not in made:
            made[game] = built(folder / f"{game}.zip", game, native.NAMES if game == "connect_four" else [BEST])
        return made[game]

    path_of("connect_four")  # most tests need it, and no test's limit counts the time of a fixture
    return path_of


@pytest.fixture
def bundle(zips, tmp_path):
    """An unpacked bundle of connect four, of the test's own."""
    from bundle import games

    return games.unpack(zips("connect_four"), tmp_path / "unpacked")
