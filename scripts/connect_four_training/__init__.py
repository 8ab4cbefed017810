"""How the network of connect four learns: positions whose end is known, and weights that tell it."""
