"""Many games: which, in what order, what of them is played already."""
