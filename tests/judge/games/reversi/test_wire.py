"""Questions on the rules, which a bot may ask in reversi alone, and boards of every size."""

from judge.games import GAMES
from judge.games.reversi.rules import Reversi, cells_to_play
from judge.games.reversi.wire import ReversiWire
from tests.judge.games.reversi.examples import FIRST_TURN

FIRST_QUERY = b"\0\0\0\x43" + FIRST_TURN
# d3, c4, f5 and e6.
FIRST_ANSWER = b"0" * 19 + b"1" + b"0" * 6 + b"1" + b"0" * 10 + b"1" + b"0" * 6 + b"1" + b"0" * 19


def replies(wire, data):
    """The replies in bytes that come one by one."""
    found = []
    for number in range(len(data)):
        wire.replies.feed(data[number : number + 1])
        found.append(wire.replies.next_reply())
    return [reply for reply in found if reply is not None]


def test_a_question_is_answered_and_no_move():
    position = Reversi(8)
    wire = ReversiWire("saiblo", position)
    (query,) = replies(wire, FIRST_QUERY)
    assert wire.answer(position, query) == FIRST_ANSWER
    assert position.moves == []


def test_a_question_is_about_its_own_board_and_side():
    position = Reversi(8, ["d3"])
    wire = ReversiWire("saiblo", position)
    frames = (FIRST_TURN, FIRST_TURN.replace(b"#0", b"#1"), b"#0" + b"1" * 64 + b"#", b"#1" + b"2" * 64 + b"#")
    before, other_side, full, empty = replies(wire, b"".join(b"\0\0\0\x43" + frame for frame in frames))
    assert wire.answer(position, before) == FIRST_ANSWER
    legal = cells_to_play(Reversi(8).owner, 1)
    assert wire.answer(position, other_side) == bytes(48 + (divmod(cell, 8) in legal) for cell in range(64))
    assert wire.answer(position, full) == wire.answer(position, empty) == b"0" * 64


def test_every_size_has_its_board():
    for size in range(4, 11):
        position = Reversi(size)
        turn = ReversiWire("saiblo", position).turn(position)
        assert len(turn) == size * size + 3
        assert (turn.count(b"1"), turn[2:-1].count(b"0")) == (2, 2)


def test_ten_rows_fit_the_picture():
    lines = GAMES["reversi"].rendering(Reversi(10)).plain.splitlines()
    assert lines[0] == "     a  b  c  d  e  f  g  h  i  j "
    assert lines[10] == " 10" + "  . " + " . " * 9
