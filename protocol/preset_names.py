"""The names that presets had before they were called by what they are: what was played then keeps them.

Both names are taken wherever a preset is named; records and results are compared by the new ones. Standard library
only.
"""

from __future__ import annotations

import re

# By game: old name -> new name. docs/references.md says what each preset is and where it comes from.
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
# No old name is one of another game's, so that a text needs no game to be read.
_NEW_NAMES = {old: new for names in RENAMED.values() for old, new in names.items()}
_LONGEST_FIRST = sorted(_NEW_NAMES, key=len, reverse=True)
# A whole word of a player, a file's name or JSON; a file calls a player bot-PRESET.
_OLD_NAME = re.compile(rf"(?<![A-Za-z0-9-])(bot-)?({'|'.join(_LONGEST_FIRST)})(?![A-Za-z0-9-])")


def new_name(game: str, name: str) -> str:
    """What a preset of a game that was ever called so is called now."""
    return RENAMED.get(game, {}).get(name, name)


def old_name(game: str, name: str) -> str:
    """What a preset of a game that is called so now was called before."""
    return {new: old for old, new in RENAMED.get(game, {}).items()}.get(name, name)


def with_new_names(text: str) -> str:
    """A text with every old name in it replaced: a player's words, the name of a file, JSON."""
    return _OLD_NAME.sub(lambda found: (found[1] or "") + _NEW_NAMES[found[2]], text)
