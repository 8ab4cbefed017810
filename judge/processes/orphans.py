"""Processes whose parent has died become the judge's: descendants.py finds them then. Standard library only."""

import ctypes
import sys

PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>


def adopt_orphans() -> bool:
    """Make this process the parent of every orphaned descendant. Returns False where that is impossible."""
    if not sys.platform.startswith("linux"):
        return False
    return ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
