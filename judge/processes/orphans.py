"""Processes whose parent has died become the judge's: descendants.py finds them then. A browser does not, which is to
outlive the judge. Standard library only.
"""

import ctypes
import os
import subprocess
import sys

from judge.processes import watch

PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>
# The shell ends at once: what it has started has another parent then.
IN_BACKGROUND = ("/bin/sh", "-c", '"$@" &', "sh")


def adopt_orphans(adopts: bool = True) -> bool:
    """Make this process the parent of every orphaned descendant, or no more. Returns False where that is impossible."""
    if not sys.platform.startswith("linux"):
        return False
    return ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(adopts), 0, 0, 0) == 0


def open_in_browser(address: str) -> bool:
    """Open an address in the reader's browser, which is none of ours: neither this process nor its watcher ends it.

    Returns False where there is no browser. Precondition: no other program is running yet.
    """
    import webbrowser  # which no other command needs

    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    environment = {name: value for name, value in os.environ.items() if name != watch.MARKER}
    adopt_orphans(False)
    try:
        subprocess.run(
            [*IN_BACKGROUND, sys.executable, "-I", "-m", "webbrowser", address],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
        )
    finally:
        adopt_orphans()
    return True
