"""The lines of Compete's log as games."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from judge.formats.compete_log import boards
from judge.formats.compete_log.verdicts import claim_of
from judge.formats.documents import Source
from judge.formats.hand import LINE
from judge.formats.logged import Claim, LoggedGame, Reading
from judge.games import DEFAULT_GAME
from judge.language import recorded

FIRST = re.compile(r"([AB]) first:")
SIZE = re.compile(r"M = (\d{1,3}), N = (\d{1,3})")
ROW = re.compile(r"[ABX.](?: [ABX.])+")
NO_PRINTS_END = "ABX. "  # a longer row than there are columns
RESULT_LINE = re.compile(r"-?\d\t\d+\t\d+")
# Problems, as JSON keeps them.
NO_BOARD = recorded("no board is printed for this game")
OTHER_ROWS = recorded("a board of {found}, expected {expected}")
NO_MOVES = recorded("this is Compete's result file: it has results and no moves; what Compete prints has the boards")
NO_LOG = recorded("no game is in it: expected lines such as A first:")


@dataclass
class _Game:
    """The lines of one game."""

    line: int
    first: str
    size: tuple[int, int] | None
    rows: list[tuple[int, str]] = field(default_factory=list)
    claim: Claim = Claim()


def looks_like(source: Source) -> bool:
    """Whether a line says who begins."""
    return any(FIRST.fullmatch(line.strip()) for line in source.lines)


def looks_like_results(source: Source) -> bool:
    """Whether the text is a result file."""
    return any(RESULT_LINE.fullmatch(line.strip()) for line in source.lines)


def read_results(source: Source) -> Reading:
    """Nothing, and why."""
    reading = Reading()
    reading.complain("", NO_MOVES)
    return reading


def read(source: Source) -> Reading:
    """The games of a log."""
    reading = Reading()
    games = _games(source.lines)
    if not games:
        reading.complain("", NO_LOG)
    for game in games:
        place = LINE.format(line=game.line)
        try:
            reading.games.append(_logged(game, place))
        except (boards.Impossible, ValueError) as fault:
            reading.complain(place, str(fault))
    return reading


def _games(lines: Iterable[str]) -> list[_Game]:
    found: list[_Game] = []
    size: tuple[int, int] | None = None
    is_open = False
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if match := SIZE.fullmatch(text):
            size = int(match[1]), int(match[2])
        elif match := FIRST.fullmatch(text):
            found.append(_Game(number, match[1], size))
            is_open = True
        elif is_open and (row := _row(text, size)):
            found[-1].rows.append((number, row))
        elif is_open and (claim := claim_of(text)) is not None:
            found[-1].claim = claim
            is_open = False
    return found


def _row(text: str, size: tuple[int, int] | None) -> str:
    """The marks of a row of a board; "" for another line. What a library has printed may stand before them."""
    if size is not None and size[1]:
        before, text = text[: -2 * size[1] + 1], text[-2 * size[1] + 1 :]
        if before and before[-1] in NO_PRINTS_END:
            return ""
    return text.replace(" ", "") if ROW.fullmatch(text) else ""


def _logged(game: _Game, place: str) -> LoggedGame:
    """The game with an order of its moves. Raises boards.Impossible."""
    printed = _boards(game)
    board, order, is_one = boards.moves_of(printed, game.first)
    return LoggedGame(
        place=place,
        game=DEFAULT_GAME,
        board=board,
        moves=tuple(order),
        claim=game.claim,
        first=game.first,
        is_one_order=not is_one,
    )


def _boards(game: _Game) -> list[list[str]]:
    """The boards of a game, each the rows from the top. Raises boards.Impossible."""
    if not game.rows:
        raise boards.Impossible(NO_BOARD)
    height = game.size[0] if game.size else len(game.rows)
    width = game.size[1] if game.size else len(game.rows[0][1])
    texts = [text for _line, text in game.rows]
    if height == 0 or len(texts) % height or any(len(text) != width for text in texts):
        found = f"{len(texts)} x {max(map(len, texts))}"
        raise boards.Impossible(OTHER_ROWS.format(found=found, expected=f"{height} x {width}"))
    return [texts[start : start + height] for start in range(0, len(texts), height)]
