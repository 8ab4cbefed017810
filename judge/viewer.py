"""Full-screen viewer of a recorded game. Single keys move through its positions, up to the first illegal move.

The terminal is restored at the end, also after exceptions.
"""

import contextlib
import copy
import itertools
import os
import select
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from judge import terminal
from judge.games import GAMES
from judge.games.game import AnyGame
from judge.games.positions import IllegalMove, Position
from judge.language import _, marked, shown
from judge.play.recheck import disagreements, new_position
from judge.play.scoresheet import in_order
from judge.play.screen import move_in_words, result_in_words, stated_value
from judge.reports import forfeits
from judge.terminal import lines_of, sentence
from protocol.records.record import GameRecord

if TYPE_CHECKING:
    from prompt_toolkit.input.vt100 import Vt100Input

# Keys have the names of prompt_toolkit. While it reads keys, the terminal sends no signals for these three.
SIGNAL_KEYS = {"c-c": signal.SIGINT, "c-\\": signal.SIGQUIT, "c-z": signal.SIGTSTP}
DELAYED = (*SIGNAL_KEYS.values(), signal.SIGTERM, signal.SIGHUP)
ENTER = ("c-m", "c-j")
ESCAPE = "escape"
FORWARD = ("right", " ", "l", "n", *ENTER)
BACK = ("left", "h", "p")
FIRST = ("home", "g")
LAST = ("end", "G")
LEAVE = ("q", "Q", ESCAPE)
HELP = marked("keys: next space right l n  back left h p  first/last g G  ply 12 Enter  quit q")
MOST_DIGITS = 4
BLOCKS = "▁▂▃▄▅▆▇█"  # characters for values, from lost to won
ASCII_LEVELS = "_.,-~=*#"  # characters for values on a terminal without Unicode, from lost to won
STYLES = {"A": "cyan", "B": "magenta"}
GAP = 3  # columns between the board and the text beside it
LEAST_BESIDE = 24  # if fewer columns are free beside the board, text stands above the board
CURVE_ROWS = 3  # a row for the curve of each side, and a row for the mark below the curves
ROWS_ABOVE = 2  # the rows of text above the board that are more important than curves
VALUE_WIDTH = len("A X +0.12 ")  # columns before a curve, for its side, stone and value
PLAIN_TERMINALS = ("", "dumb", "unknown")  # values of TERM for terminals without a movable cursor


class RecordedPositions:
    """A record with its positions. Position 0 is before the first move, and position N is after ply N.

    `last` is the number of the last position. If the moves from some ply on are not legal and have no positions,
    `refusal` says why; otherwise it is "". Raises ValueError for an unknown game or board.
    """

    def __init__(self, record: GameRecord) -> None:
        self.record = record
        position = new_position(record)
        self.game: AnyGame = GAMES[record.game]
        self._positions: list[Position] = [position]
        self._sides: list[str] = []  # for each move, the side that made the move by the rules
        self.refusal = ""
        for ply, move in enumerate(record.moves, start=1):
            position = copy.deepcopy(position)
            mover = position.to_move
            try:
                position.play(move.move)
            except (ValueError, IllegalMove) as error:
                refusal = _("the moves from ply {ply} on cannot be shown: {error}")
                self.refusal = refusal.format(ply=ply, error=sentence(shown(str(error))))
                break
            self._positions.append(position)
            self._sides.append(in_order(record.first)[mover])

    @property
    def last(self) -> int:
        """The number of the last position."""
        return len(self._positions) - 1

    def position(self, ply: int) -> Position:
        """Return the position after ply `ply`, from 0 to `last`. The caller must not change the position."""
        return self._positions[ply]

    def move_in_words(self, ply: int) -> str:
        """Return one line on the move that led to position `ply`, from 0 to `last`.

        For position 0 the line says that no move was made yet.
        """
        if ply == 0:
            return _("before the first move")
        played = self.game.move_in_words(self.position(ply))
        return move_in_words(ply, self._sides[ply - 1], played, self.record.moves[ply - 1])


class Browser:
    """The viewer's state, without its display.

    `ply` is the number of the position that is shown, from 0 (at first) to `last`. `typed` has the digits typed so far
    of the ply to which Enter will go. `message` is the answer to the last key. `helps` says whether the list of keys is
    shown.
    """

    def __init__(self, last: int) -> None:
        self.last = last
        self.ply = 0
        self.typed = ""
        self.message = ""
        self.helps = False

    def press(self, key: str) -> bool:
        """Handle a key. Returns False if the key leaves the viewer.

        An unknown key only clears the digits typed and the message.
        """
        self.message = ""
        if key.isascii() and key.isdigit():
            self.typed = (self.typed + key)[:MOST_DIGITS]
            return True
        typed, self.typed = self.typed, ""
        target_of_key = {
            **dict.fromkeys(FORWARD, self.ply + 1),
            **dict.fromkeys(BACK, self.ply - 1),
            **dict.fromkeys(FIRST, 0),
            **dict.fromkeys(LAST, self.last),
        }
        if typed and key in ENTER:
            if int(typed) <= self.last:
                self.ply = int(typed)
            else:
                message = _("there is no ply {ply}, the last ply is {last}")
                self.message = message.format(ply=int(typed), last=self.last)
        elif typed and key == "c-h":  # Backspace
            self.typed = typed[:-1]
        elif typed and key == ESCAPE:
            pass  # the key only clears the number
        elif key in LEAVE:
            return False
        elif key in target_of_key:
            self.ply = min(self.last, max(0, target_of_key[key]))
        elif key == "?":
            self.helps = not self.helps
        return True

    def prompt(self) -> str:
        """Return the last line of the screen.

        It has the digits typed, or else the message, or else the list of keys or the ply that is shown.
        """
        if self.typed:
            return _("press Enter to go to ply {ply}").format(ply=self.typed)
        if self.message:
            return self.message
        if self.helps:
            return _(HELP)
        return _("ply {ply} of {last}   ?: list of keys, q: quit").format(ply=self.ply, last=self.last)


def values_of(record: GameRecord, side: str, plies: int) -> list[float | None]:
    """Return, for each of the first `plies` plies, the latest value that `side` had stated, or None if it had not yet.

    A value is from the point of view of `side`, from -1 (lost) to 1 (won). A value outside this range is replaced by -1
    or 1.
    """
    values: list[float | None] = []
    latest = None
    for move in record.moves[:plies]:
        stated = stated_value(move.report) if move.side == side else None
        latest = latest if stated is None else min(1.0, max(-1.0, stated))
        values.append(latest)
    return values


def column_of(ply: int, plies: int, width: int) -> int:
    """Return the column, from 0, of ply `ply`, from 1, in a curve of `plies` plies and at most `width` columns.

    If `plies` is larger than `width`, several plies share a column.
    """
    return ply - 1 if plies <= width else (ply - 1) * width // plies


def curve(values: list[float | None], side: str, ply: int, width: int, levels: str = BLOCKS) -> Text:
    """Return a curve of the values: a row of at most `width` characters, with the column of ply `ply` marked.

    `levels` are the characters for values, from lost to won; a value that is None is a blank. If several plies share a
    column, it shows the value of the last of them. The marked column always shows the value of ply `ply`.
    """
    value_at = {column_of(number, len(values), width): value for number, value in enumerate(values, start=1)}
    current = column_of(ply, len(values), width) if ply else -1
    if ply:
        value_at[current] = values[ply - 1]
    drawn = Text(no_wrap=True)
    for column, value in value_at.items():
        # Terminals without colours have "reverse", too.
        style = STYLES[side] + (" reverse" if column == current else " dim" if column > current else "")
        drawn.append(" " if value is None else _level(value, levels), style)
    return drawn


def line_with_mark(plies: int, ply: int, width: int) -> str:
    """Return the line below the curves, which has a mark in the column of ply `ply`. It is "" for ply 0."""
    return " " * column_of(ply, plies, width) + "^" if ply else ""


def _level(value: float, levels: str) -> str:
    """Return the one of `levels`, from lost to won, for a value from -1 to 1."""
    return levels[min(len(levels) - 1, int((value + 1) / 2 * len(levels)))]


class GameView:
    """Renders the screen of a game. `title` is a line that identifies the game. `console` wraps the text."""

    def __init__(self, positions: RecordedPositions, title: str, console: Console) -> None:
        record = positions.record
        self._positions, self._title, self._console = positions, title, console
        self._first = record.moves[0].side if record.moves else record.first  # the side that moved first
        stones = zip(in_order(record.first), positions.game.stones, strict=True)
        self._names = {side: f"{side} {stone}" for side, stone in stones}  # such as "A X"
        values = {side: values_of(record, side, positions.last) for side in "AB"}
        self._values = {side: stated for side, stated in values.items() if any(value is not None for value in stated)}
        self._levels = BLOCKS if console.encoding.startswith("utf") else ASCII_LEVELS
        self.result = [result_in_words(record), *forfeits.notes(record), *check_lines(record)]

    def lines(self, browser: Browser, width: int, height: int) -> list[Text]:
        """Return the screen as `height` lines of at most `width` columns."""
        rendering = self._positions.game.rendering(self._positions.position(browser.ply))
        board = [line.copy() for line in rendering.split("\n")]
        columns = max(line.cell_len for line in board)
        if columns > width or len(board) + 2 > height:
            return self._too_small(columns, len(board) + 2, width, height)
        spare = height - len(board) - 2  # the rows that the board, the move and the prompt leave free
        beside = width - columns - GAP
        above: list[Text] = []
        if beside < LEAST_BESIDE:
            rows_above = max(spare - CURVE_ROWS, min(spare, ROWS_ABOVE))
            above = self._wrapped(self._result(browser), width, rows_above) or self._players()[:rows_above]
        curves = self._curves(browser.ply, width)[: spare - len(above)]
        rows = height - 2 - len(above) - len(curves)  # for the board and the text beside it
        if beside >= LEAST_BESIDE:
            board = _side_by_side(board, self._wrapped([*self._result(browser), *self._about()], beside, rows), columns)
        has_gap = len(board) < rows
        move = Text(self._positions.move_in_words(browser.ply))
        prompt = Text(browser.prompt(), "bold" if browser.typed or browser.message else "dim")
        screen = [*above, *board, *[Text()] * has_gap, move, *curves]
        screen += [*[Text() for _ in range(height - len(screen) - 1)], prompt]
        for line in screen:
            line.truncate(width, overflow="ellipsis")
        return screen

    def _too_small(self, columns: int, rows: int, width: int, height: int) -> list[Text]:
        """Return the screen that says that the board does not fit."""
        needed = _(
            "the board needs {columns} columns and {rows} rows, this terminal has {width} and "
            "{height}: enlarge it, or quit with q"
        )
        text = Text(needed.format(columns=columns, rows=rows, width=width, height=height))
        lines = self._broken(text, max(width, 1))[:height]
        return [*lines, *[Text()] * (height - len(lines))]

    def _about(self) -> list[Text]:
        """Return lines with the title, the time, the players and who moved first."""
        record = self._positions.record
        lines = [Text(self._title, "bold"), Text(terminal.printable(record.started), "dim")]
        for side, player in zip("AB", record.players, strict=True):
            lines.append(Text(f"{self._names[side]} {terminal.printable(player.name)}"))
            if player.version is not None:
                lines.append(Text(f"    {terminal.printable(player.version)}", "dim"))
        return [*lines, Text(_("{side} moves first").format(side=self._first))]

    def _players(self) -> list[Text]:
        """Return two lines for a narrow screen: a line that says who plays and who moves first, and the title."""
        names = [
            f"{self._names[side]} {terminal.printable(player.name)}"
            for side, player in zip("AB", self._positions.record.players, strict=True)
        ]
        heading = _("{side} moves first: {first} against {second}")
        return [Text(heading.format(side=self._first, first=names[0], second=names[1])), Text(self._title, "dim")]

    def _result(self, browser: Browser) -> list[Text]:
        """Return the lines on how the game ended if the last position is shown, else []."""
        return [Text(line) for line in self.result] if browser.ply == self._positions.last else []

    def _curves(self, ply: int, width: int) -> list[Text]:
        """Return a curve for each side that states values, and the line with the mark below them.

        Returns [] if no side states values, or if the screen is too narrow.
        """
        room = width - VALUE_WIDTH
        if not self._values or room < 1:
            return []
        rows = []
        for side, values in self._values.items():
            value = values[ply - 1] if ply else None
            label = Text(f"{self._names[side]} {'' if value is None else f'{value:+.2f}':5} ")
            rows.append(label + curve(values, side, ply, room, self._levels))
        return [*rows, Text(" " * VALUE_WIDTH + line_with_mark(self._positions.last, ply, room), "dim")]

    def _wrapped(self, lines: Iterable[Text], width: int, height: int) -> list[Text]:
        """Return the lines wrapped at `width` columns.

        If there are more than `height` lines then, only `height` are returned, and the last of them says so.
        """
        wrapped = [part for line in lines for part in self._broken(line, width)]
        if len(wrapped) > height:
            wrapped = [*wrapped[: height - 1], Text(_("(press q for the rest)"), "dim")]
        return wrapped[:height]

    def _broken(self, line: Text, width: int) -> list[Text]:
        """Return the line wrapped at `width` columns. Chinese may be broken between any two characters."""
        lines = [line] if line.plain.isascii() else [Text(part, line.style) for part in lines_of(line.plain, width)]
        return [wrapped for each in lines for wrapped in each.wrap(self._console, width)]


def check_lines(record: GameRecord) -> list[str]:
    """Return lines that say that the rules agree with the record, or where they disagree."""
    sentences = disagreements(record)
    line = _("The record disagrees with the rules: {sentence}")
    return [line.format(sentence=terminal.sentence(sentence)) for sentence in sentences] or [
        _("The rules agree with the record.")
    ]


def _side_by_side(board: Sequence[Text], beside: Sequence[Text], columns: int) -> list[Text]:
    """Return the board's lines, each `columns` wide, with the lines `beside` to their right.

    If `beside` has more lines than the board, the remaining lines follow below the board, at the same distance from the
    left.
    """
    lines = []
    for row, text in itertools.zip_longest(board, beside, fillvalue=Text()):
        line = row.copy()
        line.pad_right(columns + GAP - line.cell_len)
        lines.append(line.append_text(text))
    return lines


def can_run(console: Console) -> bool:
    """Return whether the viewer can run. It needs terminals at stdin and stdout whose cursor can be moved."""
    return (
        os.environ.get("TERM", "").lower() not in PLAIN_TERMINALS
        and console.is_interactive
        and console.is_terminal
        and sys.stdin.isatty()
        and sys.stdout.isatty()
    )


def view(positions: RecordedPositions, title: str, begin: int = 0) -> None:
    """Show the game, at first position `begin`, until the user leaves the viewer or closes the terminal.

    The terminal is restored at the end, after any exception, and before a signal ends or stops this process.
    Call this function in the main thread only.
    """
    from prompt_toolkit.input.vt100 import Vt100Input  # not above, because the import takes long

    console = terminal.console()  # a separate console, because its size is set
    game_view, browser, keyboard = GameView(positions, title, console), Browser(positions.last), Vt100Input(sys.stdin)
    browser.ply = begin
    has_left = False
    while not has_left:
        with _delayed_signals() as signals:
            has_left = _show_until_left(game_view, browser, keyboard, console, signals)


@contextlib.contextmanager
def _delayed_signals() -> Iterator[list[int]]:
    """Yield a list to which signals in DELAYED are added. After the `with` block they have their usual effect."""
    signals: list[int] = []
    previous = {number: signal.signal(number, lambda number, _frame: signals.append(number)) for number in DELAYED}
    try:
        yield signals
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        for received in signals:
            signal.raise_signal(received)


def _show_until_left(
    game_view: GameView, browser: Browser, keyboard: "Vt100Input", console: Console, signals: list[int]
) -> bool:
    """Show the game until the user leaves the viewer, the terminal is closed, or `signals` is no longer empty.

    Returns True if the user has left the viewer or the terminal is closed.
    """
    keys: list[str] = []
    drawn_size = None
    live = Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
    with keyboard.raw_mode(), live:
        while not signals and not keyboard.closed:
            size = os.get_terminal_size(sys.stdout.fileno())
            if keys or size != drawn_size:
                drawn_size = size
                width, height = size.columns or 80, size.lines or 24  # some terminals report 0 x 0
                console.size = (width, height)
                live.update(Group(*game_view.lines(browser, width, height)), refresh=True)
            # The timeout is for the key Esc, with which other keys begin, and for signals and new sizes.
            ready = select.select([keyboard], [], [], 0.1)[0]
            keys = [press.key for press in (keyboard.read_keys() if ready else keyboard.flush_keys())]
            if ESCAPE in keys:  # with others it means a key with Alt or an unknown key, which the Browser does not know
                keys = ["+".join(keys)]
            for key in keys:
                if key in SIGNAL_KEYS:
                    os.kill(0, SIGNAL_KEYS[key])  # to the process group, as a terminal does
                elif not browser.press(key):
                    return True
    return keyboard.closed
