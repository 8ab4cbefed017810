"""What calibration (calibration.py) needs at its address. Standard library only."""

STEP_COUNTERS = 1000  # of int32
