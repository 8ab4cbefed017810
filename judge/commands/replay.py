"""`python -m judge replay FILE`: a recorded game shown and judged again from scratch."""

from rich.console import Console

from judge import terminal
from judge.command_line.parser import Parser
from judge.command_parts import recorded_game
from judge.games import GAMES
from judge.games.positions import IllegalMove
from judge.play.recheck import disagreements, new_position
from judge.play.scoresheet import in_order
from judge.play.screen import move_in_words, result_in_words
from judge.reports import forfeits, prints
from protocol.records.record import GameRecord


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = Parser(
        "replay",
        description="Show a recorded game and judge it again.",
        epilog="Exit status: 0 if the rules agree with the record, 1 if not, 2 for bad arguments or file.",
    )
    recorded_game.add_arguments(parser)
    parser.add_argument("--step", action="store_true", help="wait for Enter before every move")
    options = parser.parse_args(words)
    record, number = recorded_game.chosen(parser, options)
    return _replay(record, number, options.step)


def _replay(record: GameRecord, number: int, step: bool) -> int:
    console = terminal.console()
    names = " against ".join(
        f"{side} {terminal.printable(player.name)}" for side, player in zip("AB", record.players, strict=True)
    )
    first = record.moves[0].side if record.moves else record.first
    started = terminal.printable(str(record.started))
    console.print(f"game {number}, {started}: {names}, {first} moves first", soft_wrap=True)
    _show(record, console, step)
    console.print(result_in_words(record), soft_wrap=True)
    for note in [*forfeits.notes(record), *prints.notes([record])]:
        console.print(note, soft_wrap=True)
    found = disagreements(record)
    for sentence in found:
        console.print(f"NOT what the rules say: {sentence}", soft_wrap=True)
    if not found:
        console.print("The rules agree with the record.")
    return 1 if found else 0


def _show(record: GameRecord, console: Console, step: bool) -> None:
    """Draw the boards as far as the moves are legal."""
    try:
        position = new_position(record)
        game = GAMES[record.game]
        console.print(game.picture(position))
        for ply, move in enumerate(record.moves, start=1):
            if step:
                input("Enter for the next move ")
            side = in_order(record.first)[position.to_move]
            position.play(move.move)
            console.print(move_in_words(ply, side, game.move_in_words(position), move), soft_wrap=True)
            console.print(game.picture(position))
    except (ValueError, IllegalMove) as error:
        console.print(f"cannot be shown further: {error}", soft_wrap=True)
    except EOFError:
        console.print("(end of input)")
