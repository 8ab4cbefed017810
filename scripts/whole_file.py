"""Files that are written whole or not at all."""

import contextlib
import os


@contextlib.contextmanager
def written_whole(path):
    """The path of a file to write; at the end of the block it takes the place of `path`.

    It is of this process alone. If the block raises, it goes and `path` stays as it was.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield unfinished
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
