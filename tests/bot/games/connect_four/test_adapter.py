"""Between wire and rules: turns become positions, columns become replies, impossible turns are named."""

import random

import pytest

from bot.games.connect_four import adapter
from bot.games.connect_four.plain import empty_position
from judge.games.connect_four.rules import ConnectFour
from protocol.games.connect_four import GAME_OVER, Opening, Reply, ReplyDecoder, Turn

OPENING = Opening(9, 10, (8, 3))


def turn_of(rules):
    """The judge's view for the side to move."""
    return Turn(rules.last, rules.tops(), rules.board_for(rules.to_move))


def reply_in(payload, wire="saiblo"):
    """The one Reply that the bytes are."""
    decoder = ReplyDecoder(wire)
    decoder.feed(payload)
    reply = decoder.next_reply()
    assert decoder.next_reply() is None and not decoder.partial
    return reply


def test_turns_of_random_games():
    generator = random.Random(1)
    for _ in range(30):
        rows, cols = generator.randint(9, 12), generator.randint(9, 12)
        forbidden = generator.choice([0, rows - 1, generator.randrange(rows)]), generator.randrange(cols)
        rules, opening = ConnectFour(rows, cols, forbidden), Opening(rows, cols, forbidden)
        expected = empty_position(rows, cols, (rows - 1 - forbidden[0], forbidden[1]))
        while not rules.over:
            position = adapter.position_of(opening, turn_of(rules))
            assert position == expected
            assert (position.board, position.opponent_has_won()) == (expected.board, False)
            for row, column in rules.legal_cells():
                assert reply_in(adapter.reply_payload(position, column, "saiblo")) == Reply(row, column)
            column = generator.choice(rules.legal_moves())
            rules.play(column)
            expected = expected.play(column)


@pytest.mark.parametrize("wire", adapter.WIRES)
def test_replies_on_every_wire_skip_the_forbidden_cell(wire):
    rules = ConnectFour(9, 10, (7, 2))
    rules.play(2)
    position = adapter.position_of(Opening(9, 10, (7, 2)), turn_of(rules))
    payload = adapter.greeting(wire) + adapter.reply_payload(position, 2, wire)
    assert reply_in(payload, wire) == Reply(6, 2)


def test_tops_may_be_unknown():
    rules = ConnectFour(9, 10, (8, 3))
    rules.play(3)
    assert adapter.position_of(OPENING, turn_of(rules)._replace(tops=None)) == adapter.position_of(
        OPENING, turn_of(rules)
    )


def drawn_turn(stones, tops=None):
    """A Turn on OPENING's board with {(row, column): 1 or 2}; tops follow from the stones unless given."""
    board = [0] * 90
    for (row, column), owner in stones.items():
        board[10 * row + column] = owner
    if tops is None:
        tops = [
            min([row for row, other in stones if other == column] + [8 if column == 3 else 9]) for column in range(10)
        ]
    return Turn(None, tuple(tops), tuple(board))


FULL_COLUMN = {(row, 0): 1 + row % 2 for row in range(9)}
EMPTY_TOPS = (9, 9, 9, 8, 9, 9, 9, 9, 9, 9)

IMPOSSIBLE = {
    "a stone lies in the forbidden cell": drawn_turn({(8, 3): 1}),
    "a stone floats in column 4": drawn_turn({(7, 4): 1}),
    "a stone floats in column 3": drawn_turn({(6, 3): 1}),
    "a stone floats in column 0": drawn_turn({**FULL_COLUMN, (4, 0): 0}),
    "top[4] is 9, the board says 8": drawn_turn({(8, 4): 1}, EMPTY_TOPS),
    "top[3] is 9, the board says 8": drawn_turn({}, (9,) * 10),
    "top[0] is 1, the board says 0": drawn_turn(FULL_COLUMN, (1, *EMPTY_TOPS[1:])),
    "one side is 2 stones ahead": drawn_turn({(8, 4): 1, (8, 6): 1}),
    "one side is 3 stones ahead": drawn_turn({(8, 4): 2, (8, 6): 2, (8, 8): 2}),
    "a four is already on the board": drawn_turn(
        {(8, 4): 1, (8, 5): 1, (8, 6): 1, (8, 7): 1, (7, 4): 2, (7, 5): 2, (7, 6): 2}
    ),
    "every column is full": drawn_turn(
        {
            (row, column): 1 + ((column + 1) // 2 + row) % 2
            for row in range(9)
            for column in range(10)
            if (row, column) != (8, 3)
        },
        (0,) * 10,
    ),
}


def test_impossible_turns_are_named_and_answered_where_there_is_a_move():
    for words, turn in IMPOSSIBLE.items():
        check_impossible(words, turn)


def check_impossible(words, turn):
    with pytest.raises(adapter.ImpossiblePosition) as refused:
        adapter.position_of(OPENING, turn)
    assert str(refused.value) == words
    payload = adapter.reply_to_impossible(OPENING, turn, refused.value, "saiblo")
    if words == "every column is full":
        assert payload == b""
        return
    row, column = reply_in(payload)
    assert (row, column) != OPENING.forbidden
    assert turn.board[row * OPENING.cols + column] == 0
    if refused.value.stands:  # the board is the truth: the stone comes to lie on what is there
        below = [(lower, column) for lower in range(row + 1, OPENING.rows)]
        assert all(place == OPENING.forbidden or turn.board[place[0] * OPENING.cols + column] for place in below)
    else:
        assert row == turn.tops[column] - 1 - ((turn.tops[column] - 1, column) == OPENING.forbidden)


def impossible_reply(opening, turn):
    """The reply to a turn that cannot be; fails if it can."""
    with pytest.raises(adapter.ImpossiblePosition) as refused:
        adapter.position_of(opening, turn)
    return reply_in(adapter.reply_to_impossible(opening, turn, refused.value, "saiblo"))


def test_tops_that_allow_nothing_do_not_silence_the_bot():
    assert impossible_reply(OPENING, drawn_turn({}, (0,) * 10))[0] in (7, 8)


def test_a_win_is_seen_whatever_the_tops_say():
    turn = drawn_turn({(8, 4): 2, (8, 5): 2, (8, 6): 2, (7, 4): 1, (7, 5): 1, (7, 6): 1})
    tops = list(turn.tops)
    tops[9] -= 1
    assert impossible_reply(OPENING, Turn(turn.last, tuple(tops), turn.board)) == (8, 7)


def test_one_stone_ahead_is_possible_for_either_side():
    """An analysis may begin anywhere: only two stones out of balance cannot be."""
    for mover in (1, 2):
        assert adapter.position_of(OPENING, drawn_turn({(8, 4): mover})).plies() == 1


def test_a_reply_to_the_impossible_never_leaves_the_board():
    """The forbidden cell is on top of the middle column, and the tops wrongly promise it."""
    opening = Opening(9, 11, (0, 5))
    turn = Turn(None, (9, 9, 9, 9, 9, 1, 9, 9, 9, 9, 9), (0,) * 99)
    row, column = impossible_reply(opening, turn)
    assert 0 <= row < 9 and 0 <= column < 11
    assert (row, column) != (0, 5)


def test_messages_are_told_apart():
    turn = drawn_turn({})
    dialogue = adapter.Dialogue("saiblo")
    assert not dialogue.handle(OPENING) and dialogue.handle(turn)
    assert dialogue.position_of(turn) == adapter.position_of(OPENING, turn)
    assert [dialogue.is_over(message) for message in (OPENING, turn, GAME_OVER)] == [False, False, True]
