"""Analysis of a position by our own bot: runs `bot analyze` as a process and reads results as the search deepens."""

import math
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NoReturn

from judge import program
from judge.games import GAMES
from judge.games.game import AnalysisArguments, AnyGame
from judge.games.positions import AnyMove
from judge.language import _, shown
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import CannotStart, JudgeFailure
from judge.terminal import shortened
from protocol.records import json_lines

MOST_NESTED = 8  # levels of brackets in a line of JSON; an analysis has three
OUTCOMES = (None, "win", "draw", "loss")
PLAYERS = (0, 1)
MEMORY_MB = 300  # the memory limit of the process in megabytes; the interpreter and its libraries take 190
LONGEST_LINE = 1 << 22  # bytes; a line with many moves has about ten thousand bytes
USAGE_STATUS = 2  # the bot's exit status for bad arguments
ERROR = "error: "  # argparse prints this text between the program's name and the error message


class BadAnalysis(ValueError):
    """A line is not valid output of `bot analyze`. The error's text says what is wrong."""


@dataclass(frozen=True)
class MoveValue:
    """The value of a move for the side that plays it.

    `move` is in text notation; in dots and boxes it is a whole turn of edges. `value` is from -1 (lost) to 1 (won), or
    None if it is unknown. If `is_bound` is True, the value is an upper bound. `proven` is the proven result "win",
    "draw" or "loss", or None. `visits` and `depth` (in plies) are None if the search does not report them.
    """

    move: str
    value: float | None
    is_bound: bool
    proven: str | None
    visits: int | None
    depth: int | None


@dataclass(frozen=True)
class Analysis:
    """An analysis of a position after `elapsed_s` seconds of search. `moves` has the best move first.

    `value` is from -1 (lost) to 1 (won) for the side to move. `pv` is the line of play that the bot expects. `depth` is
    in plies. `final` is True for the last analysis of the position.
    """

    value: float
    proven: str | None
    best: str | None
    pv: tuple[str, ...]
    depth: int
    iterations: int
    elapsed_s: float
    moves: tuple[MoveValue, ...]
    final: bool

    def as_json(self) -> dict[str, Any]:
        """Return the analysis as a JSON object."""
        return asdict(self)


def read_analysis(line: bytes) -> Analysis:
    """Return the Analysis in a line of the bot's output. Raises BadAnalysis if the line is not valid."""
    try:
        content = json_lines.loads(line, MOST_NESTED)
        return Analysis(
            value=_number(content["value"], least=-1, most=1),
            proven=_outcome(content["proven"]),
            best=None if content["best"] is None else _text(content["best"]),
            pv=tuple(_text(move) for move in _list(content["pv"])),
            depth=_count(content["depth"]),
            iterations=_count(content["iterations"]),
            elapsed_s=_number(content["elapsed_s"], least=0),
            moves=tuple(_move_value(known) for known in _list(content["moves"])),
            final=_boolean(content["final"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise BadAnalysis(f"{type(error).__name__}: {error}") from error


def _move_value(content: Any) -> MoveValue:
    return MoveValue(
        move=_text(content["move"]),
        value=_optional(lambda value: _number(value, least=-1, most=1), content["value"]),
        is_bound=_boolean(content["at_most"]),
        proven=_outcome(content["proven"]),
        visits=_optional(_count, content["visits"]),
        depth=_optional(_count, content["depth"]),
    )


def _optional(read: Callable[[Any], Any], content: Any) -> Any:
    return None if content is None else read(content)


def _number(content: Any, least: float = -math.inf, most: float = math.inf) -> float:
    if type(content) not in (int, float) or not least <= content <= most:
        raise TypeError(content)
    return float(content)


def _count(content: Any) -> int:
    if type(content) is not int or content < 0:
        raise TypeError(content)
    return content


def _boolean(content: Any) -> bool:
    if type(content) is not bool:
        raise TypeError(content)
    return content


def _outcome(content: Any) -> str | None:
    if content is not None and content not in OUTCOMES:
        raise TypeError(content)
    return None if content is None else str(content)


def _list(content: Any) -> list[Any]:
    if not isinstance(content, list):
        raise TypeError(content)
    return content


def _text(content: Any) -> str:
    """Return a move as text. Moves of connect four are integers in the bot's output."""
    if type(content) not in (int, str):
        raise TypeError(content)
    return str(content)


def input_after_moves(game: str, board: Mapping[str, Any], moves: Sequence[AnyMove]) -> AnalysisArguments:
    """Return (options, stdin) for `bot analyze` to analyse the position after `moves`.

    `board` and `moves` have the form that records have. Raises ValueError for an unknown game or a wrong board. The
    moves are not checked here, because the bot checks them.
    """
    played = _game(game)
    return played.analysis_input.after_moves(played.read_board(dict(board)), moves)


def input_of_cells(game: str, size: tuple[int, int], codes: str, mover: int) -> AnalysisArguments:
    """Return (options, stdin) for `bot analyze` to analyse a position that is given by its cells.

    `size` is (rows, columns). `codes` are the characters of the cells; see games/game.py. `mover` is the player to
    move, 0 or 1. Raises ValueError for an unknown game or mover, or if the cells do not fit the board. This function
    does not check whether the position is possible, because the bot checks that.
    """
    if mover not in PLAYERS:
        message = _("{name} is {value!r}, expected one of {choices}")
        raise ValueError(message.format(name="mover", value=mover, choices=", ".join(map(str, PLAYERS))))
    return _game(game).analysis_input.of_cells(size, codes, mover)


def _game(name: str) -> AnyGame:
    if name not in GAMES:
        message = _("{name} is {value!r}, expected one of {choices}")
        raise ValueError(message.format(name="game", value=name, choices=", ".join(GAMES)))
    return GAMES[name]


class AnalysisError(Exception):
    """A position cannot be analysed. The error's text is the reason on one printable line."""


class Analyst:
    """A process of our bot that analyses one position. Use it as a context manager, or call start() and stop().

    `position_options` and `stdin` are the pair that input_after_moves() or input_of_cells() returns. `budget_s` is the
    time of the search in seconds, without the start of the process. `memory_mb` is the memory limit of the whole
    process, in megabytes. `has_ended` becomes True when no more analyses can come.
    """

    def __init__(
        self,
        game: str,
        position_options: Sequence[str],
        stdin: bytes,
        budget_s: float,
        memory_mb: int = MEMORY_MB,
    ) -> None:
        options = ["--game", game, *position_options, "--json", "--deepen", f"--limit={budget_s:g}"]
        self._command = program.bot_command(["analyze", *options, f"--memory={memory_mb}"])
        self._stdin = stdin
        self._marker = uuid.uuid4().hex
        self._process: BotProcess | None = None
        self._unread = b""
        self._has_said_anything = False
        self.has_ended = False

    def __enter__(self) -> "Analyst":
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start the process and send it the position. Raises AnalysisError if it cannot start."""
        try:
            self._process = process = BotProcess(self._command, {}, self._marker)
        except (CannotStart, JudgeFailure) as error:
            raise AnalysisError(shortened(shown(str(error)))) from error
        process.send(self._stdin)
        # Every position fits into the pipe, so all data is written by now. The bot reads until the end of the file.
        process.stdin.close()

    def stop(self) -> None:
        """End the process and drop its unread output. This method may be called at any time, and more than once."""
        process, self._process = self._process, None
        self.has_ended, self._unread = True, b""
        if process is not None:
            end_all([process])

    def fileno(self) -> int:
        """Return the descriptor of the process's stdout, which is readable when output waits for next_line().

        Precondition: the process was started and not stopped.
        """
        assert self._process is not None
        return self._process.stdout.fileno()

    def next_line(self, timeout_s: float = 0.0) -> Analysis | None:
        """Wait up to `timeout_s` seconds for the next Analysis and return it.

        Returns None if no analysis has come within this time, or if no more will come. In the second case `has_ended`
        is True. Raises AnalysisError if the bot refuses the position or fails.
        """
        give_up = time.monotonic() + timeout_s
        while True:
            line = self._next_whole_line()
            if line is not None:
                return self._read(line)
            if self._process is None:
                return None
            if self._process.closed:
                self._conclude()
                return None
            left_s = give_up - time.monotonic()
            pump([self._process], max(0.0, left_s))
            if left_s <= 0 and not self._process.received and not self._process.closed:
                return None

    def _next_whole_line(self) -> bytes | None:
        if self._process is not None:
            received = self._process.received
            self._unread += b"".join(data for _, data in received)
            received.clear()
        line, newline, rest = self._unread.partition(b"\n")
        if not newline:
            if len(self._unread) > LONGEST_LINE:
                self._fail(_("a line of more than {number} bytes").format(number=LONGEST_LINE))
            return None
        self._unread = rest
        return line

    def _read(self, line: bytes) -> Analysis:
        self._has_said_anything = True
        try:
            return read_analysis(line)
        except BadAnalysis as error:
            self._fail(str(error))

    def _fail(self, error: str) -> NoReturn:
        self.stop()
        raise AnalysisError(_("the bot's analysis cannot be read: {error}").format(error=shortened(error)))

    def _conclude(self) -> None:
        """End the process after its output has ended. Raises AnalysisError if it failed or wrote no analysis."""
        assert self._process is not None
        process = self._process
        self.stop()
        if process.exit_status == USAGE_STATUS:
            raise AnalysisError(_error_line(process))
        if process.exit_status or not self._has_said_anything:
            message = _("the bot's analysis ended with status {status}: {reason}")
            raise AnalysisError(message.format(status=process.exit_status, reason=_error_line(process)))


def _error_line(process: BotProcess) -> str:
    """Return the last line of the process's stderr, shortened and without the program's name in front of an error."""
    lines = process.stderr_log.text().strip().splitlines()
    last = lines[-1] if lines else ""
    return shortened(last.partition(ERROR)[2] or last)
