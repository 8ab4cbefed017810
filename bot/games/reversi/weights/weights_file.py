"""The weights that come with the package."""

import os

from .pattern_set import WeightsError, unpack_weights

NAME = "weights.bin"
_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), NAME)


def stored_weights():
    """The weights of the package's file, as pattern_set.unpack_weights() gives them. Raises WeightsError."""
    try:
        with open(_PATH, "rb") as file:
            data = file.read()
    except OSError as error:
        raise WeightsError(f"{_PATH}: {error.strerror}") from error
    try:
        return unpack_weights(data)
    except WeightsError as error:
        raise WeightsError(f"{_PATH}: {error}") from error
