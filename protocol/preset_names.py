"""The old names of presets, which records of earlier games still hold.

Both the old and the new name are accepted wherever a preset is named; records and results are compared by the new
names. Standard library only.
"""

from __future__ import annotations

import re

# {game: {old name: new name}}. docs/references.md says what each preset is and where it comes from.
RENAMED = {
    "connect_four": {
        "seed000-v1": "uct-plain",
        "seed000-v2": "uct-forced",
        "seed000-v3": "uct-proofs",
        "seed001": "uct-fresh-tree",
        "seed003-mcts": "mcts",
        "seed003-alphabeta-basic": "alphabeta-basic",
        "seed003-alphabeta": "alphabeta",
        "slice1": "puct-basic",
    },
    "reversi": {
        f"seed002-{kind}-{evaluation}": f"{kind}-{evaluation}"
        for kind in ("minimax", "alphabeta")
        for evaluation in ("discs", "stable", "mobility", "restricting", "combined")
    },
    "dots": {
        "seed004-mc": "mc",
        "seed004-uct": "uct",
        "seed004-merged": "merged",
        "seed004-amaf": "amaf",
        "seed004-alphabeta": "alphabeta",
    },
}
# No old name belongs to two games, so a text can be read without knowing the game.
_NEW_NAMES = {old: new for names in RENAMED.values() for old, new in names.items()}
_LONGEST_FIRST = sorted(_NEW_NAMES, key=len, reverse=True)
# An old name as a whole word in a player's text, in the name of a file, where a player is bot-PRESET, or in JSON.
_OLD_NAME = re.compile(rf"(?<![A-Za-z0-9-])(bot-)?({'|'.join(_LONGEST_FIRST)})(?![A-Za-z0-9-])")


def new_name(game: str, name: str) -> str:
    """Return the new name of a game's preset, given its old or its new name; any other name as it is."""
    return RENAMED.get(game, {}).get(name, name)


def old_name(game: str, name: str) -> str:
    """Return the old name of a game's preset, given its new name; the same name if it has no old one."""
    return {new: old for old, new in RENAMED.get(game, {}).items()}.get(name, name)


def with_new_names(text: str) -> str:
    """Return the text with every old name in it replaced by the new one.

    The text may be that of a player, the name of a file, or JSON.
    """
    return _OLD_NAME.sub(lambda found: (found[1] or "") + _NEW_NAMES[found[2]], text)
