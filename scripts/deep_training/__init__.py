"""A deep network for connect four: what makes it, measures it and plays it. Needs the extra `train`."""

import os

# PyTorch's threads wait for one another at work. On cores that others use too, waiting must not hold a core for long:
# with one more process beside it learning took 5 times as long. libgomp reads this when it is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")
