"""The command line of one command: what is wrong with it is said in two lines, and a shell is told how it may go on."""

import argparse
from typing import Any, NoReturn

from judge import program
from judge.command_line.exits import USAGE_STATUS
from judge.command_line.pages import PAGES
from judge.spelling import meant

UNKNOWN_OPTION = "unrecognized arguments: "


class Parser(argparse.ArgumentParser):
    """An ArgumentParser of the command of this name; other arguments are argparse's own."""

    def __init__(self, command: str, **others: Any) -> None:
        super().__init__(prog=f"{program.name()} {command}", **others)
        self._page = PAGES[command]

    def format_help(self) -> str:
        """As argparse's, with the page of the documentation at the end."""
        return f"{super().format_help()}\nMore: {self._page}\n"

    def parse_args(self, *arguments: Any, **others: Any) -> Any:
        """As argparse's; where a shell asks how a line may go on, it is answered and the program ends."""
        self._answer_shell()
        return super().parse_args(*arguments, **others)

    def parse_intermixed_args(self, *arguments: Any, **others: Any) -> Any:
        """The same for argparse's of this name."""
        self._answer_shell()
        return super().parse_intermixed_args(*arguments, **others)

    def _answer_shell(self) -> None:
        if program.is_asked_to_complete():
            from judge.command_line.completion import answer

            answer(self)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, what may have been meant and where more is told; ends the program."""
        self.exit(USAGE_STATUS, f"error: {message}{self._meant(message)}\n{self.prog} --help tells more\n")

    def _meant(self, message: str) -> str:
        """The option that a misspelt one is close to, in words."""
        if not message.startswith(UNKNOWN_OPTION):
            return ""
        first, *_ = message.removeprefix(UNKNOWN_OPTION).split()
        return meant(first.partition("=")[0], self._option_string_actions)
