"""UCT for games with many moves: a node's children lie side by side in a block. A side may move twice in a row."""
