"""dropfour where a platform runs the zip as it is, as Botzone does. MIT License.

A native engine cannot be loaded out of a zip: it is unpacked once, below the system's folder for temporary files, and
what cannot be unpacked is played from within the zip by the plain search.
"""

import os
import sys

ARCHIVE = os.path.dirname(os.path.abspath(__file__))


def unpacked():
    """The folder with the zip's contents, the zip itself where there can be none."""
    import shutil
    import tempfile
    import zipfile

    try:
        facts = os.stat(ARCHIVE)
        folder = os.path.join(tempfile.gettempdir(), f"dropfour-{os.getuid()}-{facts.st_size:x}-{facts.st_mtime_ns:x}")
        if not _is_own(folder):
            unfinished = tempfile.mkdtemp(prefix="dropfour-")
            with zipfile.ZipFile(ARCHIVE) as archive:
                archive.extractall(unfinished)
            try:
                os.rename(unfinished, folder)  # whole or not at all
            except OSError:  # another process was first
                shutil.rmtree(unfinished, ignore_errors=True)
        return folder if _is_own(folder) else ARCHIVE
    except (OSError, zipfile.BadZipFile):
        return ARCHIVE


def _is_own(folder):
    """Whether the folder is there and nobody else can have put anything into it."""
    try:
        facts = os.lstat(folder)
    except OSError:
        return False
    return facts.st_uid == os.getuid() and facts.st_mode & 0o170077 == 0o040000


if __name__ == "__main__":
    sys.path[0] = unpacked() if os.path.isfile(ARCHIVE) else ARCHIVE
    import main

    main.end(main.main(main.GAME, main.FOLDER))
