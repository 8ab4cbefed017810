"""One recorded game on a whole terminal, forward and back by single keys."""
