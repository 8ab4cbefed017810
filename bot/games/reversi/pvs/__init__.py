"""The principal variation search of boards up to 8x8."""
