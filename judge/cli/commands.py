"""The table of commands, with the purpose, documentation page and properties of each. Standard library only.

A new command needs an entry here, and in this folder a file of its name with `main(words) -> exit status`. `words` are
the arguments after the command's name.
"""

import keyword
from typing import NamedTuple

from judge.language import marked

OVERVIEW = marked("README.md")


class Command(NamedTuple):
    """A command of the judge.

    `purpose` is one line for the list of commands. `page` is the path of the command's documentation, relative to the
    repository's root; the catalog may name a translated page. `starts_programs` says whether the command starts bots or
    other programs, which must not outlive it. `keeps_games` says whether the command writes its result to a file, so
    that it is worth finishing even if nobody reads its output. `needs_libraries` is False if the command must run
    without any installed package.
    """

    purpose: str
    page: str
    starts_programs: bool = True
    keeps_games: bool = False
    needs_libraries: bool = True


COMMANDS = {
    "new": Command(
        marked("a first bot of your own, in a new folder"), marked("docs/write_a_bot.md"), starts_programs=False
    ),
    "pack": Command(marked("the zip of your own bot that Saiblo takes, checked before"), marked("docs/submit.md")),
    "play": Command(marked("one judged game, shown as it goes"), marked("docs/players.md"), keeps_games=True),
    "human": Command(marked("a game at the console against a player"), marked("docs/bot.md"), keeps_games=True),
    "serve": Command(
        marked("records, running matches and games of yours in a browser"), marked("docs/serve.md"), keeps_games=True
    ),
    "connect": Command(
        marked("a player at a judger that waits for it by TCP, Saiblo's local one"),
        marked("docs/judger.md"),
        keeps_games=True,
    ),
    "logic": Command(
        marked("the game logic that Saiblo's judger starts: a match refereed for it"),
        marked("docs/judger.md"),
        starts_programs=False,
    ),
    "match": Command(
        marked("many games on paired boards, and who is stronger"), marked("docs/matches.md"), keeps_games=True
    ),
    "sprt": Command(
        marked("paired games until it is clear which of two hypotheses on strength holds"),
        marked("docs/matches.md"),
        keeps_games=True,
    ),
    "batch": Command(
        marked("one player against many, once per side on every board"), marked("docs/matches.md"), keeps_games=True
    ),
    "tournament": Command(
        marked("many players against each other, and a rating of each"), marked("docs/tournament.md"), keeps_games=True
    ),
    "opponents": Command(
        marked("the opponents that are here without any other program, and how strong they are"),
        marked("docs/players.md"),
    ),
    "elo": Command(marked("ratings from counts of results"), marked("docs/matches.md"), starts_programs=False),
    "llr": Command(
        marked("the likelihood ratio of two hypotheses from counts of results"),
        marked("docs/matches.md"),
        starts_programs=False,
    ),
    "replay": Command(
        marked("a recorded game shown and judged again"), marked("docs/records.md"), starts_programs=False
    ),
    "view": Command(marked("recorded games as a page for a browser"), marked("docs/view.md")),
    "review": Command(
        marked("recorded games put to an engine, position by position, and their mistakes"),
        marked("docs/review.md"),
        keeps_games=True,
    ),
    "repro": Command(
        marked("what a player was sent in a recorded game, to run its program on it"),
        marked("docs/losses.md"),
        starts_programs=False,
    ),
    "import": Command(
        marked("games that other programs logged, judged again and turned into records"),
        marked("docs/import.md"),
        starts_programs=False,
    ),
    "convert": Command(
        marked("a record file of an earlier version, written anew for this one"),
        marked("docs/records.md"),
        starts_programs=False,
    ),
    "export": Command(
        marked("recorded games in the forms of other programs"), marked("docs/import.md"), starts_programs=False
    ),
    "check": Command(
        marked("what an upload would be refused or beaten for, found before it"), marked("docs/submit.md")
    ),
    "doctor": Command(
        marked("what this machine has, what is missing, and how to get it"),
        marked("docs/install.md"),
        needs_libraries=False,
    ),
    "completion": Command(
        marked("the lines that have a shell complete commands, options and players"),
        marked("docs/install.md"),
        starts_programs=False,
        needs_libraries=False,
    ),
}


def module_of(command: str) -> str:
    """Return the full name of the module of a command.

    A "_" is appended if the command's name is a keyword of Python, as for `import`: judge.cli.import_.
    """
    return f"judge.cli.{command}{'_' * keyword.iskeyword(command)}"
