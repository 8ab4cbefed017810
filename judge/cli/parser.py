"""The command line of one command: what is wrong with it is said in two lines, and a shell is told how it may go on."""

import argparse
import re
from typing import Any, NoReturn

from judge import program
from judge.cli.commands import COMMANDS
from judge.cli.exits import USAGE_STATUS
from judge.language import _, marked
from judge.terminal import lines_of, meant

# In argparse's words, which its catalog translates as a whole.
UNKNOWN_OPTIONS = marked("unrecognized arguments: %s")
OF_ARGUMENT = re.compile(
    r"argument (?P<argument_name>\S+): (?P<message>.*)", re.DOTALL
)  # Python 3.10 has it untranslated

# Options that players take; forgotten quotes make them the command's.
OF_PLAYERS = ("--without", "--sanitize", "--debug", "--preset", "--iterations", "--set", "--backend", "--memory")
QUOTED = '"src:../v8 --sanitize"'


class Parser(argparse.ArgumentParser):
    """An ArgumentParser of the command of this name; other arguments are argparse's own."""

    def __init__(self, command: str, **others: Any) -> None:
        super().__init__(prog=f"{program.name()} {command}", **{"formatter_class": HelpFormatter, **others})
        self._page = COMMANDS[command].page

    def format_help(self) -> str:
        """As argparse's, with the page of the documentation at the end."""
        return f"{super().format_help()}\n{_('More: {page}').format(page=_(self._page))}\n"

    def parse_args(self, *arguments: Any, **others: Any) -> Any:
        """As argparse's; where a shell asks how a line may go on, it is answered and the program ends."""
        self._answer_shell()
        return super().parse_args(*arguments, **others)

    def parse_intermixed_args(self, *arguments: Any, **others: Any) -> Any:
        """The same for argparse's of this name."""
        self._answer_shell()
        return super().parse_intermixed_args(*arguments, **others)

    def parse_known_intermixed_args(self, *arguments: Any, **others: Any) -> Any:
        """As argparse's, of which Python 3.13 and before take "usage: " for seven characters in any language."""
        if self.usage is None:
            self.usage = self.format_usage().removeprefix(_("usage: "))
        return super().parse_known_intermixed_args(*arguments, **others)

    def _answer_shell(self) -> None:
        if program.is_asked_to_complete():
            from judge.cli.completers import answer_for_command

            answer_for_command(self)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, what may have been meant and where more is told; ends the program."""
        found = OF_ARGUMENT.fullmatch(message)
        said = _("argument %(argument_name)s: %(message)s") % found.groupdict() if found else message
        error = _("error: {message}").format(message=said + self._meant(message))
        if "\n" in message:  # somebody else's words, a compiler's: our help has nothing to add
            self.exit(USAGE_STATUS, f"{error}\n")
        more = _("{program} --help tells more").format(program=self.prog)
        self.exit(USAGE_STATUS, f"{error}\n{more}\n")

    def _meant(self, message: str) -> str:
        """The option that a misspelt one is close to, in words."""
        before = _(UNKNOWN_OPTIONS).partition("%s")[0]
        if not message.startswith(before):
            return ""
        first = message.removeprefix(before).split()[0]
        if first.partition("=")[0] in OF_PLAYERS:
            return _("; an option of a player stands in quotes with it, as in {example}").format(example=QUOTED)
        return meant(first.partition("=")[0], self._option_string_actions)


class HelpFormatter(argparse.HelpFormatter):
    """What argparse asks for lines; for English its own way."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return super()._split_lines(text, width) if text.isascii() else lines_of(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.isascii():
            return super()._fill_text(text, width, indent)
        return "\n".join(indent + line for line in lines_of(text, width - len(indent)))
