"""`python -m judge replay FILE`: a recorded game shown and judged again from scratch."""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from judge.commands import arguments
from judge.games import GAMES
from judge.games.positions import IllegalMove
from judge.play.recheck import disagreements, new_position
from judge.play.scoresheet import in_order
from judge.play.screen import move_in_words, result_in_words
from protocol.records.record import GameRecord, RecordError, read_records


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m judge replay",
        description="Show a recorded game and judge it again.",
        epilog="Exit status: 0 if the rules agree with the record, 1 if not, 2 for bad arguments or file.",
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "--game", type=arguments.count, metavar="K", help="the file's K-th game, from 1 (default: the last)"
    )
    parser.add_argument("--step", action="store_true", help="wait for Enter before every move")
    options = parser.parse_args(words)
    try:
        records, torn_lines = read_records(options.file)
    except (OSError, RecordError) as error:
        parser.error(str(error))
    if torn_lines:
        print(f"note: {options.file} ends in a torn line, which is left out", file=sys.stderr)
    if not records:
        parser.error(f"{options.file} holds no game")
    number = options.game or len(records)
    if number > len(records):
        parser.error(f"--game {number}: {options.file} holds {len(records)} games")
    return _replay(records[number - 1], number, options.step)


def _replay(record: GameRecord, number: int, step: bool) -> int:
    console = Console(highlight=False)
    names = " against ".join(f"{side} {player.name}" for side, player in zip("AB", record.players, strict=True))
    first = record.moves[0].side if record.moves else record.first
    console.print(f"game {number}, {record.started}: {names}, {first} moves first", soft_wrap=True)
    _show(record, console, step)
    console.print(result_in_words(record), soft_wrap=True)
    found = disagreements(record)
    for sentence in found:
        console.print(f"NOT what the rules say: {sentence}", soft_wrap=True, markup=False)
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
        console.print(f"cannot be shown further: {error}", soft_wrap=True, markup=False)
    except EOFError:
        console.print("(end of input)")
