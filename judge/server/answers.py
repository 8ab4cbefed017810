"""Answers as JSON: ASCII, strict, the same on every road, HTTP's and WebSocket's."""

from typing import Any

from starlette.responses import Response

from judge.server.refusals import Refused
from judge.terminal import json_line

NO_STORE = {"cache-control": "no-store"}


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
