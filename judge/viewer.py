"""Full-screen viewer of a recorded game. Single keys move through its positions, up to the first illegal move.

The terminal is restored at the end, also after exceptions.
"""

import contextlib
import copy
import os
import re
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterable, Iterator, Sequence
from types import FrameType

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

LEFT, RIGHT, HOME, END, ENTER, ESCAPE, BACKSPACE, OTHER = (
    "left",
    "right",
    "home",
    "end",
    "enter",
    "escape",
    "backspace",
    "other",
)
_ESC = "\x1b"
_SEQUENCES = {
    **dict.fromkeys(("[C", "OC"), RIGHT),
    **dict.fromkeys(("[D", "OD"), LEFT),
    **dict.fromkeys(("[H", "OH", "[1~", "[7~"), HOME),
    **dict.fromkeys(("[F", "OF", "[4~", "[8~"), END),
}
_SINGLE = {"\r": ENTER, "\n": ENTER, "\x7f": BACKSPACE, "\b": BACKSPACE}
# A complete control sequence, and the beginning of a control sequence. ESC and another character are a key with Alt.
_WHOLE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|O[@-~]|[^\[O])")
_BEGUN = re.compile(r"\x1b(\[[0-?]*[ -/]*|O)?$")
_LONGEST = 32  # the most characters of a control sequence; anything longer is not taken for a control sequence
ESCAPE_S = 0.1  # if nothing follows an ESC for so long, it is the key Esc
# SIGINT is handled between two renderings, too: an exception during a rendering could be lost in rich's code.
HANDLED = (signal.SIGINT, signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT, signal.SIGTERM, signal.SIGHUP)
_BLOCK = 1024
FORWARD = (RIGHT, " ", "l", "n", ENTER)
BACK = (LEFT, "h", "p")
FIRST = (HOME, "g")
LAST = (END, "G")
LEAVE = ("q", "Q", ESCAPE)
HELP_KEY = "?"
HELP = marked("on: space right l n   back: left h p   ends: g G   ply: 12 Enter   leave: q")
MOST_DIGITS = 4
BLOCKS = "▁▂▃▄▅▆▇█"  # characters for values, from lost to won
ASCII_LEVELS = "_.,-~=*#"  # characters for values on a terminal without Unicode, from lost to won
NOTHING = " "
MARK = "^"
STYLES = {"A": "cyan", "B": "magenta"}
STILL_TO_COME = " dim"  # the style of plies after the current one
HERE = " reverse"  # the style of the current ply, an attribute that terminals without colours have, too
GAP = 3  # columns between the board and the text beside it
LEAST_BESIDE = 24  # if there are fewer columns beside the board, text is above the board
CURVE_ROWS = 3  # a row for the curve of each side, and a row for the mark below the curves
ROWS_ABOVE = 2  # so many rows of text above the board are more important than curves
VALUE_WIDTH = len("A X +0.12 ")
NO_TERMINALS = ("", "dumb", "unknown")
USUAL_SIZE = (80, 24)  # the size that a terminal is assumed to have if it reports none


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
                refusal = _("ply {ply} cannot be shown: {error}")
                self.refusal = refusal.format(ply=ply, error=sentence(shown(str(error))))
                break
            self._positions.append(position)
            self._sides.append(in_order(record.first)[mover])

    @property
    def last(self) -> int:
        return len(self._positions) - 1

    def position(self, ply: int) -> Position:
        """Return the position after ply `ply`. The caller must not change the position.

        Raises IndexError if `ply` is not in 0..last.
        """
        if not 0 <= ply <= self.last:
            raise IndexError(f"ply {ply} is outside 0..{self.last}")
        return self._positions[ply]

    def move_in_words(self, ply: int) -> str:
        """Return one line on the move that led to position `ply`.

        For position 0 the line says that no move was made yet. Raises IndexError if `ply` is not in 0..last.
        """
        position = self.position(ply)
        if ply == 0:
            return _("before the first move")
        played = self.game.move_in_words(position)
        return move_in_words(ply, self._sides[ply - 1], played, self.record.moves[ply - 1])


class KeyReader:
    """Decodes bytes of a terminal to keys. A key is a printable character or a name such as LEFT, RIGHT or OTHER."""

    def __init__(self) -> None:
        self._text = ""

    @property
    def is_open(self) -> bool:
        """Whether a control sequence has begun that is not complete yet."""
        return bool(self._text)

    def feed(self, data: bytes) -> list[str]:
        """Add bytes from the terminal and return the keys that are complete now."""
        self._text += data.decode("latin-1")  # all keys with a meaning are ASCII
        keys: list[str] = []
        while self._text:
            if self._text[0] != _ESC:
                character, self._text = self._text[0], self._text[1:]
                keys.append(_SINGLE.get(character, character if character.isprintable() else OTHER))
            elif sequence := _WHOLE.match(self._text):
                keys.append(_SEQUENCES.get(sequence.group(1), OTHER))
                self._text = self._text[sequence.end() :]
            elif _BEGUN.match(self._text) and len(self._text) <= _LONGEST:
                break
            else:
                keys.append(OTHER)
                self._text = self._text[2:]
        return keys

    def end(self) -> list[str]:
        """End an incomplete control sequence after a pause, and return its key.

        Returns [ESCAPE] for a lone ESC, [OTHER] for any other incomplete sequence, and [] if there is none.
        """
        left, self._text = self._text, ""
        return [ESCAPE if left == _ESC else OTHER] if left else []


class ViewerEnded(Exception):
    """The program must end. The reason is the signal `signal` or, if this is None, that the terminal was closed."""

    def __init__(self, number: int | None = None) -> None:
        super().__init__(number)
        self.signal = number


class Keyboard:
    """The keys of the terminal at `descriptor`, unbuffered and without echo. single_keys() makes a Keyboard.

    `signals` is the descriptor of a pipe from which the numbers of signals are read.
    """

    def __init__(self, descriptor: int, signals: int) -> None:
        self._descriptor, self._signals = descriptor, signals
        self._saved = termios.tcgetattr(descriptor)
        self._reader = KeyReader()

    def wait(self) -> list[str | signal.Signals]:
        """Wait for keys or for signals in HANDLED, and return them. Raises ViewerEnded if the terminal was closed."""
        timeout = ESCAPE_S if self._reader.is_open else None
        ready, _, _ = select.select([self._descriptor, self._signals], [], [], timeout)
        events: list[str | signal.Signals] = []
        if self._signals in ready:
            events += [signal.Signals(number) for number in os.read(self._signals, _BLOCK)]
        if self._descriptor in ready:
            data = self._read()
            if not data:
                raise ViewerEnded
            events += self._reader.feed(data)
        return events if ready else [*self._reader.end()]

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, _BLOCK)
        except OSError:
            return b""  # the terminal was closed

    def take(self) -> None:
        """Switch the terminal to unbuffered keys without echo."""
        tty.setcbreak(self._descriptor, termios.TCSADRAIN)

    def give_back(self) -> None:
        """Restore the terminal's settings."""
        with contextlib.suppress(termios.error):  # the terminal may have been closed
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._saved)


@contextlib.contextmanager
def single_keys(descriptor: int) -> Iterator[Keyboard]:
    """Yield a Keyboard for the terminal at `descriptor`. Afterwards restore the terminal and the signal handlers.

    Call this function in the main thread only.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    keyboard = Keyboard(descriptor, reading)
    wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    previous = {number: signal.signal(number, _note) for number in HANDLED}
    try:
        keyboard.take()
        yield keyboard
    finally:
        keyboard.give_back()
        for number, handler in previous.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup)
        os.close(reading)
        os.close(writing)


def _note(number: int, frame: FrameType | None) -> None:
    """Do nothing. Python writes a signal's number to the pipe of set_wakeup_fd() only if the signal has a handler."""


def stop_here() -> None:
    """Stop this process by SIGTSTP's default action, as Ctrl-Z does. Returns once the process is continued."""
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        os.kill(os.getpid(), signal.SIGTSTP)
    finally:
        signal.signal(signal.SIGTSTP, before)


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
        if typed and key == ENTER:
            self._jump(int(typed))
        elif typed and key == BACKSPACE:
            self.typed = typed[:-1]
        elif typed and key == ESCAPE:
            pass  # the key only clears the number
        elif key in LEAVE:
            return False
        elif key in FORWARD:
            self.ply = min(self.last, self.ply + 1)
        elif key in BACK:
            self.ply = max(0, self.ply - 1)
        elif key in FIRST:
            self.ply = 0
        elif key in LAST:
            self.ply = self.last
        elif key == HELP_KEY:
            self.helps = not self.helps
        return True

    def prompt(self) -> str:
        """Return the last line of the screen.

        It has the digits typed, or else the message, or else the list of keys or the ply that is shown.
        """
        if self.typed:
            return _("go to ply {ply}: Enter").format(ply=self.typed)
        if self.message:
            return self.message
        if self.helps:
            return _(HELP)
        return _("ply {ply} of {last}   ? tells the keys, q leaves").format(ply=self.ply, last=self.last)

    def _jump(self, ply: int) -> None:
        if ply > self.last:
            self.message = _("there is no ply {ply}, the last one is {last}").format(ply=ply, last=self.last)
        else:
            self.ply = ply


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


def place(ply: int, plies: int, width: int) -> int:
    """Return the column, from 0, of ply `ply`, from 1, in a curve of `plies` plies and at most `width` columns.

    If `plies` is larger than `width`, several plies share a column.
    """
    return ply - 1 if plies <= width else (ply - 1) * width // plies


def curve(values: list[float | None], side: str, ply: int, width: int, with_blocks: bool = True) -> Text:
    """Return a curve of the values: a row of at most `width` characters, with the column of ply `ply` marked.

    If several plies share a column, it shows the value of the last of them. The marked column always shows the value of
    ply `ply`. The characters are BLOCKS, or ASCII_LEVELS if `with_blocks` is False.
    """
    shown: dict[int, float | None] = {}
    for number, value in enumerate(values, start=1):
        column = place(number, len(values), width)
        if number <= ply or place(ply, len(values), width) != column:
            shown[column] = value
    drawn = Text(no_wrap=True)
    here = place(ply, len(values), width) if ply else -1
    for column in sorted(shown):
        style = STYLES[side] + (HERE if column == here else STILL_TO_COME if column > here else "")
        drawn.append(_level(shown[column], with_blocks), style)
    return drawn


def marker(plies: int, ply: int, width: int) -> str:
    """Return the line below the curves, which has a mark in the column of ply `ply`. It is "" for ply 0."""
    return " " * place(ply, plies, width) + MARK if ply else ""


def _level(value: float | None, with_blocks: bool) -> str:
    levels = BLOCKS if with_blocks else ASCII_LEVELS
    if value is None:
        return NOTHING
    return levels[min(len(levels) - 1, int((value + 1) / 2 * len(levels)))]


class GameView:
    """Renders the screen of a game. `title` is a line that identifies the game. `console` wraps the text."""

    def __init__(self, positions: RecordedPositions, title: str, console: Console) -> None:
        record = positions.record
        self._positions, self._title, self._console = positions, title, console
        self._stones = dict(zip(in_order(record.first), positions.game.stones, strict=True))
        values = {side: values_of(record, side, positions.last) for side in "AB"}
        self._values = {side: stated for side, stated in values.items() if any(value is not None for value in stated)}
        self._with_blocks = console.encoding.startswith("utf")
        self.result = [result_in_words(record), *forfeits.notes(record), *verdict(record)]

    def lines(self, browser: Browser, width: int, height: int) -> list[Text]:
        """Return the screen as `height` lines of at most `width` columns."""
        board = _lines_of(self._positions.game.rendering(self._positions.position(browser.ply)))
        columns = max(line.cell_len for line in board)
        if columns > width or len(board) + 2 > height:
            return self._too_small(columns, len(board) + 2, width, height)
        spare = height - len(board) - 2  # the rows that the board, the move and the prompt leave free
        beside = width - columns - GAP
        above: list[Text] = []
        if beside < LEAST_BESIDE:
            most = max(spare - CURVE_ROWS, min(spare, ROWS_ABOVE))
            above = self._wrapped(self._result(browser), width, most) or self._players()[:most]
        values = self._curves(browser.ply, width)[: spare - len(above)]
        rows = height - 2 - len(above) - len(values)  # for the board and the text beside it
        if beside >= LEAST_BESIDE:
            board = _side_by_side(board, self._wrapped([*self._result(browser), *self._about()], beside, rows), columns)
        has_gap = len(board) < rows
        move = Text(self._positions.move_in_words(browser.ply))
        prompt = Text(browser.prompt(), "bold" if browser.typed or browser.message else "dim")
        screen = [*above, *board, *[Text()] * has_gap, move, *values]
        screen += [*[Text() for _ in range(height - len(screen) - 1)], prompt]
        for line in screen:
            line.truncate(width, overflow="ellipsis")
        return screen

    def _too_small(self, columns: int, rows: int, width: int, height: int) -> list[Text]:
        """Return the screen that says that the board does not fit."""
        needed = _("the board needs {columns} x {rows}, this terminal has {width} x {height}; q leaves")
        text = Text(needed.format(columns=columns, rows=rows, width=width, height=height))
        lines = self._broken(text, max(width, 1))[:height]
        return [*lines, *[Text()] * (height - len(lines))]

    def _about(self) -> list[Text]:
        """Return lines with the title, the time, the players and who moved first."""
        record = self._positions.record
        first = record.moves[0].side if record.moves else record.first
        lines = [Text(self._title, "bold"), Text(terminal.printable(record.started), "dim")]
        for side, player in zip("AB", record.players, strict=True):
            lines.append(Text(f"{self._name(side)} {terminal.printable(player.name)}"))
            if player.version is not None:
                lines.append(Text(f"    {terminal.printable(player.version)}", "dim"))
        return [*lines, Text(_("{side} moves first").format(side=first))]

    def _players(self) -> list[Text]:
        """Return two lines for a narrow screen: a line that says who plays and who moves first, and the title."""
        record = self._positions.record
        first = record.moves[0].side if record.moves else record.first
        names = [
            f"{self._name(side)} {terminal.printable(player.name)}"
            for side, player in zip("AB", record.players, strict=True)
        ]
        heading = _("{side} moves first: {first} against {second}")
        return [Text(heading.format(side=first, first=names[0], second=names[1])), Text(self._title, "dim")]

    def _name(self, side: str) -> str:
        return f"{side} {self._stones[side]}"

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
            label = Text(f"{self._name(side)} {'' if value is None else f'{value:+.2f}':5} ")
            rows.append(label + curve(values, side, ply, room, self._with_blocks))
        return [*rows, Text(" " * VALUE_WIDTH + marker(self._positions.last, ply, room), "dim")]

    def _wrapped(self, lines: Iterable[Text], width: int, height: int) -> list[Text]:
        """Return the lines wrapped at `width` columns.

        If there are more than `height` lines then, only `height` are returned, and the last of them is MORE.
        """
        wrapped = [part for line in lines for part in self._broken(line, width)]
        return (
            wrapped if len(wrapped) <= height else [*wrapped[: height - 1], Text(_("(more after q)"), "dim")][:height]
        )

    def _broken(self, line: Text, width: int) -> list[Text]:
        """Return the line wrapped at `width` columns. Chinese may be broken between any two characters."""
        parts = [line] if line.plain.isascii() else [Text(part, line.style) for part in lines_of(line.plain, width)]
        return [part for parted in parts for part in parted.wrap(self._console, width)]


def verdict(record: GameRecord) -> list[str]:
    """Return lines that say that the rules agree with the record, or where they disagree."""
    sentences = disagreements(record)
    line = _("NOT what the rules say: {sentence}")
    return [line.format(sentence=terminal.sentence(sentence)) for sentence in sentences] or [
        _("The rules agree with the record.")
    ]


def _lines_of(picture: Text) -> list[Text]:
    return [line.copy() for line in picture.split("\n")]


def _side_by_side(board: Sequence[Text], beside: Sequence[Text], columns: int) -> list[Text]:
    """Return the board's lines, each `columns` wide, with the lines `beside` to their right.

    If `beside` has more lines than the board, the remaining lines follow below the board, at the same distance from the
    left.
    """
    lines = []
    for row in range(max(len(board), len(beside))):
        line = board[row].copy() if row < len(board) else Text()
        if row < len(beside):
            line.pad_right(columns + GAP - line.cell_len)
            line.append_text(beside[row])
        lines.append(line)
    return lines


def is_possible(console: Console) -> bool:
    """Return whether the viewer can run. It needs terminals at stdin and stdout whose cursor can be moved."""
    return (
        os.environ.get("TERM", "").lower() not in NO_TERMINALS
        and console.is_interactive
        and console.is_terminal
        and sys.stdin.isatty()
        and sys.stdout.isatty()
    )


def view(positions: RecordedPositions, title: str, begin: int = 0) -> None:
    """Show the game, at first position `begin`, until the user leaves the viewer.

    The terminal is restored at the end and after any exception.

    Raises SystemExit with the status 128 + number of the signal for SIGTERM and SIGHUP, and KeyboardInterrupt for
    SIGINT.
    """
    console = terminal.console()  # a separate console, because its size is set
    shown, browser = GameView(positions, title, console), Browser(positions.last)
    browser.ply = begin
    try:
        with single_keys(sys.stdin.fileno()) as keyboard:
            _run(shown, browser, keyboard, console)
    except ViewerEnded as end:
        if end.signal is not None:
            raise SystemExit(128 + end.signal) from None


def _run(shown: GameView, browser: Browser, keyboard: Keyboard, console: Console) -> None:
    with Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False) as live:
        while True:
            _draw(shown, browser, live)
            for event in keyboard.wait():
                if event == signal.SIGTSTP:
                    live.stop()
                    keyboard.give_back()
                    stop_here()
                    keyboard.take()
                    live.start()
                elif event == signal.SIGINT:
                    raise KeyboardInterrupt
                elif event in (signal.SIGTERM, signal.SIGHUP):
                    raise ViewerEnded(event)
                elif isinstance(event, str) and not browser.press(event):
                    return


def _draw(shown: GameView, browser: Browser, live: Live) -> None:
    width, height = os.get_terminal_size(sys.stdout.fileno())
    width, height = width or USUAL_SIZE[0], height or USUAL_SIZE[1]
    live.console.size = (width, height)
    live.update(Group(*shown.lines(browser, width, height)), refresh=True)
