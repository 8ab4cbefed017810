"""Reader for games of dots and boxes in the lines between SAU's contest platform and its engines.

    new black                       a game begins
    move 1 AAA                      a turn of black with all its edges
    move 2 ABACCD                   a turn of white

A file must have the turns of both sides. The lines that one engine receives have only the other side's turns; a file of
such lines is reported as a problem. A line may begin with > or <, or with a NUL, which old versions of the platform
send. Our own judge writes "board RxC EDGES" if the board is not the usual one.
"""

import re

from judge.formats.reading import LoggedGame, Reading, Source
from judge.formats.text import LINE
from judge.games.dots.rules import Dots
from judge.games.positions import IllegalMove
from judge.language import recorded
from protocol.errors import RemoteProtocolError
from protocol.games.dots import DEFAULT_SIZE, edges_from

GAME = "dots"
AROUND_LINES = " \t\0<>"  # characters that are removed from both ends of a line
NAME = re.compile(r"name\s+\S")  # the engine's answer to the question for its name
NEW = re.compile(r"new\s+(?:black|white)", re.IGNORECASE)
TURN = re.compile(r"move(?:\s+\d{1,3})?\s+(?:[AB][A-H][A-H])+", re.IGNORECASE)
MOVE = re.compile(r"move(?:\s+(?P<count>\d{1,3}))?\s+(?P<edges>[A-Z]+)", re.IGNORECASE)
BOARD = re.compile(r"board\s+(?P<rows>\d{1,3})x(?P<columns>\d{1,3})(?:\s+(?P<edges>\S+))?", re.IGNORECASE)


class _Game:
    """A game whose lines are being read. `line` is the number of its first line."""

    def __init__(self, line: int, rows: int, columns: int, opening: tuple[str, ...] = ()) -> None:
        """Begin a game without moves. `line` is the number of the file's line on which the game begins."""
        self.line, self.rows, self.columns, self.opening = line, rows, columns, opening
        self.position = Dots(rows, columns, opening)
        self.moves: list[str] = []
        self.places: list[str] = []
        self.has_turns = False  # becomes True with the first turn, even if the game was refused before
        self.is_refused = False

    def add_turn(self, line: int, count: str | None, edges: tuple[str, ...]) -> None:
        """Add the turn with the edges `edges`, which is in line number `line`.

        `count` is the number of edges that the line states, or None if it states none. Raises ValueError or IllegalMove
        if the turn is wrong.
        """
        if count is not None and int(count) != len(edges):
            raise ValueError(
                recorded("the line says that it has {number} edges, but it has {found}").format(
                    number=count, found=len(edges)
                )
            )
        player = self.position.to_move
        for edge in edges:
            if self.position.to_move != player:
                raise ValueError(
                    recorded("the turn has edges after the edge that ends it: the file lacks turns of one side")
                )
            self.position.play(edge)
            self.moves.append(edge)
            self.places.append(LINE.format(line=line))
        if self.position.to_move == player and not self.position.over:
            raise ValueError(
                recorded("the turn stops though its last edge completed a box: the file lacks turns of one side")
            )


def looks_like(source: Source) -> bool:
    """Return whether one of the lines begins a game or is a turn."""
    return any(NEW.fullmatch(text) or TURN.fullmatch(text) for text in _texts(source))


def _texts(source: Source) -> list[str]:
    """Return the lines of a file without the characters AROUND_LINES."""
    return [line.strip(AROUND_LINES) for line in source.lines]


def read(source: Source) -> Reading:
    """Return the games in a file and its problems."""
    reading = Reading()
    texts = _texts(source)
    if any(text.lower() == "name?" for text in texts) and not any(NAME.match(text.lower()) for text in texts):
        reading.complain(
            "",
            recorded(
                "the file has only the lines that one engine received, which are the other side's turns: "
                "expected the turns of both sides"
            ),
        )
        return reading
    games: list[_Game] = []
    for number, text in enumerate(texts, start=1):
        try:
            _read_line(games, number, text)
        except (ValueError, IllegalMove, RemoteProtocolError) as error:
            if BOARD.fullmatch(text):
                _begin_game(games, _Game(number, *DEFAULT_SIZE))  # the board of the following turns is unknown
            if games:
                games[-1].is_refused = True
            reading.complain(LINE.format(line=number), str(error))
    games = [game for game in games if game.moves or game.is_refused]
    if not games and not reading.problems:
        reading.complain("", recorded('the file has no game: expected lines such as "move 1 AAA"'))
    for game in games:
        if not game.is_refused:
            board = {"rows": game.rows, "columns": game.columns, "opening": list(game.opening)}
            place = LINE.format(line=game.line)
            reading.games.append(LoggedGame(place, GAME, board, tuple(game.moves), move_places=tuple(game.places)))
    return reading


def _begin_game(games: list[_Game], game: _Game) -> None:
    """Add a game to `games`. It replaces the last game if that game has no turns yet."""
    if games and not games[-1].has_turns:
        games.pop()
    games.append(game)


def _read_line(games: list[_Game], number: int, text: str) -> None:
    """Add to `games` what a line says: a board, a new game or a turn. Any other line is ignored.

    `text` is the line, and `number` is the line's number. Raises ValueError, IllegalMove or RemoteProtocolError for a
    wrong line.
    """
    if board := BOARD.fullmatch(text):
        rows, columns = int(board["rows"]), int(board["columns"])
        opening = edges_from(board["edges"].upper(), "board", rows, columns) if board["edges"] else ()
        _begin_game(games, _Game(number, rows, columns, opening))
    elif NEW.fullmatch(text):
        if not games or games[-1].has_turns:  # each side gets a `new` for the same game
            games.append(_Game(number, *DEFAULT_SIZE))
    elif move := MOVE.fullmatch(text):
        if not games:
            games.append(_Game(number, *DEFAULT_SIZE))
        games[-1].has_turns = True
        if not games[-1].is_refused:
            games[-1].add_turn(number, move["count"], edges_from(move["edges"].upper(), "move"))
