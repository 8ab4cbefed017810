"""Answers of the application to requests: JSON, or a refusal with its reason in every language."""

from collections.abc import Callable
from typing import Any, TypeVar

from starlette.responses import Response

from judge.language import _, shown
from judge.terminal import json_line, sentence, shortened
from judge.web.texts import Texts, in_each

T = TypeVar("T")
MALFORMED, FOREIGN, NOT_FOUND, WRONG_METHOD, TOO_SLOW, CONFLICT = 400, 403, 404, 405, 408, 409
TOO_LARGE, WRONG_TYPE, NOT_ALLOWED, FAILED = 413, 415, 422, 500
NO_STORE = {"cache-control": "no-store"}


class Refused(Exception):
    """A request is refused. `status` is the HTTP status, and `texts` has the reason in each language."""

    def __init__(self, status: int, texts: Texts) -> None:
        super().__init__(texts["en"])
        self.status, self.texts = status, texts


def refusal(status: int, message: str, **fields: Any) -> Refused:
    """Return a Refused with the HTTP status `status` and, in each language, the text `message`.

    `message` is a text of marked() with placeholders for `fields`. Long texts among the fields are shortened, because
    they may come from the request. Only the field `expected` is translated, which must be a text of marked().
    """
    short_fields = {name: shortened(value) if isinstance(value, str) else value for name, value in fields.items()}
    expected = fields.get("expected", "")
    return Refused(
        status, in_each(lambda: _(message).format(**{**short_fields, "expected": _(expected) if expected else ""}))
    )


def call_or_refuse(make: Callable[[], T], *errors: type[Exception], status: int = NOT_ALLOWED) -> T:
    """Return the result of make(). If make() raises one of `errors`, raise Refused with the error's text and `status`.

    To get the error's text in each language, make() is called again for each.
    """
    try:
        return make()
    except errors:
        raise Refused(status, in_each(lambda: _text_of_error(make, errors))) from None


def _text_of_error(make: Callable[[], object], errors: tuple[type[Exception], ...]) -> str:
    """Call make() again, and return the text of its error in the current language."""
    try:
        make()
    except errors as error:
        return sentence(shown(str(error)))
    return ""


def encoded(content: Any) -> str:
    """Return `content` as JSON text for a browser."""
    return json_line(content)


class Json(Response):
    """An HTTP response with a JSON text. Browsers may not cache it."""

    media_type = "application/json"

    def __init__(self, text: str, status: int = 200) -> None:
        super().__init__(text.encode("ascii"), status, NO_STORE)

    @classmethod
    def of(cls, refused: Refused) -> "Json":
        """Return the response for a refusal."""
        return cls(encoded({"error": refused.texts}), refused.status)
