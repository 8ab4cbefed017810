"""`python -m judge completion SHELL`: prints the shell code that completes command lines of `dropfour`."""

import sys

from judge import program
from judge.cli.parser import Parser
from judge.language import _


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = Parser(
        "completion",
        description=_(
            "Print the shell code that completes {program}'s commands, options, players and files. For bash put eval "
            '"$({program} completion bash)" into ~/.bashrc; for zsh put the same line with zsh into ~/.zshrc, below '
            "compinit; for fish put {program} completion fish | source into ~/.config/fish/config.fish."
        ).format(program=program.COMMAND),
        epilog=_("Exit status: 0 if the code was printed, 1 if argcomplete is not installed, 2 for bad arguments."),
    )
    parser.add_argument("SHELL", choices=("bash", "zsh", "fish"))
    options = parser.parse_args(argv)
    try:
        from argcomplete.shell_integration import shellcode
    except ModuleNotFoundError:
        lack = _("{python} has no package argcomplete, which completes command lines").format(python=sys.executable)
        print(_("error: {message}").format(message=lack), file=sys.stderr)
        advice = _("install it by scripts/setup or by: {python} -m pip install argcomplete")
        print(advice.format(python=sys.executable), file=sys.stderr)
        return 1
    # Without bash's default completion, which would list files after --seed.
    print(shellcode([program.COMMAND], shell=options.SHELL, complete_arguments=["-o", "nospace"]), end="")
    return 0
