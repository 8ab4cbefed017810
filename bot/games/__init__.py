"""The games this bot plays. One line a game: everything else reaches them through their package's `seat`."""
NAMES = ("connect_four",)


def seat_of(name):
    """The module that seats the bot at a game of that name: dialogue, settings, searches; see connect_four/seat.py."""
    if name not in NAMES:
        raise ValueError("game %r: unknown; expected one of %s" % (name, ", ".join(NAMES)))
    from importlib import import_module     # not on the ladder's start path, which imports its game by name
    return import_module("bot.games.%s.seat" % name)
