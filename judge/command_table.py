"""Which commands there are, by their rooms in judge/commands, and what each is for. Standard library only."""

import keyword

from judge.language import marked

ROOMS = {
    "single_games": {
        "play": marked("one judged game, shown as it goes"),
        "human": marked("a game at the console against a player"),
        "serve": marked("records, running matches and games of yours in a browser"),
        "connect": marked("a player at a judger that waits for it by TCP, Saiblo's local one"),
        "logic": marked("the game logic that Saiblo's judger starts: a match refereed for it"),
    },
    "contests": {
        "match": marked("many games on paired boards, and who is stronger"),
        "sprt": marked("paired games until it is clear which of two hypotheses on strength holds"),
        "batch": marked("one player against many, once per side on every board"),
        "tournament": marked("many players against each other, and a rating of each"),
        "elo": marked("ratings from counts of results"),
        "llr": marked("the likelihood ratio of two hypotheses from counts of results"),
    },
    "records": {
        "replay": marked("a recorded game shown and judged again"),
        "view": marked("recorded games as a page for a browser"),
        "review": marked("recorded games put to an engine, position by position, and their mistakes"),
        "repro": marked("what a player was sent in a recorded game, to run its program on it"),
        "import": marked("games that other programs logged, judged again and turned into records"),
        "export": marked("recorded games in the forms of other programs"),
    },
    "readiness": {
        "check": marked("what an upload would be refused or beaten for, found before it"),
        "doctor": marked("what this machine has, what is missing, and how to get it"),
        "completion": marked("the lines that have a shell complete commands, options and players"),
    },
}
COMMANDS = {name: purpose for room in ROOMS.values() for name, purpose in room.items()}


def module_of(command: str) -> str:
    """The module of a command: of its name in its room, with "_" behind a name that Python keeps for itself."""
    room = next(room for room, commands in ROOMS.items() if command in commands)
    return f"judge.commands.{room}.{command}{'_' * keyword.iskeyword(command)}"
