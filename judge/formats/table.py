"""The formats, and which of them a file has: that is told by its content, whatever its name."""

from collections.abc import Callable
from dataclasses import dataclass

from judge.formats import contest_dots, hand, own, saiblo_connect_four, saiblo_reversi
from judge.formats.botzone_log import reading as botzone
from judge.formats.compete_log import reading as compete
from judge.formats.connect_four_detail import detail
from judge.formats.connect_four_detail.view import view
from judge.formats.documents import EMPTY_FILE, EXPECTED, Source
from judge.formats.logged import Reading
from judge.language import marked, recorded

A_KNOWN_FORMAT = recorded("a file of a known format")
SOMETHING_ELSE = recorded("something else: --format names one where it is told wrongly")


@dataclass(frozen=True)
class Format:
    """A format that can be read: `title` says what it is."""

    name: str
    title: str
    looks_like: Callable[[Source], bool]
    read: Callable[[Source], Reading]


# In the order in which a file is compared with them.
FORMATS = {
    found.name: found
    for found in (
        Format("record", marked("our own records"), own.looks_like, own.read),
        Format("saiblo-match", marked("a match detail of Saiblo"), detail.looks_like, detail.read),
        Format("saiblo", marked("a replay of Saiblo"), saiblo_connect_four.looks_like, saiblo_connect_four.read),
        Format("saiblo-reversi", marked("a replay of Saiblo, reversi"), saiblo_reversi.looks_like, saiblo_reversi.read),
        Format("compete", marked("what Compete prints"), compete.looks_like, compete.read),
        Format("compete-result", marked("Compete's result file"), compete.looks_like_results, compete.read_results),
        Format("contest", marked("lines of SAU's contest platform"), contest_dots.looks_like, contest_dots.read),
        Format("text", marked("text by hand"), hand.looks_like, hand.read),
        Format("botzone", marked("messages of Botzone"), botzone.looks_like, botzone.read),
    )
}
MATCH = "saiblo-match"
view_of_match = view
read_match = detail.read  # with the match's replay, for the last move


def format_of(source: Source) -> Format | None:
    """The format of a file, None where it has none of them."""
    return next((found for found in FORMATS.values() if found.looks_like(source)), None)


def unknown(source: Source) -> str:
    """Why a file has no format, as a problem's text."""
    found = SOMETHING_ELSE if source.text.strip() else EMPTY_FILE
    return EXPECTED.format(expected=A_KNOWN_FORMAT, found=found)
