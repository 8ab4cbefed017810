"""The command line of one command: what is wrong with it is said in two lines."""

import argparse
import difflib
from typing import Any, NoReturn

from judge import program

UNKNOWN_OPTION = "unrecognized arguments: "
USAGE_STATUS = 2


class Parser(argparse.ArgumentParser):
    """An ArgumentParser of the command of this name; other arguments are argparse's own."""

    def __init__(self, command: str, **others: Any) -> None:
        super().__init__(prog=f"{program.name()} {command}", **others)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, what may have been meant and where more is told; ends the program."""
        self.exit(USAGE_STATUS, f"error: {message}{self._meant(message)}\n{self.prog} --help tells more\n")

    def _meant(self, message: str) -> str:
        """The option that a misspelt one is close to, in words."""
        misspelt = message.removeprefix(UNKNOWN_OPTION).split()[:1] if message.startswith(UNKNOWN_OPTION) else []
        close = [
            option
            for word in misspelt
            for option in difflib.get_close_matches(word.partition("=")[0], self._option_string_actions, n=1)
        ]
        return f"; did you mean {close[0]}?" if close else ""
