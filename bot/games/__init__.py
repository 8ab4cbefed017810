"""The games this bot plays. One line a game: everything else reaches them through their packages' modules."""

NAMES = ("connect_four", "reversi", "dots")


def adapter_of(name):
    """The module where the bot meets a game of that name: dialogue, settings, searches; see connect_four/adapter.py."""
    return part_of(name, "adapter")


def part_of(name, part):
    """A module of a game's package: "adapter", "config", "self_test", "kernels". ValueError: an unknown game."""
    if name not in NAMES:
        raise ValueError(f"game {name!r}: unknown; expected one of {', '.join(NAMES)}")
    # Not importlib's: on the ladder's start path its own import would be the dearest part.
    return __import__(f"bot.games.{name}.{part}", fromlist=[part])


def has_data(name):
    """Whether a game's package comes with data that it needs: its self_test.py then looks at them."""
    return hasattr(part_of(name, "self_test"), "fault_in_data")


def fault_in_data(name):
    """Why the data that a game's package comes with cannot be used; "" where they can, or there are none."""
    return part_of(name, "self_test").fault_in_data() if has_data(name) else ""
