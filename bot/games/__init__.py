"""The games this bot plays. One line a game: everything else reaches them through their packages' modules."""

NAMES = ("connect_four", "reversi", "dots")


def adapter_of(name):
    """The module where the bot meets a game of that name: dialogue, settings, searches; see connect_four/adapter.py."""
    return part_of(name, "adapter")


def part_of(name, part):
    """A module of a game's package: "adapter", "entry_points", "self_test", "kernels". ValueError: an unknown game."""
    if name not in NAMES:
        raise ValueError(f"game {name!r}: unknown; expected one of {', '.join(NAMES)}")
    # Not importlib's: on the ladder's start path its own import would be the dearest part.
    return __import__(f"bot.games.{name}.{part}", fromlist=[part])


def has_data(name):
    """Whether a game's package comes with data that it needs."""
    try:
        part_of(name, "stored_data")
    except ModuleNotFoundError as error:
        if error.name != f"bot.games.{name}.stored_data":
            raise
        return False
    return True


def fault_in_data(name):
    """Why the data that a game's package comes with cannot be used; "" where they can, or there are none."""
    return part_of(name, "stored_data").fault() if has_data(name) else ""
