"""`bot analyze --deepen` as a process whose lines are taken as they come; it ends with the judge, however that ends."""

import time
import uuid
from collections.abc import Sequence
from typing import NoReturn

from judge import program
from judge.analysis.analysis import Analysis, BadAnalysis, read_analysis
from judge.language import _, shown
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import CannotStart, JudgeFailure
from judge.terminal import shortened

MEMORY_MB = 300  # of the process: 190 of them are the interpreter's and its libraries'
LONGEST_LINE = 1 << 22  # bytes; a line on a position of many moves has some ten thousand
USAGE_STATUS = 2  # the bot's exit status for words that it does not take
ERROR = "error: "  # what argparse puts before its message, behind the program's name


class AnalysisError(Exception):
    """The position is not analysed; str() says why, on one printable line."""


class Analyst:
    """Our bot, asked about one position; use as a context manager, or start() and stop(): no process is left then.

    position_words and stdin are what words.py gives; budget_s: seconds of search, its start-up not counted; memory_mb:
    of the whole process. `has_ended` once nothing more can come.
    """

    def __init__(
        self,
        game: str,
        position_words: Sequence[str],
        stdin: bytes,
        budget_s: float,
        memory_mb: int = MEMORY_MB,
    ) -> None:
        options = ["--game", game, *position_words, "--json", "--deepen", f"--budget={budget_s:g}"]
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
        """Start it. Raises AnalysisError if that is impossible."""
        try:
            self._process = process = BotProcess(self._command, {}, self._marker)
        except (CannotStart, JudgeFailure) as error:
            raise AnalysisError(shortened(shown(str(error)))) from error
        process.send(self._stdin)
        # The pipe takes any drawing at once: what reads it waits for its end.
        process.stdin.close()

    def stop(self) -> None:
        """End it; may be called at any time, and again."""
        process, self._process = self._process, None
        self.has_ended, self._unread = True, b""
        if process is not None:
            end_all([process], self._marker)

    def fileno(self) -> int:
        """What becomes readable when there is something new: then take lines until there is none. It has not ended."""
        assert self._process is not None
        return self._process.stdout.fileno()

    def next_line(self, timeout_s: float = 0.0) -> Analysis | None:
        """The next Analysis, waiting so many seconds at most; None if there is none yet, or no more (`has_ended`).

        Raises AnalysisError if the bot refuses the position, or fails.
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
        """Its output has ended: so does it. Raises AnalysisError unless all went well."""
        assert self._process is not None
        process = self._process
        self.stop()
        if process.exit_status == USAGE_STATUS:
            raise AnalysisError(_last_words(process))
        if process.exit_status or not self._has_said_anything:
            message = _("the bot's analysis ended with status {status}: {reason}")
            raise AnalysisError(message.format(status=process.exit_status, reason=_last_words(process)))


def _last_words(process: BotProcess) -> str:
    """The last line of its stderr, without the program's name before an error."""
    lines = process.stderr_log.text().strip().splitlines()
    last = lines[-1] if lines else ""
    return shortened(last.partition(ERROR)[2] or last)
