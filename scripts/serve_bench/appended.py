"""When moves are appended to the file of running games: the kernel tells (inotify(7)), so nobody has to look again and
again.
"""

import ctypes
import json
import os
import threading
import time

from judge.live import LONGEST_LINE, GrowingFile

IN_MODIFY, IN_MOVED_TO = 0x2, 0x80  # <sys/inotify.h>
READ_BYTES = 4096


class AppendedMoves:
    """Use as a context manager: `moments` are {(a game's id, ply from 1): seconds of time.monotonic()}."""

    def __init__(self, live_file):
        self._folder = live_file.parent
        self._file = GrowingFile(live_file, LONGEST_LINE)
        self.moments = {}
        self._descriptor = -1

    def __enter__(self):
        library = ctypes.CDLL(None, use_errno=True)
        self._descriptor = library.inotify_init1(os.O_CLOEXEC)
        watched = os.fsencode(self._folder)
        if self._descriptor < 0 or library.inotify_add_watch(self._descriptor, watched, IN_MODIFY | IN_MOVED_TO) < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        threading.Thread(target=self._run, daemon=True).start()
        return self

    def __exit__(self, *_):
        os.close(self._descriptor)

    def _run(self):
        while True:
            try:
                os.read(self._descriptor, READ_BYTES)
            except OSError:
                return
            self._look(time.monotonic())

    def _look(self, now):
        self._file.refresh()  # it is written anew from time to time
        for line in self._file.lines():
            content = json.loads(line)
            if content["event"] == "moved":
                self.moments.setdefault((content["id"], content["ply"]), now)
