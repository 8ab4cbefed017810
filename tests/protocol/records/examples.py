"""A record for the tests, and a writer process that appends it for ever."""

import sys

from protocol.records.record import GameRecord, Move, Player, Termination, append_record

# The same game as version 1 wrote it, kept as it was written then.
VERSION_1_LINE = (
    r'{"game":"connect_four","rows":9,"cols":10,"forbidden":[8,3],"players":[{"name":"bot","command":"bot",'
    r'"version":"0.1.0"},{"name":"random","command":"python mover.py --seed {seed}","version":null}],'
    r'"first":"B","moves":[{"column":4,"wall_s":0.25,"cpu_s":0.125,"report":{"value":0.5,"pv":[4,4]}},'
    r'{"column":3,"wall_s":0.001,"cpu_s":null,"report":null}],"winner":"A","termination":"NORMAL",'
    r'"at_fault":null,"started":"2025-01-02T03:04:05.678Z","finished":"2025-01-02T03:05:06.789Z",'
    r'"judge_version":"0.1.0","seed":7,"pair":3,"extra":{"peak_rss_bytes":[1048576,2097152],'
    r'"note":"\u56db\u5b50\u68cb\n"},"record_version":1}'
)


def record(**changes):
    """Return a complete record of a 9x10 game, with `changes` to its fields."""
    return GameRecord(
        **{
            "game": "connect_four",
            "board": {"rows": 9, "cols": 10, "forbidden": [8, 3]},
            "players": (Player("bot", "bot", "0.1.0"), Player("random", "python mover.py --seed {seed}")),
            "first": "B",
            "moves": (Move("B", 4, 0.25, 0.125, {"value": 0.5, "pv": [4, 4]}), Move("A", 3, 0.001)),
            "winner": "A",
            "termination": Termination.NORMAL,
            "at_fault": None,
            "started": "2025-01-02T03:04:05.678Z",
            "finished": "2025-01-02T03:05:06.789Z",
            "judge_version": "0.1.0",
            "seed": 7,
            "pair": 3,
            "extra": {"peak_rss_bytes": [1 << 20, 1 << 21], "note": "四子棋\n"},
            **changes,
        }
    )


def append_for_ever(path, name, size):
    """Append records with pair = 0, 1, 2, ... and `size` characters of padding until killed."""
    pair = 0
    while True:
        append_record(path, record(pair=pair, extra={"writer": name, "padding": "x" * size}))
        print(pair, flush=True)
        pair += 1


if __name__ == "__main__":
    append_for_ever(sys.argv[1], sys.argv[2], int(sys.argv[3]))
