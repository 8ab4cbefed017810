"""`python -m judge logic`: runs, on stdin and stdout, the game logic that Saiblo's own judger starts."""

from judge.cli.parser import Parser
from judge.language import _
from judge.logic.program import Program, StandardPipes


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    Parser(
        "logic",
        description=_(
            "Referee one match of connect four or reversi as the game logic of Saiblo's judger, which starts this "
            "program (scripts/logic) and speaks to it on stdin and stdout. The match's config says which game it is."
        ),
        epilog=_(
            "Exit status: 0 if the match has ended, 1 if the judger ended before it, 2 if the judger sent a malformed "
            "config or frame."
        ),
    ).parse_args(argv)
    with StandardPipes() as channel:
        return Program(channel).run()
