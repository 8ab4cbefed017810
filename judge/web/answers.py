"""Answers of the application: JSON, or a refusal that says in every language why."""

from collections.abc import Callable
from typing import Any, TypeVar

from starlette.responses import Response

from judge.language import _, shown
from judge.terminal import json_line, sentence, shortened
from judge.web.texts import Texts, in_each

T = TypeVar("T")
MALFORMED, FOREIGN, NOT_FOUND, WRONG_METHOD, CONFLICT = 400, 403, 404, 405, 409
TOO_LARGE, WRONG_TYPE, NOT_ALLOWED, FAILED = 413, 415, 422, 500
NO_STORE = {"cache-control": "no-store"}


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


def encoded(content: Any) -> str:
    """A value as a browser is sent it."""
    return json_line(content)


def error_of(refused: Refused) -> dict[str, Any]:
    """What tells a browser of a refusal, on a socket beside its type."""
    return {"error": refused.texts}


class Json(Response):
    """JSON that is there as text already: nothing keeps it."""

    media_type = "application/json"

    def __init__(self, text: str, status: int = 200) -> None:
        super().__init__(text.encode("ascii"), status, NO_STORE)

    @classmethod
    def of(cls, refused: Refused) -> "Json":
        """The answer to what is refused."""
        return cls(encoded(error_of(refused)), refused.status)
