"""UCT for any game, with two ways to store the tree."""
