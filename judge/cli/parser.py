"""The parser of one command's line: it reports errors in two lines and completes words for a shell."""

import argparse
import re
from typing import Any, NoReturn

from judge import program
from judge.cli.commands import COMMANDS
from judge.cli.exits import USAGE_STATUS
from judge.language import _, marked
from judge.terminal import lines_of, meant

# argparse's own text, which the catalog translates as a whole.
UNKNOWN_OPTIONS = marked("unrecognized arguments: %s")
OF_ARGUMENT = re.compile(
    r"argument (?P<argument_name>\S+): (?P<message>.*)", re.DOTALL
)  # Python 3.10 does not translate it

# Options of players, which without quotes are taken for options of the command.
OF_PLAYERS = ("--without", "--sanitize", "--debug", "--preset", "--iterations", "--set", "--backend", "--memory")
QUOTED = '"src:../v8 --sanitize"'


class Parser(argparse.ArgumentParser):
    """An ArgumentParser for the command of this name; `others` are ArgumentParser's own arguments."""

    def __init__(self, command: str, **others: Any) -> None:
        super().__init__(prog=f"{program.name()} {command}", **{"formatter_class": HelpFormatter, **others})
        self._page = COMMANDS[command].page

    def format_help(self) -> str:
        """Return argparse's help with the command's documentation page at the end."""
        return f"{super().format_help()}\n{_('More: {page}').format(page=_(self._page))}\n"

    def parse_args(self, *arguments: Any, **others: Any) -> Any:
        """Parse as argparse does; where a shell asks for completions, print them and end the program."""
        self._answer_shell()
        return super().parse_args(*arguments, **others)

    def parse_intermixed_args(self, *arguments: Any, **others: Any) -> Any:
        """Do the same as parse_args() by argparse's method of this name."""
        self._answer_shell()
        return super().parse_intermixed_args(*arguments, **others)

    def parse_known_intermixed_args(self, *arguments: Any, **others: Any) -> Any:
        """Parse as argparse does; Python 3.13 and older would cut 7 characters for "usage: " in any language."""
        if self.usage is None:
            self.usage = self.format_usage().removeprefix(_("usage: "))
        return super().parse_known_intermixed_args(*arguments, **others)

    def _answer_shell(self) -> None:
        if program.is_asked_to_complete():
            from judge.cli.completers import answer_for_command

            answer_for_command(self)

    def error(self, message: str) -> NoReturn:
        """Print the error, a suggestion and where to find help; end the program with USAGE_STATUS."""
        found = OF_ARGUMENT.fullmatch(message)
        said = _("argument %(argument_name)s: %(message)s") % found.groupdict() if found else message
        error = _("error: {message}").format(message=said + self._meant(message))
        if "\n" in message:  # output of another program, such as a compiler, which our help does not explain
            self.exit(USAGE_STATUS, f"{error}\n")
        more = _("{program} --help tells more").format(program=self.prog)
        self.exit(USAGE_STATUS, f"{error}\n{more}\n")

    def _meant(self, message: str) -> str:
        """Return a hint on an unknown option: the closest option, or quotes around a player; "" for other errors."""
        before = _(UNKNOWN_OPTIONS).partition("%s")[0]
        if not message.startswith(before):
            return ""
        first = message.removeprefix(before).split()[0]
        if first.partition("=")[0] in OF_PLAYERS:
            return _("; an option of a player stands in quotes with it, as in {example}").format(example=QUOTED)
        return meant(first.partition("=")[0], self._option_string_actions)


class HelpFormatter(argparse.HelpFormatter):
    """argparse's HelpFormatter, but text that is not ASCII is wrapped by lines_of()."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return super()._split_lines(text, width) if text.isascii() else lines_of(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.isascii():
            return super()._fill_text(text, width, indent)
        return "\n".join(indent + line for line in lines_of(text, width - len(indent)))
