"""UCT for any number of moves: a node's children are nodes side by side in a block. A side may move twice running."""
