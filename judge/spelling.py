"""What may have been meant by a misspelt word. Standard library only."""

import difflib
from collections.abc import Iterable


def meant(word: str, names: Iterable[str]) -> str:
    """The end of an error message: which of the names is close to the word, "" if none is."""
    close = difflib.get_close_matches(word, list(names), n=1)
    return f"; did you mean {close[0]}?" if close else ""
