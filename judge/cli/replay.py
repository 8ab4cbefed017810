"""`python -m judge replay FILE`: shows a recorded game and judges it again."""

import itertools

from rich.console import Console

from judge import terminal, viewer
from judge.cli import number_types, record_file
from judge.cli.parser import Parser
from judge.language import _, shown
from judge.play.recheck import disagreements
from judge.play.screen import result_in_words
from judge.reports import circumstances, forfeits, phases, prints
from judge.viewer import RecordedPositions, check_lines
from protocol.records.record import GameRecord


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = Parser(
        "replay",
        description=_(
            "Show a recorded game and judge it again. On a terminal, single keys go forward, back and to any ply, and "
            "? lists these keys; elsewhere, every board is printed."
        ),
        epilog=_("Exit status: 0 if the rules agree with the record, 1 if not, 2 for bad arguments or file."),
    )
    record_file.add_game_arguments(parser)
    parser.add_argument(
        "--ply",
        type=number_types.count,
        metavar="N",
        help=_("begin at the position before ply N (default: 1, the first position)"),
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--plain", action="store_true", help=_("print every board, also on a terminal"))
    how.add_argument("--step", action="store_true", help=_("print every board, and wait for Enter before each move"))
    options = parser.parse_args(argv)
    record, number = record_file.read_chosen_game(parser, options)
    begin = (options.ply or 1) - 1
    if begin > len(record.moves):
        message = _("--ply {ply}: expected 1 to {last}, as {plies} plies were played")
        parser.error(message.format(ply=options.ply, last=len(record.moves) + 1, plies=len(record.moves)))
    console = terminal.console()
    console.print(_heading(record, number), soft_wrap=True)
    is_viewed = not options.plain and not options.step and viewer.can_run(console)
    title = _("{path}, game {number}").format(path=terminal.printable(options.file.name), number=number)
    return _show_game(record, title if is_viewed else None, begin, console, options.step)


def _heading(record: GameRecord, number: int) -> str:
    """Return the line above the game: its number and date, the players, and who moves first."""
    names = [f"{side} {terminal.printable(player.name)}" for side, player in zip("AB", record.players, strict=True)]
    return _("game {number}, {started}: {first} against {second}, {mover} moves first").format(
        number=number,
        started=terminal.printable(str(record.started)),
        first=names[0],
        second=names[1],
        mover=record.moves[0].side if record.moves else record.first,
    )


def _show_game(record: GameRecord, title: str | None, begin: int, console: Console, step: bool) -> int:
    """Show a recorded game, print how it ended, and return the exit status.

    The status is 0 if the rules agree with the record, else 1. The game is shown in the viewer, below `title`; if that
    is None, its boards are printed, and with `step` the user presses Enter before each move. The first position that is
    shown is that after ply `begin`, or the last one if the rules allow fewer plies.
    """
    try:
        positions = RecordedPositions(record)
    except ValueError as error:
        console.print(
            _("this game cannot be shown: {error}").format(error=terminal.sentence(shown(str(error)))), soft_wrap=True
        )
    else:
        begin = min(begin, positions.last)
        if title is None:
            _print_boards(positions, begin, console, step)
        else:
            viewer.view(positions, title, begin)
    console.print(result_in_words(record), soft_wrap=True)
    notes = (phases.in_words(record), forfeits.notes(record), prints.notes([record]), circumstances.warnings(record))
    for note in itertools.chain(*notes):
        console.print(note, soft_wrap=True)
    for line in check_lines(record):
        console.print(line, soft_wrap=True)
    return 1 if disagreements(record) else 0


def _print_boards(positions: RecordedPositions, begin: int, console: Console, step: bool) -> None:
    """Print the boards and moves from the position after ply `begin` to the last legal move.

    With `step` the user presses Enter before each move.
    """
    rendering = positions.game.rendering
    console.print(rendering(positions.position(begin)))
    try:
        for ply in range(begin + 1, positions.last + 1):
            if step:
                input(_("press Enter for the next move "))
            console.print(positions.move_in_words(ply), soft_wrap=True)
            console.print(rendering(positions.position(ply)))
    except EOFError:
        console.print(_("the input has ended, and the remaining boards are not shown"))
    if positions.refusal:
        console.print(positions.refusal, soft_wrap=True)
