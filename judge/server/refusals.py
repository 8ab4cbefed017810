"""What is not done, and why: a status of HTTP, and texts in every language."""

from collections.abc import Callable
from typing import Any, TypeVar

from judge.language import _, shown
from judge.pages.languages import Texts, in_each
from judge.terminal import sentence, shortened

T = TypeVar("T")
MALFORMED, FOREIGN, NOT_FOUND, WRONG_METHOD, CONFLICT = 400, 403, 404, 405, 409
TOO_LARGE, WRONG_TYPE, NOT_ALLOWED, FAILED = 413, 415, 422, 500


class Refused(Exception):
    """Something asked for is not done: `status` and `texts` are the answer."""

    def __init__(self, status: int, texts: Texts) -> None:
        super().__init__(texts["en"])
        self.status, self.texts = status, texts


def refusal(status: int, message: str, **fields: Any) -> Refused:
    """A Refused with a message of marked(); of texts in its fields the beginnings are shown.

    Fields come from outside, but for `expected`, which may be a text of marked().
    """
    told = {name: shortened(value) if isinstance(value, str) else value for name, value in fields.items()}
    expected = fields.get("expected", "")
    return Refused(status, in_each(lambda: _(message).format(**{**told, "expected": _(expected) if expected else ""})))


def made(make: Callable[[], T], *errors: type[Exception], status: int = NOT_ALLOWED) -> T:
    """What make() returns; where it raises one of the errors, a Refused with the error's text.

    The text is in the reader's language, or as records keep it: make() is called again for every language.
    """
    try:
        return make()
    except errors:
        raise Refused(status, in_each(lambda: _text_of_error(make, errors))) from None


def _text_of_error(make: Callable[[], object], errors: tuple[type[Exception], ...]) -> str:
    try:
        make()
    except errors as error:
        return sentence(shown(str(error)))
    return ""
