"""`python -m judge completion SHELL`: the lines that have a shell complete what is typed for `dropfour`."""

import sys

from judge import program
from judge.command_line.parser import Parser

SHELLS = ("bash", "zsh", "fish")
NOT_INSTALLED_STATUS = 1


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = Parser(
        "completion",
        description=f"Print what has a shell complete {program.COMMAND}'s commands, options, players and files. Put "
        f'eval "$({program.COMMAND} completion bash)" into ~/.bashrc; the same with zsh into ~/.zshrc, below compinit; '
        f"{program.COMMAND} completion fish | source into ~/.config/fish/config.fish.",
        epilog="Exit status: 0 if the lines were printed, 1 if argcomplete is not installed, 2 for bad arguments.",
    )
    parser.add_argument("SHELL", choices=SHELLS)
    options = parser.parse_args(words)
    try:
        from argcomplete.shell_integration import shellcode
    except ModuleNotFoundError:
        print(f"error: {sys.executable} has no package argcomplete, which answers the shell", file=sys.stderr)
        print(f"scripts/setup installs it; so does: {sys.executable} -m pip install argcomplete", file=sys.stderr)
        return NOT_INSTALLED_STATUS
    # Without bash's own completion where there is nothing to say: after --seed it would list files.
    print(shellcode([program.COMMAND], shell=options.SHELL, complete_arguments=["-o", "nospace"]), end="")
    return 0
