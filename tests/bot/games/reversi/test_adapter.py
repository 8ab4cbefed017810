"""Reversi's messages become positions and moves become replies, on Saiblo's wire and on Botzone's."""

import random

import pytest

from bot.games.reversi import adapter
from bot.games.reversi.board import PASS
from bot.games.reversi.notation import move_named, name_of
from bot.games.reversi.plain import start_position
from protocol.botzone import NextRequest, Requests
from protocol.games.reversi import Reply, ReplyDecoder, Turn, botzone


def place_of(move):
    """(row, column) of a move, None for a pass."""
    return None if move == PASS else divmod(move, 16)


def turn_of(position, side):
    """Saiblo's turn for the side to move of a position, which is that side."""
    cells = []
    for index in range(position.size**2):
        bit = 1 << 16 * (index // position.size) + index % position.size
        cells.append(side if position.own & bit else 1 - side if position.opponent & bit else 2)
    return Turn(side, position.size, tuple(cells))


def heard(wire, messages=b"#"):
    """A Dialogue that knows its wire."""
    dialogue = adapter.Dialogue(wire)
    if wire == "auto":
        dialogue.decoder.feed(messages)
    return dialogue


def random_game(seed, size=8):
    """Positions and moves of a whole random game, passes among them."""
    generator, position, course = random.Random(seed), start_position(size), []
    while not position.is_over():
        move = generator.choice(position.legal_moves())
        course.append((position, move))
        position = position.play(move)
    return course


def test_moves_have_names_on_every_board():
    for size in range(4, 11):
        for _, move in random_game(size, size):
            assert move_named(name_of(move)) == move
    assert name_of(move_named("J10")) == "j10" and name_of(16 * 2 + 3) == "d3"
    assert [move_named(text) for text in ("", "d", "3d", "k1", "d0", "d11", "d3x", "dd")] == [None] * 8


def test_a_turn_of_saiblos_is_its_position_and_a_move_its_reply():
    for size in (4, 5, 8, 10):
        check_saiblos_turns(size)


def check_saiblos_turns(size):
    for ply, (position, move) in enumerate(random_game(size, size)):
        if move == PASS:
            continue
        dialogue = heard("saiblo")
        turn = turn_of(position, ply % 2)
        assert dialogue.handle(turn) and dialogue.position_of(turn) == position
        decoder = ReplyDecoder("saiblo", size)
        decoder.feed(dialogue.answer(position, move))
        assert decoder.next_reply() == Reply(*place_of(move))


def test_a_turn_without_a_move_is_refused_in_words():
    with pytest.raises(adapter.ImpossiblePosition, match="has no move") as refused:
        adapter.position_of(Turn(0, 4, (0,) + (2,) * 15))
    assert adapter.Dialogue("saiblo").answer_to_impossible(None, refused.value) == b""


def requests_before(course, ply):
    """What Botzone tells the side that makes the ply-th move (from 0) of a game."""
    moves = [place_of(move) for _, move in course[:ply]]
    if ply % 2 == 0:
        moves.insert(0, None)
    return Requests(tuple(moves[::2]), tuple(moves[1::2]))


def test_botzones_history_is_the_position_passes_included():
    for seed in range(4):
        course = random_game(seed)
        for ply, (position, _) in enumerate(course):
            assert adapter.Dialogue("botzone").position_of(requests_before(course, ply)) == position


@pytest.mark.parametrize("wire, side", [("botzone", 0), ("botzone-simple", 1)])
def test_a_process_that_stays_knows_the_game_from_what_it_has_sent(wire, side):
    passes = 0
    for seed in range(10):
        course, dialogue = random_game(seed), heard(wire)
        for ply, (position, move) in list(enumerate(course))[side::2]:
            told = requests_before(course, ply)
            message = told if ply < 2 else NextRequest(told.requests[-1])
            assert dialogue.handle(message) and dialogue.position_of(message) == position
            answer = dialogue.answer(position, move)
            dialogue.sent(position, move)
            judge = botzone.answer_decoder(wire)
            judge.feed(answer)
            said = judge.next_answer()
            assert (said.move, said.keep_running) == (place_of(move), True)
            passes += move == PASS
    assert passes


def test_what_counts_is_the_answer_that_left():
    """The guard may have answered another move than the one the search came to."""
    dialogue, position = heard("botzone"), start_position(8)
    first, other = position.legal_moves()[:2]
    dialogue.position_of(Requests((None,), ()))
    dialogue.answer(position, other)
    dialogue.answer(position, first)
    dialogue.sent(position, first)
    reached = position.play(first)
    reply = reached.legal_moves()[0]
    assert dialogue.position_of(NextRequest(place_of(reply))) == reached.play(reply)


@pytest.mark.parametrize(
    "message, words",
    [
        (Requests(((0, 0),), ()), "a1 is no legal move"),
        (Requests((None, (0, 0)), ((2, 3),)), "a1 is no legal move"),
        (Requests((None, None), ((2, 3),)), "pass is no legal move"),
    ],
)
def test_an_impossible_history_is_named_and_answered_by_some_move(message, words):
    dialogue = heard("botzone")
    with pytest.raises(adapter.ImpossiblePosition, match=words) as refused:
        dialogue.position_of(message)
    assert dialogue.answer_to_impossible(message, refused.value)


def test_a_later_request_without_a_first_one_has_no_answer():
    dialogue = heard("botzone")
    with pytest.raises(adapter.ImpossiblePosition, match="before the first") as refused:
        dialogue.position_of(NextRequest((2, 3)))
    assert dialogue.answer_to_impossible(None, refused.value) == b""


def test_a_finished_game_is_not_asked_about():
    course = random_game(3)
    position, move = course[-1]
    told = requests_before([*course, (position.play(move), None)], len(course))
    with pytest.raises(adapter.ImpossiblePosition, match="the game is over"):
        adapter.Dialogue("botzone").position_of(told)
