"""The parts of searches that are the same for every game."""
