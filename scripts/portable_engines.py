"""What is shipped needs: native engines of every CPU level, and the data that a game comes with."""

from pathlib import Path

from bot.backends import native, native_build
from bot.games import fault_in_data


class EnginesError(RuntimeError):
    """A game cannot be shipped; str() says why."""


def engines_of(game, say):
    """The folder of a game's engines, built where they are missing; its data are looked at too.

    say: takes a line on what takes long. Raises EnginesError.
    """
    reason = native_build.why_impossible()
    if reason is not None:
        raise EnginesError(f"native engines cannot be built here: {reason}")
    fault = fault_in_data(game)
    if fault:
        raise EnginesError(f"{game}: {fault}")
    try:
        return Path(native_build.build(native.NAMES, game, report=say))
    except (native_build.BuildError, OSError) as error:
        raise EnginesError(str(error)) from error
