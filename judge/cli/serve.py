"""`dropfour serve`: an application in the browser that shows records and running matches and plays games.

Only this machine can reach it.
"""

import argparse
import errno
import importlib.util
import socket
import sys
from pathlib import Path

from judge import program
from judge.cli import arguments, completers, number_types
from judge.cli.exits import USAGE_STATUS
from judge.cli.parser import Parser
from judge.cli.playing import sandbox_of, warn_of_no_sandbox
from judge.language import _
from judge.play.sandbox import Sandbox
from judge.play.scoresheet import Conditions
from judge.players.players import PlayerError, known_names
from judge.processes.descendants import open_in_browser, seconds_after_boot
from judge.terminal import printable

DEFAULT_PORT = 8400
DEFAULT_RECORDS = Path("records")
NEEDED = ("starlette", "uvicorn", "websockets")  # the packages that the extra `serve` installs


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    began_s = seconds_after_boot()
    parser = _parser()
    options = parser.parse_args(argv)
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        lack = _("{python} has no package {name}").format(python=sys.executable, name=missing[0])
        error = _("error: {message}").format(message=lack)
        advice = _("in a checkout, {setup} installs what `serve` needs; elsewhere: {pip}").format(
            setup="scripts/setup serve", pip=f"{sys.executable} -m pip install {' '.join(NEEDED)}"
        )
        parser.exit(USAGE_STATUS, f"{error}\n{advice}\n")
    if options.records.exists() and not options.records.is_dir():
        parser.error(_("--records {path}: expected a folder").format(path=printable(str(options.records))))
    try:
        known_names(options.players)
    except PlayerError as error:
        parser.error(str(error))
    sandbox = sandbox_of(parser, options, options.records)
    return _serve(parser, options, sandbox, began_s)


def _serve(parser: argparse.ArgumentParser, options: argparse.Namespace, sandbox: Sandbox, began_s: float) -> int:
    """Serve the application until the user ends it, and return the exit status.

    `sandbox` is for the players. `began_s` is when the command began, in seconds after boot. Ends the program with a
    message if the port cannot be used.
    """
    from judge.web import serving
    from judge.web.application import Server
    from judge.web.opponents import Opponents
    from judge.web.tables import TableService

    try:
        listener = socket.create_server((serving.LOOPBACK, options.port))
    except OSError as error:
        message = _("the server cannot listen at port {port}: {reason}")
        if error.errno == errno.EADDRINUSE:
            message = _(
                "port {port} is in use, perhaps by another {program} serve: choose another one with --port N, or any "
                "free one with --port 0"
            )
        parser.error(message.format(port=options.port, program=program.name(), reason=error.strerror))
    warn_of_no_sandbox(sandbox)
    opponents = Opponents(options.players, options.bots)
    conditions = Conditions(free_start=True, memory_limit_bytes=options.memory_limit, sandbox=sandbox)
    service = TableService(options.records, opponents, conditions)
    server = Server(service)
    address = f"http://{serving.LOOPBACK}:{listener.getsockname()[1]}/"
    line = _("{address} shows the records in {folder}; Ctrl-C ends the server")
    print(line.format(address=address, folder=printable(str(options.records))), flush=True)
    if options.open and not open_in_browser(address):
        note = _("note: no browser was found; open {path} in a browser")
        print(note.format(path=address), file=sys.stderr, flush=True)
    serving.serve(server, listener, began_s)
    print(_("the server has ended, and nothing is left running"), flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        "serve",
        description=_(
            "Show records, watch matches that run, play games and set up positions in a browser: an application on "
            "this machine, which nobody on the network can reach. Finished games go to serve.jsonl in the records "
            "folder."
        ),
        epilog=_("Exit status: 0 once it was ended by Ctrl-C, 2 for bad arguments or a port that is in use."),
    )
    parser.add_argument(
        "--port",
        type=number_types.port_to_listen_at,
        default=DEFAULT_PORT,
        metavar="N",
        help=_("the port to listen at, 0 for a free one (default: {port})").format(port=DEFAULT_PORT),
    )
    parser.add_argument(
        "--records",
        type=Path,
        default=DEFAULT_RECORDS,
        metavar="DIR",
        completer=completers.complete_folder,
        help=_("the folder of the record files (default: {value})").format(value=DEFAULT_RECORDS),
    )
    arguments.add_players_option(parser)
    bots = parser.add_argument(
        "--bots",
        type=arguments.existing_folder,
        action="append",
        default=[],
        metavar="DIR",
        help=_(
            "a folder of bots that you can play against; the page lists them by their paths; may be given several "
            "times (default: none)"
        ),
    )
    bots.completer = completers.complete_folder  # type: ignore[attr-defined]  # of an option that appends
    arguments.add_memory_option(parser)
    arguments.add_sandbox_option(parser)
    parser.add_argument("--open", action="store_true", help=_("open the application in the browser"))
    return parser
