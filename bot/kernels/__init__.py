"""What kernels of every game are made of; knows no search and no game."""
