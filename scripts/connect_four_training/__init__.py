"""Learns what connect four's evaluation knows from games that the engine plays against itself."""
