"""`python -m bot` plays a game on stdin and stdout; its other commands are `analyze`, `bench` and `presets`."""

from __future__ import annotations

import os
import sys

from .games import NAMES


def _game_in(words: list[str]) -> str:
    """Returns the game that the option --game in `words` names, or NAMES[0] if it names no game or is missing.

    The game must be known before the command line is parsed, because it decides which other options there are.
    """
    for word, after in zip(words, words[1:] + [""]):
        option, equals, value = word.partition("=")
        name = value if equals else after
        if option == "--game" and name in NAMES:
            return name
    return NAMES[0]


def main() -> int:
    """Run the command that the first argument names, or play a game. Returns the exit status of a command.

    After a game the process ends in this function.
    """
    words = sys.argv[1:]
    game = _game_in(words)
    if words[:1] == ["analyze"]:
        from .commands.analyze import main as analyze

        return analyze(words[1:], game)
    if words[:1] == ["bench"]:
        from .commands.bench import main as bench

        return bench(words[1:], game)
    if words[:1] == ["presets"]:
        from .commands.options import list_presets

        return list_presets(words[1:], game)
    from .commands.options import session_from

    status = session_from(words, game).run()
    # Not sys.exit: shutting numba and LLVM down costs 0.2 s, and the judge waits for the process to end.
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
