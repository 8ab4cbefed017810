"""The data that this game's package comes with, and needs to play as it should. A game without such data lacks this
module. Standard library only, Python 3.8 syntax.
"""

from .weights import WeightsError, stored_weights


def fault():
    """Why the stored data cannot be used, in a few words; "" where they can."""
    try:
        stored_weights()
    except WeightsError as error:
        return f"{error}; git restores the file, scripts/train_reversi learns it anew"
    return ""
