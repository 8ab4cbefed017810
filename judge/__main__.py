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


def main(words: list[str]) -> int:
    """Run the command that the arguments `words` name, and return the exit status."""
    language.use()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, as a parent may leave it, it would lose programs' ends
    with own_streams() as (stdout, _stderr):
        status = _status(words)
        stdout.flush()
        failure = stdout.failure
        if failure is None:
            return status
        if has_no_reader(failure):
            return status if words and words[0] in COMMANDS and COMMANDS[words[0]].keeps_games else 1
        lost = _("what was to be printed is lost: {reason}").format(reason=failure.strerror)
        print(_("error: {message}").format(message=lost), file=sys.stderr)
        return status or VOID_STATUS


def _status(words: list[str]) -> int:
    try:
        if program.is_asked_to_complete():
            from judge.cli.completers import answer_for_program

            return answer_for_program(_purposes())
        if words[:1] == [VERSION]:
            return _print_version()
        if words[:1] == [BOT]:
            os.execv(sys.executable, program.bot_command(words[1:]))
        if words[:1] == [ANALYZE]:
            environment = {**os.environ, program.NAME_VARIABLE: f"{program.name()} {ANALYZE}"}
            os.execve(sys.executable, program.bot_command(words), environment)
        if not words or words[0] not in COMMANDS:
            return _usage(words)
        return _run(words)
    except KeyboardInterrupt:
        return INTERRUPTED_STATUS
    except OSError as error:  # an error of a file or the machine that no other code has reported in better words
        place = f"{error.filename}: " if error.filename else ""
        message = f"{place}{error.strerror or error}"
        if isinstance(error, FileNotFoundError) and not place:  # from os.getcwd()
            message = _("the current folder has been deleted: cd to another one, and start the command there")
        print(_("error: {message}").format(message=message), file=sys.stderr)
        return VOID_STATUS


def _purposes() -> dict[str, str]:
    """Return {word that may follow the program's name: its purpose in the current language}."""
    purposes = {name: _(command.purpose) for name, command in COMMANDS.items()}
    return {
        **purposes,
        ANALYZE: _("what our bot thinks of a position and of each move there"),
        BOT: _("the bot itself, as the ladder starts it, with its own words (bot --help)"),
    }


def _run(words: list[str]) -> int:
    command = COMMANDS[words[0]]
    missing = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if missing and command.needs_libraries:
        lack = _("{python} has no package {name}").format(python=sys.executable, name=missing[0])
        print(_("error: {message}").format(message=lack), file=sys.stderr)
        advice = _("scripts/setup makes an environment that has it, and prints the Python to start instead")
        print(advice, file=sys.stderr)
        return USAGE_STATUS
    if missing or not command.starts_programs:
        return _run_command(words)
    return _run_with_programs(words)


def _run_command(words: list[str]) -> int:
    status: int = importlib.import_module(module_of(words[0])).main(words[1:])
    return status


def _run_with_programs(words: list[str]) -> int:
    """Run a command that starts programs and return the exit status.

    If the command is interrupted, all processes that it started are ended.
    """
    from judge.processes.descendants import adopt_orphans, end_since, seconds_after_boot

    adopt_orphans()
    began_s = seconds_after_boot()
    with raise_on_signals():
        try:
            status = _run_command(words)
            _print_notes()
            return status
        except KeyboardInterrupt:
            ignore_signals()
            end_since(began_s)
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


def _usage(words: list[str]) -> int:
    """Print the list of commands, or an error if `words` begins with an unknown command. Returns the exit status."""
    wants_help = words[:1] and words[0] in HELP
    stream = sys.stdout if wants_help else sys.stderr
    if words and not wants_help:
        error = _("there is no command {name!r}").format(name=words[0]) + suggestion(words[0], _purposes())
        print(_("error: {message}").format(message=error), file=stream)
        print(_("{program} --help lists them").format(program=program.name()), file=stream, flush=True)
        return USAGE_STATUS
    usage = _("usage: {program} COMMAND ... (COMMAND --help tells more)")
    print(usage.format(program=program.name()), file=stream)
    for name, purpose in _purposes().items():
        print(f"  {name:12}{purpose}", file=stream)
    more = _("{page} and {folder}").format(page=_(OVERVIEW), folder=_("docs/"))
    print(_("More: {page}").format(page=more), file=stream, flush=True)
    return 0 if wants_help else USAGE_STATUS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
