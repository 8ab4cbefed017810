"""A simple kernel whose speed makes figures from different machines comparable."""

import numpy as np

from .calibration_layout import STEP_COUNTERS
from .kernel import kernel
from .machine import int32_array_at


@kernel
def take_steps(address, count):
    """`count` random numbers, each raising one of the counters by one; the first counter.

    address: of int32[STEP_COUNTERS].
    """
    counters = int32_array_at(address, STEP_COUNTERS)
    random = np.uint64(88172645463325252)
    for _ in range(count):
        random ^= random << np.uint64(13)
        random ^= random >> np.uint64(7)
        random ^= random << np.uint64(17)
        counters[random % np.uint64(STEP_COUNTERS)] += 1
    return np.int64(counters[0])
