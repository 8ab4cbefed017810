"""UCT for any game, over two ways to store the tree."""
