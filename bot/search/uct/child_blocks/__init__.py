"""UCT whose children are nodes side by side in a block, for any number of moves; a side may move twice running."""
