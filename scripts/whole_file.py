"""Files that are written whole or not at all."""

import contextlib
import os


@contextlib.contextmanager
def written_whole(path):
    """The path of a file to write; at the end of the block it takes the place of `path`, unless the block raises."""
    unfinished = path.with_name(path.name + ".new")
    yield unfinished
    os.replace(unfinished, path)
