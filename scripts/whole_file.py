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
        with open(unfinished, "rb") as file:
            os.fsync(file.fileno())  # a machine that is switched off must not keep the new name of an empty file
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
