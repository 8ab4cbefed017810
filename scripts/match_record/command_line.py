"""The words of `scripts/read_match_record`."""

import argparse
import os
import sys
from pathlib import Path

from judge.terminal import json_line, printable
from match_record import game_record, match_detail, moves
from match_record.document import DocumentError, object_in
from match_record.facts import facts
from match_record.screen import show
from match_record.stdin_record import read_stream
from option_types import seconds
from protocol.records.record import RecordError

INCOMPLETE = 1
SEATS = ("0", "1")
# Where the bot's guard answers: its limit of 3 s less half of its margin of 0.4 s.
THRESHOLD_S = 2.8
MOST_LINES = 20  # of problems; the JSON object has all


def main(words):
    """Run the command; returns the exit status, 0 or INCOMPLETE. Bad arguments and files end it with argparse's 2."""
    parser = _parser()
    options = parser.parse_args(words)
    if options.stdin is not None and options.stdin[0] not in SEATS:
        parser.error(f"--stdin: expected {' or '.join(SEATS)} as the seat, got {options.stdin[0]!r}")
    for path in (options.stdin and options.stdin[1], options.replay):
        if path is not None and os.path.lexists(path):
            parser.error(f"{path} exists already, and is not overwritten")
    try:
        data = options.file.read_bytes()
        replay = None if options.moves is None else options.moves.read_bytes()
    except OSError as error:
        parser.error(str(error))
    try:
        return _report(options, data, replay)
    except BrokenPipeError:
        # The reader of the output has gone; Python's own flush at the end would fail once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INCOMPLETE


def _report(options, data, replay):
    problems = []
    try:
        content, junk_bytes = object_in(data)
        match = match_detail.read_match(content, problems)
    except DocumentError as error:
        _say(f"{options.file}: {error}")
        return INCOMPLETE
    streams, game = _game(match, problems)
    if replay is not None:
        _take_last_move(game, options.moves, replay, problems)
    told = {"file": str(options.file), **facts(match, streams, game, options.threshold)}
    told["bytes_after_the_object"] = junk_bytes
    if options.stdin is not None:
        _write_stdin(match, int(options.stdin[0]), options.stdin[1], problems)
    if options.replay is not None:
        _write_replay(match, game, options.replay, problems)
    if options.json:
        print(json_line({**told, "problems": problems}))
    else:
        show(told)
    sys.stdout.flush()
    if junk_bytes:
        _say(f"note: {junk_bytes:,} bytes after the JSON object are left out")
    for problem in problems[:MOST_LINES]:
        _say(problem)
    if len(problems) > MOST_LINES:
        _say(f"and {len(problems) - MOST_LINES} more")
    return INCOMPLETE if problems else 0


def _say(line):
    one_line = printable(line.replace("\n", " "))
    print(f"read_match_record: {one_line}", file=sys.stderr)


def _game(match, problems):
    """(the seats' Streams, the Game or None); nothing is read of another game's messages."""
    if not match.is_connect_four:
        return [None] * len(match.seats), None
    streams = [None if seat.stdin is None else read_stream(seat.stdin) for seat in match.seats]
    for number, stream in enumerate(streams):
        if stream is not None and stream.fault is not None:
            problems.append(f"stdin of seat {number}: byte {stream.fault_byte}, {stream.fault}")
    try:
        game = moves.put_together(streams[: match_detail.SEATS])
    except moves.MovesError as error:
        problems.append(f"moves: {error}")
        return streams, None
    if game is not None and game.fault is not None:
        problems.append(f"moves: {game.fault}")
    return streams, game


def _take_last_move(game, path, data, problems):
    try:
        replay, _ = object_in(data)
        if game is None:
            raise moves.MovesError("no game could be read that it could belong to")
        moves.take_last_move(game, replay)
    except (DocumentError, moves.MovesError) as error:
        problems.append(f"{path}: {error}")


def _write_stdin(match, number, path, problems):
    if number < len(match.seats) and match.seats[number].stdin is not None:
        _write_new(path, match.seats[number].stdin, problems)
    else:
        problems.append(f"--stdin: the file has no stdin of seat {number}")


def _write_replay(match, game, path, problems):
    try:
        line = game_record.record_of(match, game).to_json()
    except (game_record.RecordImpossible, RecordError) as error:
        problems.append(f"--replay: {error}")
    else:
        _write_new(path, line.encode("ascii") + b"\n", problems)


def _write_new(path, data, problems):
    try:
        with open(path, "xb") as file:
            file.write(data)
    except OSError as error:
        problems.append(str(error))


def _parser():
    parser = argparse.ArgumentParser(
        prog="scripts/read_match_record",
        description="Tell what a match detail of Saiblo says: who played, what each turn cost, every byte that the "
        "bots were sent, the moves, and what one's own bot wrote to stderr.",
        epilog="Exit status: 0 if all of it could be read, 1 if not, 2 for bad arguments or files.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="what GET /api/matches/ID/ answered")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument(
        "--threshold",
        type=seconds,
        default=THRESHOLD_S,
        metavar="S",
        help="count turns that took longer (default: %(default)s)",
    )
    parser.add_argument(
        "--stdin",
        nargs=2,
        metavar=("SEAT", "OUT"),
        help="also write the bytes that this seat (0 or 1) was sent to a new file",
    )
    parser.add_argument(
        "--replay",
        type=Path,
        metavar="OUT",
        help="also write the game to a new file for `python -m judge replay`",
    )
    parser.add_argument(
        "--moves",
        type=Path,
        metavar="REPLAY",
        help="the match's replay file, for the last move, which no bot is told",
    )
    return parser
