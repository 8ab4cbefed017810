"""Match details of Saiblo made of games that the judge's rules play and the encoders of the wire write."""

import base64
import json

from judge.games.connect_four.rules import ConnectFour
from protocol.games.connect_four import Opening, Turn, encode_opening, encode_turn

BOARD = (9, 10, (8, 3))
# The first mover wins with a row of four; the second mover's stone in column 3 lies on the forbidden cell.
COLUMNS = (4, 4, 5, 3, 6, 6, 7)
STDERR = b"dropfour: engine x86-64-v3 (tried)\n" + b'{"turn":1,"column":4,"value":0.125}\n'

# What the two seats are sent in the first two plies of that game, written out by hand from the protocol's description.
OPENING_LINE = b"9 10 8 3\n"
FIRST_TURN_LINE = b"-1 -1 9 9 9 8 9 9 9 9 9 9 " + b"0 " * 89 + b"0\n"
SECOND_TURN_LINE = b"8 4 9 9 9 8 8 9 9 9 9 9 " + b"0 " * 84 + b"1 " + b"0 " * 4 + b"0\n"


def stdins(columns=COLUMNS, board=BOARD):
    """What seats 0 and 1 are sent in a game in which seat 0 moves first (list of two bytes)."""
    position = ConnectFour(*board)
    sent = [encode_opening(Opening(*board), "saiblo")] * 2
    for column in columns:
        seat = position.to_move
        turn = Turn(position.last, position.tops(), position.board_for(seat))
        sent[seat] += encode_turn(turn, "saiblo")
        position.play(column)
    return sent


def base64_of(data):
    """The base64 (str) of bytes."""
    return base64.b64encode(data).decode("ascii")


def record(moves, times=()):
    """The message's `record` of so many moves, seat 0 first; `times` are the first moves' seconds, then 0.5."""
    rounds = [[]]
    for ply in range(moves):
        time_s = times[ply] if ply < len(times) else 0.5
        rounds.append([{"status": "OK", "time": time_s, "memory": 10**6 * (20 + ply), "position": ply % 2}])
    return rounds


def seat(number, **changes):
    """One entry of `info`; seat 0 belongs to whoever asks."""
    content = {
        "code": {
            "id": f"57538466-4d34-43aa-805e-9b1fb101e34{number}",
            "entity": ("dropfour", "对手")[number],
            "remark": ("first try", "")[number],
            "commit_id": "",
            "version": 3 + number,
        },
        "user": {"username": ("alice", "bob")[number], "id": 7 + number, "email_md5": "d41d8cd98f"},
        "match": 7437552,
        "rank": 1 + number,
        "score": 1 - number,
        "end_state": "OK",
        "is_remote": False,
    }
    if number == 0:
        content |= {"exit_code": 9, "stderr": base64_of(STDERR)}
    return content | changes


def message(sent, rounds, **changes):
    """The content of `message`, which a detail holds as text."""
    return {"record": rounds, "stdinRecords": [base64_of(data) for data in sent], **changes}


def detail(sent=None, rounds=None, seats=None, message_changes=None, **changes):
    """A match detail as a JSON object's content; by default of a game that seat 0 has won."""
    sent = stdins() if sent is None else sent
    rounds = record(len(COLUMNS)) if rounds is None else rounds
    content = {
        "info": [seat(0), seat(1)] if seats is None else seats,
        "state": "评测成功",
        "id": 7437552,
        "create_time": "2026-03-14T12:53:15.092502",
        "logic_version": 1,
        "judger_address": "ares-network",
        "error": "",
        "url": "/api/matches/7437552/download/",
        "message": json.dumps(message(sent, rounds, **(message_changes or {}))),
        "err": "",
        "game": {"name": "Connect4", "id": 3},
        "contest": None,
        "debug": False,
    }
    return content | changes


def saved(folder, content):
    """The path of a file with that content: bytes as they are, anything else as JSON."""
    path = folder / "match_detail.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode("ascii"))
    return path
