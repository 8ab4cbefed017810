"""Reader and writer for games in hand-written text: the board, then the moves in the notation of `analyze --moves`.

    9x12 forbidden 0,8              the board; "reversi 8x8" and "dots 5x5" name the game, else the moves show it
    A: v7                           the players, optional
    B: v8
    first B                         the side that moved first, if not A
    4,4,3 5 2                       moves, separated by commas or blanks, on any number of lines
    result B TIME_FORFEIT           how the game ended, if the board does not show it; "result draw", "result VOID"
    # a remark

The next board begins the next game. "opening d3,c3" after the board's size lists moves made before the game. In dots
and boxes a word may be a whole turn, such as AABBCD. In reversi it may be several cells, such as F5D6C3; moves may be
numbered, as in 1. f5 d6, and PA names a pass.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from judge.formats.reading import DRAW, Claim, Fault, LoggedGame, Reading, Source, named
from judge.games import GAMES
from judge.games.game import OPENING, PASS, quoted, split_words
from judge.games.positions import AnyMove
from judge.language import recorded
from judge.play.scoresheet import in_order, opponent
from protocol.records.record import GameRecord, Player, Termination

HEADER = re.compile(r"(?:(?P<game>[a-z_]+)\s+)?(?P<rows>\d{1,3})\s*x\s*(?P<columns>\d{1,3})(?P<rest>(?:\s.*)?)", re.I)
NAME = re.compile(r"(?P<side>[AB])\s*:\s*(?P<name>.*)")
FIRST = re.compile(r"first\s+(?P<side>[AB])", re.I)
RESULT = re.compile(r"result(?:\s+(?:(?P<winner>[AB])|(?P<draw>draw)))?(?:\s+(?P<ending>[A-Z_]{3,}))?", re.I)
REMARK = "#"
MOVES_A_LINE = 20
# Texts of places and problems. JSON has them in English.
LINE = recorded("line {line}")
PART_OF_LINE = recorded("line {line}, in {part}")
NO_RESULT = recorded(
    "{found} is no result, expected a line such as: result A, result draw, result B TIME_FORFEIT, result VOID"
)


@dataclass
class _Draft:
    """A game whose lines are being read. `words` has (number of the line, word) for each word with moves."""

    line: int
    game: str | None
    rows: int
    columns: int
    rest: str
    first: str = "A"
    players: dict[str, Player] = field(default_factory=dict)
    words: list[tuple[int, str]] = field(default_factory=list)
    claim: Claim = Claim()
    is_refused: bool = False


def looks_like(source: Source) -> bool:
    """Return whether one of the lines names a board."""
    return any(_header(line) is not None for line in source.lines)


def read(source: Source) -> Reading:
    """Return the games in a text and the problems of the text."""
    reading = Reading()
    drafts: list[_Draft] = []
    for number, line in enumerate(source.lines, start=1):
        text = _without_remark(line)
        if not text or (drafts and drafts[-1].is_refused and _header(line) is None):
            continue
        try:
            _read_line(drafts, number, text)
        except Fault as fault:
            reading.complain(fault.place, str(fault))
            if drafts:
                drafts[-1].is_refused = True
    for draft in drafts:
        if not draft.is_refused:
            try:
                reading.games.append(_logged_game(draft))
            except Fault as fault:
                reading.complain(fault.place, str(fault))
    return reading


def _without_remark(line: str) -> str:
    return line.partition(REMARK)[0].strip()


def _header(line: str) -> re.Match[str] | None:
    """Return the match of HEADER if a line names a board, else None."""
    return HEADER.fullmatch(_without_remark(line))


def _read_line(drafts: list[_Draft], number: int, text: str) -> None:
    """Begin a new draft if a line names a board. Add any other line to the last draft.

    `text` is the line, and `number` is the line's number. Raises Fault if the line is wrong.
    """
    header = HEADER.fullmatch(text)
    if header is not None:
        game = header["game"] and header["game"].lower()
        drafts.append(_Draft(number, game, int(header["rows"]), int(header["columns"]), header["rest"].strip()))
        if game is not None and game not in GAMES:
            raise Fault(
                LINE.format(line=number),
                recorded("{name} is no game, expected one of {games}").format(
                    name=quoted(game), games=", ".join(GAMES)
                ),
            )
        return
    if not drafts:
        raise Fault(
            LINE.format(line=number),
            recorded(
                "{found} comes before the first board, expected a line such as 9x12 forbidden 0,8 before it"
            ).format(found=quoted(text)),
        )
    draft = drafts[-1]
    if match := NAME.fullmatch(text):
        draft.players[match["side"]] = named(_name_from_text(match["name"]))
    elif match := FIRST.fullmatch(text):
        draft.first = match["side"].upper()
    elif text.lower().startswith("result"):
        draft.claim = _claim(number, text)
    else:
        draft.words += [(number, word) for word in split_words(text)]


def _claim(number: int, text: str) -> Claim:
    """Return the Claim in `text`, a line that begins with "result". Raises Fault if the line is wrong.

    `number` is the number of the line.
    """
    match = RESULT.fullmatch(text)
    ending = match and match["ending"] and match["ending"].upper()
    if match is None or (ending and ending not in Termination.__members__):
        raise Fault(LINE.format(line=number), NO_RESULT.format(found=quoted(text)))
    result = match["winner"].upper() if match["winner"] else DRAW if match["draw"] else None
    termination = Termination(ending) if ending else None
    if termination is not None and not termination.counts:
        return Claim(None, termination)
    is_forfeit = termination is not None and termination.fault is not None
    if result is None or (result == DRAW and (is_forfeit or termination is Termination.RESIGNATION)):
        raise Fault(LINE.format(line=number), NO_RESULT.format(found=quoted(text)))
    return Claim(result, termination, opponent(result) if is_forfeit else None)


def _logged_game(draft: _Draft) -> LoggedGame:
    """Return the game that a complete draft describes. Raises Fault if a line of the draft is wrong."""
    game = draft.game or _game_of(draft)
    notation = GAMES[game].notation
    moves: list[AnyMove] = []
    places: list[str] = []
    sides: list[str] = []
    order, turn = in_order(draft.first), 0  # a pass is a turn, but no move of a record
    line = draft.line
    try:
        board: dict[str, Any] = notation.read_board(draft.rows, draft.columns, draft.rest)
        for line, word in draft.words:
            for move in notation.read_word(word):
                if move != PASS:
                    moves.append(move)
                    places.append(LINE.format(line=line))
                    sides.append(order[turn % 2])
                turn += 1
    except ValueError as error:
        raise Fault(LINE.format(line=line), str(error)) from None
    return LoggedGame(
        place=LINE.format(line=draft.line),
        game=game,
        board=board,
        moves=tuple(moves),
        claim=draft.claim,
        first=draft.first,
        sides=tuple(sides) if turn > len(moves) and not board.get("opening") else (),
        move_places=tuple(places),
        players=(draft.players.get("A"), draft.players.get("B")),
    )


def _game_of(draft: _Draft) -> str:
    """Return the name of the draft's game, which its board or first move shows. Raises Fault if neither shows it."""
    words = [word for _line, word in draft.words]
    if opening := OPENING.fullmatch(draft.rest):
        words = split_words(opening["moves"]) + words
    for name, game in GAMES.items():
        own_rest = game.notation.own_rest
        if own_rest is not None and own_rest.fullmatch(draft.rest):
            return name
        if words and game.notation.word.fullmatch(words[0]):
            return name
    wrong = recorded("the game is not named: write its name before the size, as in {example}")
    raise Fault(LINE.format(line=draft.line), wrong.format(example="reversi 8x8"))


def write(record: GameRecord) -> str:
    """Return the text of a game in the form that read() reads, with an empty line at the end.

    Precondition: the record is valid.
    """
    lines = [f"{record.game} {GAMES[record.game].notation.write_board(record.board)}"]
    lines += [f"{side}: {_name_in_text(player.name)}" for side, player in zip("AB", record.players, strict=True)]
    if record.first == "B":
        lines.append("first B")
    moves = [str(move.move) for move in record.moves]
    lines += [",".join(moves[start : start + MOVES_A_LINE]) for start in range(0, len(moves), MOVES_A_LINE)]
    result = f" {record.winner or DRAW}" if record.termination.counts else ""
    lines.append(f"result{result} {record.termination}")
    return "".join(f"{line}\n" for line in [*lines, ""])


def moves_text(record: GameRecord) -> str:
    """Return a text with the moves of a record, separated by commas."""
    return ",".join(str(move.move) for move in record.moves)


def _name_in_text(name: str) -> str:
    """Return `name` unchanged if read() would read the name back correctly, else as a JSON string."""
    is_plain = name.isprintable() and name and name == name.strip() and not name.startswith('"') and REMARK not in name
    return name if is_plain else json.dumps(name).replace(REMARK, "\\u0023")


def _name_from_text(text: str) -> str:
    """Return a player's name from its text, which may be a JSON string; see _name_in_text()."""
    try:
        name = json.loads(text) if text.startswith('"') else text
    except ValueError:
        return text
    return name if isinstance(name, str) else text
