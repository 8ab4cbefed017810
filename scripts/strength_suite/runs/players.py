"""Settings as the command line writes them, NAME[+KEY=VALUE...], and the bots of the judge that have them."""

import shlex

from bot.games import adapter_of
from strength_suite.json_lines import SuiteError

DEFAULT_GAME = "connect_four"
ADAPTER = adapter_of(DEFAULT_GAME)


def settings_of(text, adapter=ADAPTER):
    """The settings value of "NAME[+KEY=VALUE...]", such as "default+solver=false". Raises SuiteError.

    adapter: of the game.
    """
    name, *assignments = text.split("+")
    try:
        return adapter.preset(name).with_values(assignments)
    except adapter.SettingsError as error:
        raise SuiteError(f"{text!r}: {error}") from error


def bot_with(text, revision):
    """The judge's player with the settings "NAME[+KEY=VALUE...]", of this checkout or of a revision."""
    name, *assignments = text.split("+")
    options = [f"--set {shlex.quote(assignment)}" for assignment in assignments]
    return at_revision(" ".join([f"bot:{name}", *options]), revision)


def at_revision(player, revision):
    """The same player (bot[:PRESET] [OPTIONS]) of a revision; unchanged for None. Raises SuiteError."""
    word, _, options = player.partition(" ")
    if word.partition(":")[0].partition("@")[0] != "bot":
        raise SuiteError(f"player {player!r}: expected bot, bot:PRESET or bot@REVISION:PRESET, options behind it")
    if revision is None:
        return player
    if "@" in word:
        raise SuiteError(f"player {player!r} names a revision, and --revision another: leave one out")
    return " ".join(filter(None, [f"bot@{revision}{word.removeprefix('bot')}", options]))
