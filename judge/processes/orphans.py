"""Makes the judge the parent of its orphaned descendants, so that descendants.py finds them. Standard library only.

Also opens a browser without adopting it, so that it outlives the judge.
"""

import ctypes
import os
import subprocess
import sys

from judge.processes import watch

PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>
# The shell ends at once, so the program that it has started gets another parent.
IN_BACKGROUND = ("/bin/sh", "-c", '"$@" &', "sh")


def adopt_orphans(adopts: bool = True) -> bool:
    """Start or stop adopting every orphaned descendant. Return False if the system does not support it."""
    if not sys.platform.startswith("linux"):
        return False
    return ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(adopts), 0, 0, 0) == 0


def open_in_browser(address: str) -> bool:
    """Open an address in the user's browser, so that neither this process nor its watcher ends the browser.

    Return False if there is no browser. Precondition: no other program is running yet.
    """
    import webbrowser  # imported here because no other command needs it

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
