"""The parser of a command's arguments: it reports errors in two lines and completes arguments for a shell.

Its help has two layers: --help shows the options that most users need, --help-all shows all of them.
"""

import argparse
import copy
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from judge import program
from judge.cli.commands import COMMANDS
from judge.cli.exits import USAGE_STATUS
from judge.language import _
from judge.terminal import lines_of, suggestion

# Options that are part of a player's text. If the user forgets the quotes around that text, argparse takes them for
# options of the command.
OF_PLAYERS = ("--without", "--sanitize", "--debug", "--preset", "--iterations", "--set", "--backend", "--memory")
HELP_ALL = "--help-all"


def store_action(completer: Callable[..., list[str]] | None = None, **others: Any) -> argparse.Action:
    """Return an action of argparse that stores a value. `completer` becomes its attribute of this name.

    `completer` completes the value for a shell; see completers.py. `others` are the arguments of the action's
    constructor.
    """
    action = argparse._StoreAction(**others)  # argcomplete would not store the value for an action of a class of ours
    action.completer = completer  # type: ignore[attr-defined]
    return action


class Parser(argparse.ArgumentParser):
    """An ArgumentParser for the arguments of one command of the judge.

    `command` is the command's name. `common` lists the options that --help shows, such as "--limit". If it is None, as
    for a command with few options, --help shows all of them. `others` are further arguments of ArgumentParser.
    """

    def __init__(self, command: str, common: Sequence[str] | None = None, **others: Any) -> None:
        """Make the parser of a command. `common` are the options that its short help lists; None means all of them."""
        super().__init__(prog=f"{program.name()} {command}", **{"formatter_class": HelpFormatter, **others})
        self.register("action", None, store_action)  # used where add_argument() is given no action, in groups too
        self.command, self._page, self._common = command, COMMANDS[command].page, common
        help_text = argparse.SUPPRESS if common is None else _("show all options, and exit")
        self.add_argument(HELP_ALL, action=_HelpAll, help=help_text)

    def format_help(self) -> str:
        """Return the help that --help prints. It has the common options and the command's documentation page."""
        if self._common is None:
            return self.format_whole_help()
        common, short = {"--help", HELP_ALL, *self._common}, copy.deepcopy(self)
        short.epilog = _("{command} lists all options.").format(command=f"{self.prog} {HELP_ALL}")
        for action in short._actions:
            if action.option_strings and common.isdisjoint(action.option_strings):
                action.help = argparse.SUPPRESS
        return short.format_whole_help()

    def format_whole_help(self) -> str:
        """Return the help that --help-all prints. It lists all options and names the command's documentation page."""
        return f"{super().format_help()}\n{_('More: {page}').format(page=_(self._page))}\n"

    def parse_args(self, *arguments: Any, **others: Any) -> Any:
        """Parse as argparse does. If a shell asks for completions, print them instead and end the program."""
        self._complete_if_asked()
        return super().parse_args(*arguments, **others)

    def parse_intermixed_args(self, *arguments: Any, **others: Any) -> Any:
        """Parse like argparse's method of this name. For a shell that asks for completions, do as parse_args() does.

        parse_known_args() prints the help if the user asks for it, because the other method has a fault in Python 3.13
        and older: it cuts 7 characters, the length of "usage: ", off the usage, and translations of that word differ.
        """
        self._complete_if_asked()
        self.parse_known_args(*arguments, **others)
        return super().parse_intermixed_args(*arguments, **others)

    def _complete_if_asked(self) -> None:
        """Print completions and end the program if a shell asks for them."""
        if program.is_asked_to_complete():
            from judge.cli.completers import print_completions

            print_completions(self)

    def error(self, message: str) -> NoReturn:
        """Print the error, what the user may have meant and where to find help. Ends the program with USAGE_STATUS.

        `message` is argparse's or a command's. If it has several lines, it is printed alone.
        """
        # Python 3.10 does not translate this part of a message.
        parts = re.fullmatch(r"argument (?P<argument_name>\S+): (?P<message>.*)", message, re.DOTALL)
        sentence = _("argument %(argument_name)s: %(message)s") % parts.groupdict() if parts else message
        error = _("error: {message}").format(message=sentence + self._suggestion(message))
        if "\n" in message:  # output of another program, such as a compiler, which our help does not explain
            self.exit(USAGE_STATUS, f"{error}\n")
        more = _("{program} --help explains the arguments").format(program=self.prog)
        self.exit(USAGE_STATUS, f"{error}\n{more}\n")

    def _suggestion(self, message: str) -> str:
        """Return what the user may have meant if `message` says that an option is unknown, else "".

        The result names the option whose name is most similar, or tells the user to put quotes around a player and its
        options.
        """
        # This is argparse's own message, which the catalog translates as a whole.
        before = _("unrecognized arguments: %s").partition("%s")[0]
        if not message.startswith(before):
            return ""
        unknown = re.split("[ =]", message.removeprefix(before).strip(), maxsplit=1)[0]
        if unknown in OF_PLAYERS:
            advice = _("; put a player and its options in quotes together, as in {example}")
            return advice.format(example='"src:../v8 --sanitize"')
        names = (name for name, action in self._option_string_actions.items() if action.help != argparse.SUPPRESS)
        return suggestion(unknown, names)


class _HelpAll(argparse._HelpAction):
    """The action of --help-all, which prints the help with all options and ends the program."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        assert isinstance(parser, Parser)
        print(parser.format_whole_help(), end="")
        parser.exit()


def add_old_name(container: Any, old: str, new: argparse.Action) -> None:
    """Let users give the option `new` by its former name `old`, too. A note with the new name is printed then.

    `container` is the parser or group that has the option `new`. The help does not show the former name.
    """
    container.add_argument(old, action=_FormerName, new=new)


class _FormerName(argparse.Action):
    """The action of a former name of an option: it prints a note and does what the option `new` does."""

    def __init__(self, option_strings: Sequence[str], dest: str, new: argparse.Action) -> None:
        as_new: dict[str, Any] = {"nargs": new.nargs, "type": new.type, "metavar": new.metavar}
        super().__init__(option_strings, new.dest, default=argparse.SUPPRESS, help=argparse.SUPPRESS, **as_new)
        self._new = new

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        note = _("note: {old} is called {new} now").format(old=option, new=self._new.option_strings[-1])
        print(note, file=sys.stderr, flush=True)
        self._new(parser, namespace, values, option)


class HelpFormatter(argparse.HelpFormatter):
    """A HelpFormatter that wraps text that is not ASCII with lines_of(), and other text as argparse does."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return super()._split_lines(text, width) if text.isascii() else lines_of(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.isascii():
            return super()._fill_text(text, width, indent)
        return "\n".join(indent + line for line in lines_of(text, width - len(indent)))
