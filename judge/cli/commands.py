"""The table of commands, with the purpose, documentation page and properties of each. Standard library only.

A new command needs an entry here, and in this folder a file of its name with `main(argv) -> exit status`. `argv` are
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
        marked("write a first bot of your own into a new folder"), marked("docs/write_a_bot.md"), starts_programs=False
    ),
    "pack": Command(marked("check your own bot, and write the zip that Saiblo takes"), marked("docs/submit.md")),
    "play": Command(
        marked("play one game between two players, and show it as it goes"), marked("docs/players.md"), keeps_games=True
    ),
    "human": Command(marked("play a game against a player at the console"), marked("docs/bot.md"), keeps_games=True),
    "serve": Command(
        marked("show records and running matches, and play games, in a browser"),
        marked("docs/serve.md"),
        keeps_games=True,
    ),
    "connect": Command(
        marked("join a player to a judger that waits for it at a TCP port, such as Saiblo's local judger"),
        marked("docs/judger.md"),
        keeps_games=True,
    ),
    "logic": Command(
        marked("referee a match as the game logic that Saiblo's judger starts"),
        marked("docs/judger.md"),
        starts_programs=False,
    ),
    "match": Command(
        marked("play many games between two players, and report which one is stronger"),
        marked("docs/matches.md"),
        keeps_games=True,
    ),
    "sprt": Command(
        marked("play pairs of games until one of two hypotheses on strength is accepted"),
        marked("docs/matches.md"),
        keeps_games=True,
    ),
    "batch": Command(
        marked("play one player against many; on every board each side moves first once"),
        marked("docs/matches.md"),
        keeps_games=True,
    ),
    "tournament": Command(
        marked("play many players against each other, and rate each of them"),
        marked("docs/tournament.md"),
        keeps_games=True,
    ),
    "opponents": Command(
        marked("list the opponents that come with this program, and how strong they are"),
        marked("docs/players.md"),
    ),
    "elo": Command(marked("compute ratings from counts of results"), marked("docs/matches.md"), starts_programs=False),
    "llr": Command(
        marked("compute the likelihood ratio of two hypotheses from counts of results"),
        marked("docs/matches.md"),
        starts_programs=False,
    ),
    "replay": Command(
        marked("show a recorded game and judge it again"), marked("docs/records.md"), starts_programs=False
    ),
    "view": Command(marked("write recorded games as a page for a browser"), marked("docs/view.md")),
    "review": Command(
        marked("ask an engine about every position of recorded games, and mark the mistakes"),
        marked("docs/review.md"),
        keeps_games=True,
    ),
    "repro": Command(
        marked("write what a player was sent in a recorded game to a file, to run its program on it"),
        marked("docs/losses.md"),
        starts_programs=False,
    ),
    "import": Command(
        marked("judge games that other programs logged, and turn them into records"),
        marked("docs/import.md"),
        starts_programs=False,
    ),
    "convert": Command(
        marked("rewrite a record file of an earlier version for this version"),
        marked("docs/records.md"),
        starts_programs=False,
    ),
    "export": Command(
        marked("write recorded games in the formats of other programs"), marked("docs/import.md"), starts_programs=False
    ),
    "check": Command(
        marked("find, before an upload, what would make the platform refuse the bot or let it lose"),
        marked("docs/submit.md"),
    ),
    "doctor": Command(
        marked("report what this machine has, what is missing, and how to get it"),
        marked("docs/install.md"),
        needs_libraries=False,
    ),
    "completion": Command(
        marked("print the shell code that completes commands, options and players"),
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
