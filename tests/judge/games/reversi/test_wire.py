"""Reversi's messages byte for byte as the judge writes and reads them, and its pictures."""

import pytest

from judge.games import GAMES
from judge.games.positions import IllegalMove
from judge.games.reversi import checks as reversi_checks
from judge.games.reversi.board import Board
from judge.games.reversi.rules import Reversi, cells_to_play
from judge.games.reversi.wire import ReversiWire
from protocol.errors import LocalProtocolError
from protocol.games.reversi import Reply

# As in the protocol's description: 0 and 1 the players' discs, 2 an empty cell.
FIRST_TURN = b"#0" + b"2" * 27 + b"10" + b"2" * 6 + b"01" + b"2" * 27 + b"#"
FIRST_QUERY = b"\0\0\0\x43" + FIRST_TURN
# d3, c4, f5 and e6.
FIRST_ANSWER = b"0" * 19 + b"1" + b"0" * 6 + b"1" + b"0" * 10 + b"1" + b"0" * 6 + b"1" + b"0" * 19


def codec(position):
    return ReversiWire("saiblo", position)


def replies(wire, data):
    """The replies in bytes that come one by one."""
    found = []
    for number in range(len(data)):
        wire.replies.feed(data[number : number + 1])
        found.append(wire.replies.next_reply())
    return [reply for reply in found if reply is not None]


def test_a_turn_is_the_whole_board():
    position = Reversi(8)
    wire = codec(position)
    assert (wire.opening(position, 0), wire.game_over()) == (b"", b"")
    assert wire.turn(position) == FIRST_TURN
    (reply,) = replies(wire, b"\x00\x00\x00\x0223")
    assert wire.answer(position, reply) is None
    assert wire.play(position, reply) == ("d3",)
    assert wire.turn(position) == b"#1" + b"2" * 19 + b"0" + b"2" * 7 + b"00" + b"2" * 6 + b"01" + b"2" * 27 + b"#"


@pytest.mark.parametrize("size", range(4, 11))
def test_every_size_has_its_board(size):
    position = Reversi(size)
    turn = codec(position).turn(position)
    assert len(turn) == size * size + 3
    assert (turn.count(b"1"), turn[2:-1].count(b"0")) == (2, 2)


def test_a_reply_off_the_board_or_taken_is_illegal():
    position = Reversi(8)
    for row, column in ((3, 3), (8, 0), (0, 9)):
        with pytest.raises(IllegalMove):
            codec(position).play(position, Reply(row, column))


def test_a_question_is_answered():
    position = Reversi(8)
    wire = codec(position)
    (query,) = replies(wire, FIRST_QUERY)
    assert wire.answer(position, query) == FIRST_ANSWER
    assert position.moves == []


def test_a_question_is_about_its_own_board_and_side():
    position = Reversi(8, ["d3"])
    wire = codec(position)
    before, other_side, full, empty = replies(
        wire,
        FIRST_QUERY
        + FIRST_QUERY.replace(b"#0", b"#1")
        + b"\0\0\0\x43#0"
        + b"1" * 64
        + b"#"
        + b"\0\0\0\x43#1"
        + b"2" * 64
        + b"#",
    )
    assert wire.answer(position, before) == FIRST_ANSWER
    legal = cells_to_play(Reversi(8).owner, 1)
    assert wire.answer(position, other_side) == bytes(
        ord("1") if divmod(cell, 8) in legal else ord("0") for cell in range(64)
    )
    assert wire.answer(position, full) == wire.answer(position, empty) == b"0" * 64


@pytest.mark.parametrize("name", ["auto", "botzone", "saiblo-v1"])
def test_the_judge_speaks_saiblos_wire_alone(name):
    with pytest.raises(LocalProtocolError, match="wire: expected saiblo"):
        ReversiWire(name, Reversi(8))


def drawn(position):
    return GAMES["reversi"].picture(position).plain.splitlines()


def test_the_picture_shows_discs_legal_cells_and_counts():
    position = Reversi(8)
    assert drawn(position) == [
        "     a  b  c  d  e  f  g  h ",
        "  1  .  .  .  .  .  .  .  . ",
        "  2  .  .  .  .  .  .  .  . ",
        "  3  .  .  .  +  .  .  .  . ",
        "  4  .  .  +  O  X  .  .  . ",
        "  5  .  .  .  X  O  +  .  . ",
        "  6  .  .  .  .  +  .  .  . ",
        "  7  .  .  .  .  .  .  .  . ",
        "  8  .  .  .  .  .  .  .  . ",
        "     a  b  c  d  e  f  g  h ",
        "    X 2    O 2",
    ]
    position.play("d3")
    assert drawn(position)[3:6] == [
        "  3  .  .  + [X] +  .  .  . ",
        "  4  .  .  .  X  X  .  .  . ",
        "  5  .  .  +  X  O  .  .  . ",
    ]
    assert drawn(position)[-1] == "    X 4    O 1"


def test_ten_rows_fit_the_picture():
    lines = drawn(Reversi(10))
    assert lines[0] == "     a  b  c  d  e  f  g  h  i  j "
    assert lines[10] == " 10" + "  . " + " . " * 9


def test_a_pass_is_told_with_the_move_before_it():
    game = GAMES["reversi"]
    position = game.new_position(reversi_checks.OPPONENT_PASSES)
    position.play("a2")
    assert game.move_in_words(position) == "a2, the other side has no move"
    position.play(position.legal_moves()[0])
    assert not position.passed
    assert game.move_in_words(position) == game.move_in_words(position).split(",")[0]


def test_endings_in_words():
    game = GAMES["reversi"]
    for size, words in ((8, "has 45 discs to 19"), (6, "18 discs each")):
        position = game.new_position(Board(size))
        while not position.over:
            position.play_cell(*position.legal_cells()[0])
        assert game.ending(position) == words
