"""What passes between judge and bot is kept within bounds, the beginning and the end, and decoded as far as it goes."""

import itertools

from judge.games import GAMES
from judge.incidents import FIRST_BYTES, LAST_BYTES, LONGEST_BYTES, TransferLog
from tests.judge.helpers.scripted import BOARDS


def wire(game="connect_four"):
    return GAMES[game].wire("saiblo", GAMES[game].new_position(BOARDS[game]))


def frame(text):
    return len(text).to_bytes(4, "big") + text


def entries(frames, game="connect_four"):
    return [entry for _moment, entry in frames.entries("A", 100.0, wire(game).replies)]


def test_each_has_its_moment_its_way_its_text_and_what_it_says():
    frames = TransferLog(clock=itertools.count(101.0).__next__)
    frames.sent(b"9 9 0 8\n")
    frames.sent(b"")
    frames.received(104.5, frame(b"8 3")[:5])
    frames.received(104.75, frame(b"8 3")[5:] + frame(b"7 3"))
    opening, half, rest = entries(frames)
    assert opening == {"t": 1.0, "side": "A", "direction": "to_bot", "bytes": 8, "text": "9 9 0 8\n"}
    assert half == {
        "t": 4.5,
        "side": "A",
        "direction": "from_bot",
        "bytes": 5,
        "text": "\0\0\0\x038",
        "hex": "0000000338",
        "decoded": [],
    }
    assert rest["decoded"] == ["Reply(row=8, col=3)", "Reply(row=7, col=3)"]


def test_every_games_replies_are_told():
    for game, data, expected in [
        ("dots", b"name me\nmove 1 AAB\n", "AAB"),
        ("reversi", frame(b"23"), "Reply(row=2, col=3)"),
        ("connect_four", frame(b"left"), "expected"),
    ]:
        frames = TransferLog()
        frames.received(0.0, data)
        frames.received(0.0, data)
        first, second = entries(frames, game)
        assert expected in " ".join(first["decoded"]), game
        assert bool(second["decoded"]) is (game != "connect_four")  # behind what is no reply nothing is one, game


def test_a_flood_is_cut_and_what_is_left_out_is_counted():
    frames = TransferLog()
    chunks = 1000
    for number in range(chunks):
        frames.received(float(number), b"z" * 65536)
    found = entries(frames)
    (gap,) = [entry for entry in found if "event" in entry]
    kept = [entry for entry in found if "bytes_shown" in entry]
    assert gap["frames"] + len(kept) == chunks
    assert gap["bytes"] == gap["frames"] * 65536
    assert [kept[0]["t"], kept[-1]["t"]] == [-100.0, chunks - 1 - 100.0]
    assert sum(len(entry["text"]) for entry in kept) <= FIRST_BYTES + LAST_BYTES
    assert all(entry["bytes_shown"] == LONGEST_BYTES for entry in kept)


def test_many_small_ones_are_bounded_too():
    frames = TransferLog()
    for number in range(100_000):
        frames.received(float(number), frame(b"8 3"))
    assert len(frames.first) + len(frames.last) + frames.dropped == 100_000
    assert len(frames.first) + len(frames.last) < 10_000
