"""Learns the weights of reversi's evaluation from games that the engine plays against itself."""
