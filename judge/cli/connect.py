"""`python -m judge connect HOST PORT PLAYER`: runs a player for a judger that waits for it at a TCP port.

When the bot has ended or has closed its stdout, its last bytes are sent to the judger and the connection is closed, so
that the judger notices. First only our half of the connection is closed, and bytes that still arrive are read until the
judger closes the other half. Otherwise the connection would be reset because of unread bytes, which judgers take for a
fault of their own.
"""

import argparse
import contextlib
import enum
import selectors
import socket
import sys
import threading
import time

from judge.cli import arguments, completers
from judge.cli.exits import FAILING_STATUS, INTERRUPTED_STATUS
from judge.cli.number_types import seconds, seed, tcp_port
from judge.cli.parser import Parser
from judge.cli.playing import exit_on_errors, sandbox_of, warn_of_no_sandbox
from judge.language import _, shown
from judge.play.driver import started_process
from judge.play.sandbox import Sandbox
from judge.play.seat import await_exit, describe_exit
from judge.play.start_trial import require_entry
from judge.players.players import BadCommand, Contestant, contestants
from judge.processes.process import BotProcess, pump
from judge.processes.start import CannotStart
from judge.runs.interruption import stop_event
from judge.terminal import MEGABYTE, printable

POLL_S = 0.05  # the interval of checks whether `stop` is set, and whether the bot has exited while its pipes stay open
READ_BYTES = 64 * 1024
# The bot may leave so many bytes from the judger unread; a whole game has a hundredth of that number. If we stopped
# receiving from the judger instead, we would not see that it closes the connection.
MOST_UNREAD = 4 * MEGABYTE
CONNECT_S = 10.0  # without --wait: how long to wait for an answer of the judger's machine
ATTEMPT_S, LEAST_S = 0.5, 0.01  # the longest and the shortest attempt to connect
SHOWN_LINES = 10  # the last lines of the stderr of a bot that has ended


class End(enum.Enum):
    """The reason why a relay has ended."""

    JUDGER = enum.auto()  # the judger has closed the connection
    BOT = enum.auto()  # the bot has ended, or has closed its stdout
    UNREAD = enum.auto()  # the bot has left more than MOST_UNREAD bytes from the judger unread
    STOPPED = enum.auto()  # the event `stop` is set


class Relay:
    """Relays bytes between a bot's process and a connection to the judger, in both directions.

    `stop` is an event that another thread or a signal handler sets to end the relay.
    """

    def __init__(self, process: BotProcess, connection: socket.socket, stop: threading.Event) -> None:
        self._process, self._connection, self._stop = process, connection, stop
        self._unsent = b""
        connection.setblocking(False)

    def run(self) -> End:
        """Relay bytes until the relay ends, close the connection and return the reason. The process is left running."""
        try:
            end = self._relay_until_end()
            if end is End.BOT:
                self._close_gracefully()
        finally:
            self._connection.close()
        return end

    def _relay_until_end(self) -> End:
        """Relay bytes in both directions and return the reason why that ends."""
        while not self._stop.is_set():
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._unsent else 0)
            pump([self._process], POLL_S, [(self._connection, events)])
            self._take_replies()
            if not self._send() or not self._receive():
                return End.JUDGER
            if self._process.closed:
                return End.BOT
            if self._process.unsent_bytes > MOST_UNREAD:
                return End.UNREAD
        return End.STOPPED

    def _take_replies(self) -> None:
        """Make the bot's output the bytes to send, unless earlier output is still unsent."""
        if self._unsent:
            return
        self._unsent = b"".join(data for _, data in self._process.received)
        self._process.received.clear()

    def _send(self) -> bool:
        """Send as many unsent bytes as the connection takes. Returns False if the connection is lost."""
        try:
            while self._unsent:
                self._unsent = self._unsent[self._connection.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True

    def _receive(self) -> bool:
        """Pass bytes that the judger has sent on to the process. Returns False if the connection has ended."""
        try:
            data = self._connection.recv(READ_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._process.send(data)
        return bool(data)

    def _close_gracefully(self) -> None:
        """Send the bot's last bytes, and read until the judger closes the connection, for a few seconds at most."""
        patience_s = 2.0
        deadline_s = time.monotonic() + patience_s
        self._connection.settimeout(patience_s)
        with contextlib.suppress(OSError):
            self._take_replies()
            while self._unsent:
                self._connection.sendall(self._unsent)
                self._unsent = b""
                self._process.read_stdout(time.monotonic())  # take output for which there was no room before
                self._take_replies()
            self._connection.shutdown(socket.SHUT_WR)
            while time.monotonic() < deadline_s and self._connection.recv(READ_BYTES):
                pass


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = _parser()
    options = parser.parse_args(argv)
    sandbox = sandbox_of(parser, options)
    with exit_on_errors(parser):
        (player,) = contestants([options.PLAYER], options.players, options.game, sandbox)
        require_entry([player], sandbox)
        warn_of_no_sandbox(sandbox)
        with stop_event() as stop:
            status = _play(parser, options, player, sandbox, stop)
    return status


def _play(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    player: Contestant,
    sandbox: Sandbox,
    stop: threading.Event,
) -> int:
    """Start the player, relay between it and the judger until one of them ends, and return the exit status.

    Ends the program with a message if the player cannot start or the judger cannot be reached. Raises JudgeFailure if
    the machine fails. `stop` is an event that a signal handler sets to end the relay.
    """
    with contextlib.ExitStack() as stack:
        try:
            process = stack.enter_context(
                started_process(player, options.limit, arguments.seed_or_random(options.seed), sandbox)
            )
        except (BadCommand, CannotStart) as error:
            reason = printable(shown(str(error)))
            parser.error(_("player {name!r} cannot start: {reason}").format(name=player.command, reason=reason))
        connection = _connect_to_judger(parser, options, stop)
        if connection is None:
            return INTERRUPTED_STATUS
        joined = _("{name} has joined the judger at {host}:{port}")
        print(joined.format(name=player.name, host=options.HOST, port=options.PORT), flush=True)
        end = Relay(process, connection, stop).run()
        if end is End.BOT:
            await_exit(process)
        exit_status = process.exit_status
    if end is End.BOT:
        _print_bot_end(process, exit_status)
        return FAILING_STATUS
    if end is End.UNREAD:
        unread = _("error: the bot has not read {size} MB that the judger sent; the connection is closed")
        print(unread.format(size=MOST_UNREAD // MEGABYTE), file=sys.stderr, flush=True)
        return FAILING_STATUS
    if end is End.STOPPED:
        print(_("interrupted: the bot was ended, and its connection to the judger is closed"), flush=True)
        return INTERRUPTED_STATUS
    print(_("the judger has closed the connection: the match is over"), flush=True)
    return 0


def _connect_to_judger(
    parser: argparse.ArgumentParser, options: argparse.Namespace, stop: threading.Event
) -> socket.socket | None:
    """Return a connection to the judger, or None if `stop` is set before there is one.

    Ends the program with a message if the judger cannot be reached within the time that --wait allows.
    """
    deadline_s = time.monotonic() + (CONNECT_S if options.wait is None else options.wait)
    while not stop.is_set():
        try:
            # Short attempts: `stop` is checked only between them.
            patience_s = min(ATTEMPT_S, max(LEAST_S, deadline_s - time.monotonic()))
            return socket.create_connection((options.HOST, options.PORT), patience_s)
        except (OSError, UnicodeError) as error:  # a host name with invalid characters raises UnicodeError
            may_retry = options.wait is not None or isinstance(error, TimeoutError)
            if not may_retry or time.monotonic() >= deadline_s:
                message = _("no judger can be reached at {host}:{port}: {reason}")
                reason = getattr(error, "strerror", None) or str(error)
                parser.error(message.format(host=printable(options.HOST), port=options.PORT, reason=reason))
        time.sleep(0.1)  # not stop.wait(): see stop_event()
    return None


def _print_bot_end(process: BotProcess, exit_status: int | None) -> None:
    """Print how the bot ended, and the last SHOWN_LINES lines of its stderr. For `exit_status` see describe_exit()."""
    words = _("error: the bot {end}; its connection to the judger is closed")
    print(words.format(end=shown(describe_exit(exit_status))), file=sys.stderr)
    lines = [line for line in process.stderr_log.text().splitlines() if line.strip()][-SHOWN_LINES:]
    if lines:
        print(_("the last lines of the bot's stderr:"), file=sys.stderr)
    for line in lines:
        print(f"  {printable(line)}", file=sys.stderr)
    sys.stderr.flush()


def _parser() -> Parser:
    parser = Parser(
        "connect",
        description=arguments.paragraph(
            _("Join a player to a judger that waits for it at a TCP port, as Saiblo's local judger does."),
            arguments.players_help(),
        ),
        epilog=_(
            "Exit status: 0 once the judger closes the connection, 2 for bad arguments or if no judger can be reached, "
            "3 if the judge or the machine failed, 4 if the bot ended before the judger closed the connection or did "
            "not read what it was sent, 130 after Ctrl-C."
        ),
    )
    parser.add_argument("HOST", help=_("the judger's host, such as localhost"))
    parser.add_argument("PORT", type=tcp_port, help=_("the judger's TCP port"))
    parser.add_argument("PLAYER", completer=completers.complete_player, help=_("the player to connect"))
    parser.add_argument(
        "--wait", type=seconds, metavar="S", help=_("try for S seconds to reach the judger (default: try once)")
    )
    arguments.add_game_choice(parser)
    arguments.add_players_option(parser)
    parser.add_argument("--seed", type=seed, metavar="N", help=_("the player's seed (default: random)"))
    parser.add_argument(
        "--limit",
        type=seconds,
        default=arguments.DEFAULT_LIMIT_S,
        metavar="S",
        help=_(
            "the time limit that the player is told, in seconds per move; the judger measures the time (default: 3)"
        ),
    )
    arguments.add_sandbox_option(parser)
    return parser
