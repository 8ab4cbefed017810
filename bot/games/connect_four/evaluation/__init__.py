"""What a small network, learnt from solved positions, says of a position: its value for the side to move."""
