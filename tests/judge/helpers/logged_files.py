"""A file in every format: one captured, the others made of our records as the programs make them.

A new format gets its file in samples() and the games in it in GAMES_OF; tests/contracts/test_format.py does the rest.
"""

import json

from judge.formats import registry, text
from protocol.botzone import Requests
from protocol.games.reversi import botzone as reversi_on_botzone
from protocol.records.record import Termination
from tests.judge.helpers.logged_games import any_record
from tests.judge.helpers.match_details import COLUMNS, detail, seat, stdins
from tests.judge.helpers.match_details import record as record_of_turns

# What a game's logic wrote under Saiblo's official local judger, byte for byte.
CAPTURED = (
    '{"row": 9, "col": 9, "nox": 7, "noy": 1, "rounds": [0, 1, 0, 1, 0, 1, 0], "win": 0, '
    '"gameend_reason": "four in a row"}'
)
WON = json.loads(CAPTURED)
# A log as Compete prints it, with a seed as since 2020: the first mover's column against the second's, and a late move.
LOG = """Round 0 seed: 1700000000 :
M = 9, N = 9
A first:
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
A . . . . . . . .
A B . . . . . . .
A X . . . . . . .
A B . . . . . . B
A - won
B first:
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. X . . . . . . .
A B . . . . . . .
B - timed out

Stat:
ratio of A wins : 1
ratio of B wins : 0
ratio of Tie : 0

ratio of (A wins + tie) : 1
ratio of (B wins + tie) : 0
"""


def reversi_history(record, player):
    """The Requests that this player of a game of reversi without passes was sent in the end."""
    cells = [(int(move.move[1:]) - 1, "abcdefgh".index(move.move[0])) for move in record.moves]
    requests, responses = [None][player:] + cells[1 - player :: 2], cells[player::2]
    responses = responses[: len(requests) - 1]
    return Requests(tuple(requests[: len(responses) + 1]), tuple(responses))


def contest_lines(record):
    """The lines of both engines in a game of dots and boxes."""
    turns = []
    for ply, move in enumerate(record.moves):
        if ply and record.moves[ply - 1].side == move.side:
            turns[-1].append(move.move)
        else:
            turns.append([move.move])
    opening = "".join(record.board["opening"])
    lines = [f"board {record.board['rows']}x{record.board['columns']} {opening}", "new black", "new white"]
    return "\n".join([*lines, *(f"move {len(turn)} {''.join(turn)}" for turn in turns), "end", "quit"])


def samples():
    """{a format's name: a file of it}."""
    record = any_record("reversi", 2, 20, Termination.CRASH)
    history = reversi_history(record, 0)
    late = [seat(0), seat(1, end_state="TLE")]
    return {
        "record": (any_record("dots", 1).to_json() + "\n" + any_record("connect_four", 1).to_json() + "\n").encode(),
        "saiblo-match": json.dumps(detail(stdins(COLUMNS[:6]), record_of_turns(6), late)).encode(),
        "saiblo": CAPTURED.encode(),
        "saiblo-reversi": registry.REPLAYS["reversi"](any_record("reversi", 4)).encode(),
        "compete": LOG.encode(),
        "compete-result": b"0:\n1\t35\t0\n1\t17\t0\n\nStat:\nratio of A wins : 1\n",
        "contest": contest_lines(any_record("dots", 3)).encode(),
        "text": "".join(text.write(any_record(game, 6)) for game in ("connect_four", "reversi", "dots")).encode(),
        "botzone": reversi_on_botzone.encode_requests(history, "botzone")
        + reversi_on_botzone.encode_requests(history, "botzone"),
    }


# {a format's name: (game, plies, how it ended, who was at fault) of each game in its file}.
GAMES_OF = {
    "record": [("dots", 27, "NORMAL", None), ("connect_four", 34, "NORMAL", None)],
    "saiblo-match": [("connect_four", 5, "TIME_FORFEIT", "B")],
    "saiblo": [("connect_four", 7, "NORMAL", None)],
    "saiblo-reversi": [("reversi", 60, "NORMAL", None)],
    "compete": [("connect_four", 7, "NORMAL", None), ("connect_four", 2, "TIME_FORFEIT", "B")],
    "compete-result": [],  # it has no moves
    "contest": [("dots", 27, "NORMAL", None)],
    "text": [("connect_four", 31, "NORMAL", None), ("reversi", 60, "NORMAL", None), ("dots", 27, "NORMAL", None)],
    "botzone": [("reversi", 20, "VOID", None)],
}
# {a format's name: (the games whose records we write in it, one record as its text)}.
WRITERS = {
    "record": (("connect_four", "reversi", "dots"), lambda record: record.to_json() + "\n"),
    "saiblo": (("connect_four",), registry.REPLAYS["connect_four"]),
    "saiblo-reversi": (("reversi",), registry.REPLAYS["reversi"]),
    "text": (("connect_four", "reversi", "dots"), text.write),
}
