"""The names of the games that this bot plays, and access to the modules of each game's package."""

NAMES = ("connect_four", "reversi", "dots")


def adapter_of(name):
    """Returns a game's module adapter.py, which has its messages, settings and searches.

    See connect_four/adapter.py.
    """
    return part_of(name, "adapter")


def part_of(name, part):
    """Import and return a module of a game's package. `part` is the module's name, such as "adapter" or "kernels".

    Raises ValueError if there is no such game.
    """
    if name not in NAMES:
        raise ValueError(f"game {name!r}: unknown; expected one of {', '.join(NAMES)}")
    # Not importlib.import_module: on the ladder's start path, importing importlib would cost the most time.
    return __import__(f"bot.games.{name}.{part}", fromlist=[part])


def has_data(name):
    """Returns whether a game's package comes with data files, which its self_test.py can check."""
    return hasattr(part_of(name, "self_test"), "fault_in_data")


def fault_in_data(name):
    """Returns why the data files of a game's package cannot be used; "" if they can be used or there are none."""
    return part_of(name, "self_test").fault_in_data() if has_data(name) else ""
