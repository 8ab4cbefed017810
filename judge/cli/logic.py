"""`python -m judge logic`: runs, on stdin and stdout, the game logic that Saiblo's own judger starts."""

from judge.cli.parser import Parser
from judge.language import _
from judge.logic.program import Program, StandardPipes


def main(words: list[str]) -> int:
    """Run the command with the arguments `words` and return the exit status."""
    Parser(
        "logic",
        description=_(
            "Referee one match of connect four or reversi as the game logic of Saiblo's judger, which starts this "
            "program (scripts/logic) and speaks to it on stdin and stdout. The match's config says which game it is."
        ),
        epilog=_(
            "Exit status: 0 for a match that has ended, 1 if the judger went before, 2 for a config or a frame that "
            "is none."
        ),
    ).parse_args(words)
    with StandardPipes() as channel:
        return Program(channel).run()
