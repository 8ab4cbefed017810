"""`python -m bot`: play on stdin and stdout; `python -m bot analyze`, `bench` and `presets`: look, measure, list."""

from __future__ import annotations

import os
import sys

from .games import NAMES


def _game_in(words: list[str]) -> str:
    """The game that --game names, the first of all where there is no such option: it decides what others there are."""
    for word, after in zip(words, words[1:] + [""]):
        option, equals, value = word.partition("=")
        name = value if equals else after
        if option == "--game" and name in NAMES:
            return name
    return NAMES[0]


def main() -> int:
    """Dispatch on the first argument; returns the exit status."""
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
    # Not sys.exit: taking numba and LLVM down costs 0.2 s, and the judge is waiting for the end.
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
