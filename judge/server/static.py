"""The files that browsers ask for: the shell of every page, and the modules and styles below two folders of assets."""

import re
from pathlib import Path

from starlette.responses import Response

from judge.language import marked
from judge.pages.modules import ASSETS as OF_VIEW
from judge.server.refusals import NOT_FOUND, refusal

OF_SERVE = Path(__file__).with_name("assets")
FOLDERS = {"view": OF_VIEW, "serve": OF_SERVE}
SHELL = OF_SERVE / "shell.html"
NAME = re.compile(r"(?:[a-z0-9_]+/){0,3}[a-z0-9_]+(?P<suffix>\.js|\.css)")
TYPES = {".js": "text/javascript", ".css": "text/css"}
CHECKED_EACH_TIME = {"cache-control": "no-cache"}  # who updates the program gets its new pages
NOTHING_THERE = marked("there is nothing at this address")


def shell() -> Response:
    """The HTML of every page."""
    return Response(SHELL.read_bytes(), 200, CHECKED_EACH_TIME, "text/html")


def asset(room: str, name: str) -> Response:
    """A module or a style. Raises Refused where there is none of that name."""
    found = NAME.fullmatch(name)
    if room not in FOLDERS or found is None:
        raise refusal(NOT_FOUND, NOTHING_THERE)
    try:
        content = (FOLDERS[room] / name).read_bytes()
    except OSError:
        raise refusal(NOT_FOUND, NOTHING_THERE) from None
    return Response(content, 200, CHECKED_EACH_TIME, TYPES[found["suffix"]])
