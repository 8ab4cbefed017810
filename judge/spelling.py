"""What may have been meant by a misspelt word. Standard library only."""

import difflib
from collections.abc import Iterable

from judge.language import _
from judge.terminal import printable


def meant(word: str, names: Iterable[str]) -> str:
    """The end of an error message: which of the names is close to the word, "" if none is."""
    close = difflib.get_close_matches(word, list(names), n=1)
    return _("; did you mean {name}?").format(name=printable(close[0])) if close else ""
