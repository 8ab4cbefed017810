"""Analysis of a position by our own bot: runs `bot analyze` as a process and reads results as the search deepens."""

import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NoReturn

import msgspec
from msgspec import Meta, Struct

from judge import program
from judge.games import GAMES
from judge.games.game import AnalysisArguments, AnyGame
from judge.games.positions import AnyMove
from judge.language import _, shown
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import CannotStart, JudgeFailure, Launch
from judge.terminal import shortened
from protocol.records.json_lines import RecordError
from protocol.records.values import Count, Seconds, decoded

MOST_NESTED = 8  # levels of brackets in a line of JSON; an analysis has three
Outcome = Literal["win", "draw", "loss"]
Share = Annotated[float, Meta(ge=-1, le=1)]
PLAYERS = (0, 1)
MEMORY_MB = 300  # the memory limit of the process in megabytes; the interpreter and its libraries take 190
LONGEST_LINE = 1 << 22  # bytes; a line with many moves has about ten thousand bytes
USAGE_STATUS = 2  # the bot's exit status for bad arguments
ERROR_MARK = "error: "  # argparse prints it between the program's name and the error message


class BadAnalysis(ValueError):
    """A line is not valid output of `bot analyze`. The error's text says what is wrong."""


class _MoveEntry(Struct):
    """An entry about one move in an analysis.

    `move` is in text notation. In dots and boxes it is a whole turn of edges.
    """

    move: str | int  # int in the bot's output of connect four

    def __post_init__(self) -> None:
        """Make the move a text in every game."""
        self.move = str(self.move)


class MoveValue(_MoveEntry, rename={"is_bound": "at_most"}):
    """The value of a move for the side that plays the move.

    `value` is from -1 (lost) to 1 (won), or None if it is unknown. If `is_bound` is True, the value is an upper bound.
    `proven` is the proven result "win", "draw" or "loss", or None. `visits` and `depth` (in plies) are None if the
    search does not report them.
    """

    value: Share | None
    is_bound: bool
    proven: Outcome | None
    visits: Count | None
    depth: Count | None


class NetworkValue(_MoveEntry):
    """The value of a move for the side that plays the move, from -1 to 1, by the network alone, without a search."""

    value: Share


class NetworkValues(Struct):
    """The value of a position for the side to move, from -1 to 1, and of each move, by the network alone."""

    value: Share
    moves: tuple[NetworkValue, ...]


class Prior(_MoveEntry):
    """The probability of a move, from 0 to 1, that the policy gives before any search."""

    prior: Annotated[float, Meta(ge=0, le=1)]


class Analysis(Struct):
    """An analysis of a position after `elapsed_s` seconds of search. `moves` has the best move first.

    `value` is from -1 (lost) to 1 (won) for the side to move. `pv` is the line of play that the bot expects. `depth` is
    in plies. `final` is True for the last analysis of the position. `evaluation` is None and `priors` is empty in games
    whose bot has no network or no policy.
    """

    value: Share
    proven: Outcome | None
    best: str | int | None  # the moves are texts here, and may be int in the bot's output, as in MoveValue
    pv: tuple[str | int, ...]
    depth: Count
    iterations: Count
    elapsed_s: Seconds
    moves: tuple[MoveValue, ...]
    final: bool
    evaluation: NetworkValues | None = None
    priors: tuple[Prior, ...] = ()

    def __post_init__(self) -> None:
        """Make all moves texts in every game."""
        self.best = None if self.best is None else str(self.best)
        self.pv = tuple(map(str, self.pv))

    def as_json(self) -> dict[str, Any]:
        """Return the analysis as a JSON object."""
        content: dict[str, Any] = msgspec.to_builtins(self)
        return content


def read_analysis(line: bytes) -> Analysis:
    """Return the Analysis in a line of the bot's output. Raises BadAnalysis if the line is not valid."""
    try:
        return decoded(line, Analysis, MOST_NESTED)
    except RecordError as error:
        raise BadAnalysis(str(error)) from error


def input_after_moves(game: str, board: Mapping[str, Any], moves: Sequence[AnyMove]) -> AnalysisArguments:
    """Return (options, stdin) for `bot analyze` to analyse the position after `moves`.

    `game` is the game's name. `board` and `moves` have the form that records have. Raises ValueError for an unknown
    game or a wrong board. The moves are not checked here, because the bot checks them.
    """
    rules = _find_game(game)
    return rules.analysis_input.after_moves(rules.read_board(dict(board)), moves)


def input_of_cells(game: str, size: tuple[int, int], codes: str, mover: int) -> AnalysisArguments:
    """Return (options, stdin) for `bot analyze` to analyse a position that is given by its cells.

    `size` is (rows, columns). `codes` are the characters of the cells; see games/game.py. `mover` is the player to
    move, 0 or 1. Raises ValueError for an unknown game or mover, or if the cells do not fit the board. This function
    does not check whether the position is possible, because the bot checks that.
    """
    if mover not in PLAYERS:
        message = _("{name} is {value!r}, expected one of {choices}")
        raise ValueError(message.format(name="mover", value=mover, choices=", ".join(map(str, PLAYERS))))
    return _find_game(game).analysis_input.of_cells(size, codes, mover)


def _find_game(name: str) -> AnyGame:
    """Return the game with this name. Raises ValueError if there is none."""
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
        self._has_output = False
        self.has_ended = False

    def __enter__(self) -> "Analyst":
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start the process and send it the position. Raises AnalysisError if it cannot start."""
        try:
            self._process = process = BotProcess(Launch(tuple(self._command)), self._marker)
        except (CannotStart, JudgeFailure) as error:
            raise AnalysisError(shortened(shown(str(error)))) from error
        process.send(self._stdin)
        # Every position fits into the pipe, so all data is written by now. The bot reads until its stdin is closed.
        process.stdin.close()

    def stop(self) -> None:
        """End the process and drop its unread output. This method may be called at any time, and more than once."""
        process, self._process = self._process, None
        self.has_ended, self._unread = True, b""
        if process is not None:
            end_all([process])

    def fileno(self) -> int:
        """Return the descriptor of the process's stdout, which is readable when output waits for next_analysis().

        Precondition: the process was started and not stopped.
        """
        assert self._process is not None
        return self._process.stdout.fileno()

    def next_analysis(self, timeout_s: float = 0.0) -> Analysis | None:
        """Wait up to `timeout_s` seconds for the next Analysis and return it.

        Returns None if no analysis has come within this time, or if no more can come; then `has_ended` is True. Raises
        AnalysisError if the bot refuses the position or fails, or if its output cannot be read.
        """
        deadline_s = time.monotonic() + timeout_s
        while True:
            line = self._next_whole_line()
            if line is not None:
                return self._read(line)
            if self._process is None:
                return None
            if self._process.closed:
                self._end_after_output()
                return None
            remaining_s = deadline_s - time.monotonic()
            pump([self._process], max(0.0, remaining_s))
            if remaining_s <= 0 and not self._process.received and not self._process.closed:
                return None

    def _next_whole_line(self) -> bytes | None:
        """Return the next complete line of the output, or None. Raises AnalysisError if a line is too long."""
        if self._process is not None:
            received = self._process.received
            self._unread += b"".join(data for _, data in received)
            received.clear()
        if b"\n" in self._unread:
            line, self._unread = self._unread.split(b"\n", 1)
            return line
        if len(self._unread) > LONGEST_LINE:
            self._fail(_("a line of the bot's output has more than {number} bytes").format(number=LONGEST_LINE))
        return None

    def _read(self, line: bytes) -> Analysis:
        """Return the Analysis in a line. If the line is not valid, end the process and raise AnalysisError."""
        self._has_output = True
        try:
            return read_analysis(line)
        except BadAnalysis as error:
            self._fail(str(error))

    def _fail(self, error: str) -> NoReturn:
        """End the process and raise AnalysisError with the reason `error`."""
        self.stop()
        raise AnalysisError(_("the bot's analysis cannot be read: {error}").format(error=shortened(error)))

    def _end_after_output(self) -> None:
        """End the process, whose output has ended. Raises AnalysisError if it failed or wrote no analysis."""
        assert self._process is not None
        process = self._process
        self.stop()
        if process.exit_status == USAGE_STATUS:
            raise AnalysisError(_error_line(process))
        if process.exit_status or not self._has_output:
            message = _("the bot's analysis failed with exit status {status}: {reason}")
            raise AnalysisError(message.format(status=process.exit_status, reason=_error_line(process)))


def _error_line(process: BotProcess) -> str:
    """Return the last line of the process's stderr, shortened and without the program's name in front of an error."""
    lines = process.stderr_log.text().strip().splitlines()
    last = lines[-1] if lines else ""
    return shortened(last.partition(ERROR_MARK)[2] or last)
