"""`dropfour COMMAND ...` and `python -m judge COMMAND ...`: runs a command's module with the arguments after it."""

import importlib.util
import os
import signal
import sys

from judge import language, program
from judge.cli.commands import COMMANDS, OVERVIEW, module_of
from judge.cli.exits import INTERRUPTED_STATUS, USAGE_STATUS, VOID_STATUS
from judge.language import _
from judge.runs.interruption import NOTHING_IS_RUNNING, ignore_signals, raise_on_signals
from judge.streams import has_no_reader, own_streams
from judge.terminal import suggestion

BOT = "bot"  # a word instead of a command. The bot replaces this process, because the judge must not import the bot.
ANALYZE = "analyze"  # a command of the bot, for which the bot replaces this process, too
HELP, VERSION = ("-h", "--help"), "--version"
# The packages that the judge needs; set-up installs them.
LIBRARIES = (
    *("msgspec", "numpy", "prompt_toolkit", "psutil", "rich", "scipy"),
    *(["tomli"] if sys.version_info < (3, 11) else []),
)


def main(argv: list[str]) -> int:
    """Run the command that the arguments `argv` name, and return the exit status."""
    language.use()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, as a parent may leave it, it would lose programs' ends
    with own_streams() as (stdout, _stderr):
        status = _run_argv(argv)
        stdout.flush()
        failure = stdout.failure
        if failure is None:
            return status
        if has_no_reader(failure):
            return status if argv and argv[0] in COMMANDS and COMMANDS[argv[0]].keeps_games else 1
        lost = _("the output could not be printed: {reason}").format(reason=failure.strerror)
        print(_("error: {message}").format(message=lost), file=sys.stderr)
        return status or VOID_STATUS


def _run_argv(argv: list[str]) -> int:
    """Run the command that `argv` names and return the exit status.

    Ctrl-C and errors of files that the command itself has not reported are turned into an exit status here.
    """
    try:
        if program.is_asked_to_complete():
            from judge.cli.completers import complete_program_line

            return complete_program_line(_purposes_by_name())
        if argv[:1] == [VERSION]:
            return _print_version()
        if argv[:1] == [BOT]:
            os.execv(sys.executable, program.bot_command(argv[1:]))
        if argv[:1] == [ANALYZE]:
            environment = {**os.environ, program.NAME_VARIABLE: f"{program.name()} {ANALYZE}"}
            os.execve(sys.executable, program.bot_command(argv), environment)
        if not argv or argv[0] not in COMMANDS:
            return _print_usage(argv)
        return _run_judge_command(argv)
    except KeyboardInterrupt:
        return INTERRUPTED_STATUS
    except OSError as error:  # an error of a file or the machine that no other code has reported in better words
        place = f"{error.filename}: " if error.filename else ""
        message = f"{place}{error.strerror or error}"
        if isinstance(error, FileNotFoundError) and not place:  # from os.getcwd()
            message = _("the current folder has been deleted: cd to another one, and start the command there")
        print(_("error: {message}").format(message=message), file=sys.stderr)
        return VOID_STATUS


def _purposes_by_name() -> dict[str, str]:
    """Return {word that may follow the program's name: its purpose in the current language}."""
    return {
        **{name: _(command.purpose) for name, command in COMMANDS.items()},
        ANALYZE: _("print what our bot thinks of a position and of each of its moves"),
        BOT: _("run the bot itself, as the ladder starts it; it has options of its own (bot --help)"),
    }


def _run_judge_command(argv: list[str]) -> int:
    """Run a command of COMMANDS and return the exit status. Prints an error if a package that it needs is missing."""
    command = COMMANDS[argv[0]]
    missing = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if missing and command.needs_libraries:
        error = _("{python} has no package {name}").format(python=sys.executable, name=missing[0])
        print(_("error: {message}").format(message=error), file=sys.stderr)
        advice = _("run scripts/setup: it makes an environment with this package, and prints the Python to use instead")
        print(advice, file=sys.stderr)
        return USAGE_STATUS
    if missing or not command.starts_programs:
        return _run_command(argv)
    return _run_with_programs(argv)


def _run_command(argv: list[str]) -> int:
    """Import the module of the command `argv[0]`, run it with the other arguments, and return the exit status."""
    status: int = importlib.import_module(module_of(argv[0])).main(argv[1:])
    return status


def _run_with_programs(argv: list[str]) -> int:
    """Run a command that starts programs and return the exit status.

    If the command is interrupted, all processes that it started are ended.
    """
    from judge.processes.descendants import adopt_orphans, end_processes_since, seconds_after_boot

    adopt_orphans()
    began_s = seconds_after_boot()
    with raise_on_signals():
        try:
            status = _run_command(argv)
            _print_notes()
            return status
        except KeyboardInterrupt:
            ignore_signals()
            end_processes_since(began_s)
            print(_(NOTHING_IS_RUNNING), file=sys.stderr, flush=True)
            return INTERRUPTED_STATUS


def _print_notes() -> None:
    """Print to stderr the notes that sandboxes have made on players' folders."""
    sandbox = sys.modules.get("judge.play.sandbox")  # not imported if no player was started
    for line in [] if sandbox is None else sandbox.notes.lines():
        print(_("note: {text}").format(text=line), file=sys.stderr, flush=True)


def _print_version() -> int:
    from judge.players.versions import own_version, package_version

    print(f"{program.COMMAND} {package_version()} ({own_version()})")
    return 0


def _print_usage(argv: list[str]) -> int:
    """Print the list of commands, or an error if `argv` begins with an unknown command. Returns the exit status."""
    wants_help = argv[:1] and argv[0] in HELP
    stream = sys.stdout if wants_help else sys.stderr
    if argv and not wants_help:
        error = _("there is no command {name!r}").format(name=argv[0]) + suggestion(argv[0], _purposes_by_name())
        print(_("error: {message}").format(message=error), file=stream)
        print(_("{program} --help lists all commands").format(program=program.name()), file=stream, flush=True)
        return USAGE_STATUS
    usage = _("usage: {program} COMMAND ... (COMMAND --help describes a command)")
    print(usage.format(program=program.name()), file=stream)
    for name, purpose in _purposes_by_name().items():
        print(f"  {name:12}{purpose}", file=stream)
    print(_("More: {page} and the folder docs/").format(page=_(OVERVIEW)), file=stream, flush=True)
    return 0 if wants_help else USAGE_STATUS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
