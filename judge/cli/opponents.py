"""`dropfour opponents`: lists the opponents that are here without any other program, and how strong they are."""

from judge import terminal
from judge.cli import arguments
from judge.cli.parser import Parser
from judge.games import DEFAULT_GAME
from judge.language import _
from judge.players import own_bot
from judge.players.opponents import ALL, MEASURED, levels
from judge.reports.tables import ReportTable

UNKNOWN = "-"


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = Parser(
        "opponents",
        description=_(
            "List the opponents that come with this program: levels of our bot, from random moves to its full "
            "strength, and the bot's presets. The player {all}NAME is the level NAME; in `batch --against` and "
            "`tournament`, {all} alone stands for all levels."
        ).format(all=ALL),
        epilog=_("Exit status: 0 for the list, 2 for bad arguments."),
    )
    arguments.add_game_choice(parser)
    game = parser.parse_args(argv).game
    headings = _("level's name"), _("player in commands"), "Elo", _("what the opponent does")
    table = ReportTable(_("Opponents"), headings, left=(*headings[:2], headings[3]), wrapped=headings[3:])
    for level in levels(game):
        elo = UNKNOWN if level.elo is None or game != DEFAULT_GAME else f"{level.elo:+d}"
        table.add_row(level.name, level.player, elo, _(level.description))
    listed_presets = {level.preset or level.name for level in levels(game)}  # the level "default" is such a preset
    for preset in own_bot.presets(game):
        if preset not in listed_presets:
            table.add_row(
                UNKNOWN, f"{own_bot.OWN_BOT}:{preset}", UNKNOWN, _("plays as a preset of the bot, see docs/bot.md")
            )
    console = terminal.console()
    console.print(table)
    console.print(_("Elo as measured on {date_and_command}").format(date_and_command=_(MEASURED)), soft_wrap=True)
    return 0
