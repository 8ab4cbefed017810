"""UCT for games with many moves: a node's children are nodes side by side in a block. A side may move twice running."""
