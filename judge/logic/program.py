"""The game logic as a program: it referees one match, from the judger's first frame to the exit status.

Only messages to the judger may go to stdout.
"""

import contextlib
import os
import select
import sys
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Protocol

from judge.language import _, recorded, shown
from judge.logic.config import Refused, framing_of_match, read_config
from judge.logic.match import Ending, Match, write_replay
from protocol.errors import RemoteProtocolError
from protocol.judger import (
    TARGETED,
    MessageDecoder,
    PlayerFailure,
    PlayerReply,
    Start,
    UnknownMessage,
    encode_end,
)

READ_BYTES = 64 * 1024
STDIN, STDOUT, STDERR = range(3)
ENDED_STATUS, CUT_OFF_STATUS, REFUSED_STATUS = 0, 1, 2
DRAIN_S = 1.0  # how long the pipe stays open after the end: the judger may still report errors


class Channel(Protocol):
    """The connection to the judger. Both methods raise OSError if the judger is gone."""

    def read(self, patience_s: float | None) -> bytes | None:
        """Return the next bytes, b"" at the end, or None if nothing comes within `patience_s` seconds.

        With `patience_s` None this method waits as long as it takes.
        """

    def write(self, data: bytes) -> None:
        """Write all bytes of `data`."""


class StandardPipes:
    """A Channel on stdin and stdout. Use as a context manager.

    Inside the context, anything else that is printed to stdout goes to stderr.
    """

    def __enter__(self) -> "StandardPipes":
        self._out = os.dup(STDOUT)
        os.dup2(STDERR, STDOUT)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.dup2(self._out, STDOUT)
        os.close(self._out)

    def read(self, patience_s: float | None) -> bytes | None:
        """Read from stdin; see Channel.read()."""
        is_readable = bool(select.select([STDIN], [], [], patience_s)[0])
        return os.read(STDIN, READ_BYTES) if is_readable else None

    def write(self, data: bytes) -> None:
        """Write all bytes of `data` to stdout."""
        while data:
            data = data[os.write(self._out, data) :]


class JudgerGone(Exception):
    """The connection to the judger is closed."""


def print_line(line: str) -> None:
    """Print a line for the user on stderr."""
    print(line, file=sys.stderr, flush=True)


class Program:
    """A game logic on a channel. clock() returns monotonic seconds. say(line) prints a line for the user."""

    def __init__(
        self, channel: Channel, clock: Callable[[], float] = time.monotonic, say: Callable[[str], None] = print_line
    ) -> None:
        self._channel, self._clock, self._print = channel, clock, say
        self._decoder = MessageDecoder()
        self._framing = TARGETED
        self._replay: str | None = None

    def run(self) -> int:
        """Referee one match and return the exit status."""
        try:
            match = self._begin()
            ending = self._play(match)
            self._conclude(match, ending)
            return ENDED_STATUS
        except JudgerGone:
            self._print_error(recorded("the judger has closed its pipe before the end of the match"))
            return CUT_OFF_STATUS
        except (Refused, RemoteProtocolError) as reason:
            self._print_error(str(reason))
            with contextlib.suppress(JudgerGone):
                self._end((0, 0), None)
            return REFUSED_STATUS

    def _begin(self) -> Match:
        """Read the start message, and start the match. Raises Refused, RemoteProtocolError or JudgerGone."""
        start = None
        while start is None:
            start = self._next_message(None)
        assert isinstance(start, Start)  # the decoder's first message
        self._framing, self._replay = framing_of_match(start), start.replay
        if self._replay is not None:
            with contextlib.suppress(OSError, ValueError):  # writing the replay reports the same error
                os.unlink(self._replay)  # so that an earlier match's replay is not taken for the replay of this match
        config = read_config(start)
        plan = _("the match begins: {game}, {board}, {limit:g} s per turn")
        self._print(plan.format(game=config.game, board=config.board.in_words(), limit=config.time_s))
        match = Match(config)
        self._write(match.begin(start.players, self._clock()))
        return match

    def _play(self, match: Match) -> Ending:
        """Pass messages between the judger and the match until it ends. Raises RemoteProtocolError or JudgerGone."""
        while match.ending is None:
            patience_s = None if match.deadline is None else max(0.0, match.deadline - self._clock())
            message = self._next_message(patience_s)
            if isinstance(message, (PlayerReply, PlayerFailure, UnknownMessage)):
                self._write(match.handle(message, self._clock()))
            else:
                match.check_deadline(self._clock())
            for note in match.notes:
                self._print(_("a message is ignored: {note}").format(note=shown(note)))
            match.notes.clear()
        return match.ending

    def _conclude(self, match: Match, ending: Ending) -> None:
        """Report the end to the user, write the replay, and send the end to the judger. Raises JudgerGone."""
        self._print(_("the match is over: {reason}").format(reason=shown(ending.in_words)))
        if self._replay is not None:
            why_not = write_replay(self._replay, match, ending)
            if why_not is not None:
                self._print_error(
                    _("the replay {path} could not be written: {reason}").format(path=self._replay, reason=why_not)
                )
        self._end(ending.scores, ending.end_states)

    def _end(self, scores: Sequence[int], end_states: Sequence[str] | None) -> None:
        """Send the end of the match to the judger, then read and ignore its messages for at most DRAIN_S."""
        self._write(encode_end(scores, end_states, self._framing))
        give_up = self._clock() + DRAIN_S
        with contextlib.suppress(OSError):
            while (left_s := give_up - self._clock()) > 0 and self._channel.read(left_s):
                pass

    def _next_message(self, patience_s: float | None) -> Start | PlayerReply | PlayerFailure | UnknownMessage | None:
        """Return the next message, or None if no message is complete after one read.

        The read waits at most `patience_s` seconds, or as long as it takes if that is None. Raises JudgerGone if the
        connection is closed, and RemoteProtocolError for a wrong message.
        """
        message = self._decoder.next_message()
        if message is not None:
            return message
        try:
            data = self._channel.read(patience_s)
        except OSError as error:
            raise JudgerGone from error
        if data == b"":
            raise JudgerGone
        if data is not None:
            self._decoder.feed(data)
        return self._decoder.next_message()

    def _write(self, data: bytes) -> None:
        """Send bytes to the judger. Raises JudgerGone if the connection is closed."""
        try:
            self._channel.write(data)
        except OSError as error:
            raise JudgerGone from error

    def _print_error(self, message: str) -> None:
        self._print(_("error: {message}").format(message=shown(message)))
