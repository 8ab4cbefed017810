"""The weights that come with the package."""

import os

_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "weights.bin")


def stored_weights():
    """Bytes of the weights file, None where there is none."""
    try:
        with open(_PATH, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
