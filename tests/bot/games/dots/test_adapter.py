"""Messages of dots and boxes become positions and turns become replies, on the platform's wire and on Botzone's."""

import random

import pytest

from bot.games.dots import adapter
from bot.games.dots.board import edges_of, turn_of
from bot.games.dots.notation import edge_name, edges_named, name_of
from bot.games.dots.plain import start_position
from protocol.botzone import NextRequest, Requests
from protocol.games.dots import Board, Complaint, End, NameQuery, New, Quit, Turn
from tests.bot.games.dots.helpers.counts import all_turns, drawn_position
from tests.bot.games.dots.helpers.wire_games import PASS, DotsGame, reply_decoder

NO_EDGE = (-1, -1, 0)


def heard(dialogue, message):
    """Whether the message is a turn, and its position if it has one."""
    return dialogue.handle(message) and dialogue.position_of(message)


def sent(dialogue, position, edges):
    """Answer that position with a turn; the bytes."""
    dialogue.sent(position, turn_of(edges))
    return dialogue.answer(position, turn_of(edges))


def chosen(generator, position):
    """A turn by chance, those with many edges among them."""
    return generator.choice(position.legal_moves())


def decoded(wire, data):
    decoder = reply_decoder(wire)
    decoder.feed(data)
    return decoder.next_reply()


@pytest.mark.parametrize("size, side", [((5, 5), 0), ((1, 3), 1), ((4, 2), 1)])
def test_the_platforms_games_are_followed(size, side):
    """The position of every turn has the board's edges, and the boxes of the side that is asked less the other's."""
    for seed in range(5):
        generator, game = random.Random(seed), DotsGame("platform", side, seed, size)
        dialogue = adapter.Dialogue("platform")
        dialogue.decoder.feed(game.turn())
        while not game.rules.over:
            message = dialogue.decoder.next_message()
            while message is not None:
                position = heard(dialogue, message)
                message = dialogue.decoder.next_message()
            assert {edge_name(edge) for edge in position.legal_edges()} == set(game.rules.legal_moves())
            assert position.margin == game.rules.counts[side] - game.rules.counts[1 - side]
            move = chosen(generator, position)
            answer = dialogue.answer(position, move)
            dialogue.sent(position, move)
            reply = decoded("platform", answer)
            assert "".join(reply.edges) == name_of(move)
            game.take(reply)
            if not game.rules.over:
                dialogue.decoder.feed(game.turn())


@pytest.mark.parametrize(
    "wire, side, stays", [("botzone", 0, True), ("botzone", 1, False), ("botzone-simple", 1, True)]
)
def test_botzones_games_are_followed_edge_by_edge(wire, side, stays):
    passes = went_on = 0
    for seed in range(3):
        generator, game, dialogue = random.Random(seed), DotsGame(wire, side, seed), adapter.Dialogue(wire)
        before = None
        while not game.rules.over:
            if not stays:
                dialogue, game._asked = adapter.Dialogue(wire), False
            dialogue.decoder.feed(game.turn())
            message = dialogue.decoder.next_message()
            if game.must_pass():
                passes += 1
                assert not dialogue.handle(message)
                game.take(decoded(wire, dialogue.reply_without_turn(message)))
                continue
            position = heard(dialogue, message)
            assert {edge_name(edge) for edge in position.legal_edges()} == set(game.rules.legal_moves())
            assert position.margin == game.rules.counts[side] - game.rules.counts[1 - side]
            went_on += before == game.rules.drawers[-1:]
            move = chosen(generator, position)
            answer = dialogue.answer(position, move)
            dialogue.sent(position, move)
            reply = decoded(wire, answer)
            assert reply.edges == (edge_name(edges_of(move)[0]),)
            game.take(reply)
            before = [side]
    assert passes and went_on


def test_what_is_no_turn_and_what_answers_it():
    dialogue = adapter.Dialogue("platform")
    for message, answer in (
        (NameQuery(), b"name dropfour\n"),
        (Board(2, 2, ()), b""),
        (New(1), b""),
        (Complaint(), b""),
        (End(), b""),
        (Quit(), b""),
    ):
        assert not dialogue.handle(message)
        assert dialogue.reply_without_turn(message) == answer
        assert dialogue.is_over(message) == isinstance(message, Quit)
    assert (dialogue.HAS_OPENING, dialogue.greeting()) == (False, b"")


def test_a_board_is_of_the_next_game_alone():
    dialogue = adapter.Dialogue("platform")
    assert not dialogue.handle(Board(1, 2, ("AAA", "AAB")))
    position = heard(dialogue, New(0))
    assert position == start_position(1, 2).draw(0)[0].draw(1)[0]
    assert heard(dialogue, New(0)) == start_position(5, 5)


@pytest.mark.parametrize(
    "edges, to_move, margin",
    [(("AAA", "ABA", "BAA", "BBA"), 1, 1), (("AAA", "ABA", "BAA", "BBA", "AAB"), 0, -1), (("AAA",), 1, 0)],
)
def test_a_boards_edges_say_who_is_to_move_and_who_has_boxes(edges, to_move, margin):
    for side in (0, 1):
        dialogue = adapter.Dialogue("platform")
        dialogue.handle(Board(1, 2, edges))
        assert dialogue.handle(New(side)) == (side == to_move)
        if side == to_move:
            assert dialogue.position_of(New(side)).margin == margin


def test_a_new_game_begins_while_one_runs():
    dialogue = adapter.Dialogue("platform")
    position = heard(dialogue, New(0))
    sent(dialogue, position, edges_named("AAA"))
    assert not dialogue.handle(New(1))
    assert heard(dialogue, Turn(("ABA",))) == start_position(5, 5).play(turn_of(edges_named("ABA")))


def test_the_opponents_last_turn_is_no_question():
    dialogue = adapter.Dialogue("platform")
    dialogue.handle(Board(1, 1, ()))
    position = heard(dialogue, New(0))
    sent(dialogue, position, edges_named("AAA"))
    position = heard(dialogue, Turn(("ABA",)))
    sent(dialogue, position, edges_named("BAA"))
    assert not dialogue.handle(Turn(("BBA",)))
    assert dialogue.reply_without_turn(Turn(("BBA",))) == b""


def test_what_counts_is_the_answer_that_left():
    """The guard may have answered another turn than the one the search came to."""
    dialogue = adapter.Dialogue("platform")
    position = heard(dialogue, New(0))
    dialogue.answer(position, turn_of(edges_named("AAA")))
    dialogue.answer(position, turn_of(edges_named("ABB")))
    dialogue.sent(position, turn_of(edges_named("AAA")))
    assert name_of(turn_of(heard(dialogue, Turn(("BAA",))).legal_edges()[:1])) == "AAB"


@pytest.mark.parametrize(
    "edges, words, left",
    [
        (("AAA", "AAB"), "AAB after the turn's end", 11),
        (("ACA", "ACA"), "ACA after the turn's end", 11),
        (("ADA",), "ADA is drawn already or off the board", 12),
    ],
)
def test_an_impossible_turn_is_named_and_answered_on_the_board_as_it_is(edges, words, left):
    dialogue = adapter.Dialogue("platform")
    dialogue.handle(Board(2, 2, ()))
    dialogue.handle(New(1))
    message = Turn(edges)
    assert dialogue.handle(message)
    with pytest.raises(adapter.ImpossiblePosition, match=words) as refused:
        dialogue.position_of(message)
    assert refused.value.position.free_edges() == left
    answer = decoded("platform", dialogue.answer_to_impossible(message, refused.value))
    assert len(answer.edges) == 1 and edges_named(answer.edges[0])[0] in refused.value.position.legal_edges()
    # The game goes on from there.
    rest = [edge for edge in refused.value.position.legal_edges() if edge not in edges_named(answer.edges[0])]
    assert heard(dialogue, Turn((edge_name(rest[-1]),))).free_edges() == left - 2


def test_a_turn_that_stops_within_a_capture_is_named():
    dialogue = adapter.Dialogue("platform")
    dialogue.handle(Board(1, 2, ("AAA", "ABA", "AAB")))
    position = heard(dialogue, New(1))
    sent(dialogue, position, edges_named("BAA"))
    assert dialogue.handle(Turn(("BBA",)))
    with pytest.raises(adapter.ImpossiblePosition, match="though its last edge completes a box") as refused:
        dialogue.position_of(None)
    assert refused.value.position.margin == -1


def test_turns_out_of_turn_are_named():
    dialogue = adapter.Dialogue("platform")
    message = Turn(("AAA",))
    assert dialogue.handle(message)
    with pytest.raises(adapter.ImpossiblePosition, match="before the game has begun") as refused:
        dialogue.position_of(message)
    assert dialogue.answer_to_impossible(message, refused.value) == b""
    dialogue.handle(New(0))
    assert dialogue.handle(Turn(("AAA",)))
    with pytest.raises(adapter.ImpossiblePosition, match="instead of an answer to the bot's"):
        dialogue.position_of(None)


@pytest.mark.parametrize(
    "message, words, answered",
    [
        (NextRequest((1, 0, 0)), "a later request before the first one", False),
        (Requests((NO_EDGE, (1, 0, 0)), ((1, 0),)), "AAA is drawn already", True),
        (Requests(((1, 0, 0), (3, 0, 0)), ((-1, -1),)), "though it is not to move", True),
        (Requests((NO_EDGE, NO_EDGE), ((1, 0),)), "asked though the other side is to move", True),
        (Requests((NO_EDGE, (1, 0, 1)), ((1, 0),)), "AAA is drawn already", True),
    ],
)
def test_an_impossible_history_is_named(message, words, answered):
    dialogue = adapter.Dialogue("botzone")
    assert dialogue.handle(message)
    with pytest.raises(adapter.ImpossiblePosition, match=words) as refused:
        dialogue.position_of(message)
    answer = dialogue.answer_to_impossible(message, refused.value)
    if not answered:
        assert answer == b""
    else:
        passes = isinstance(message, Requests) and message.requests[-1][2]
        assert (decoded("botzone", answer) == PASS) == bool(passes)


def test_every_turn_of_an_end_is_answered_whole():
    dialogue, position = adapter.Dialogue("platform"), drawn_position(random.Random(3), (2, 3), 5)
    for edges in all_turns(position):
        assert decoded("platform", dialogue.answer(position, turn_of(edges))).edges == tuple(map(edge_name, edges))


def test_the_benchs_positions_are_played_on():
    positions = adapter.bench_positions() + adapter.solver_bench_positions()
    assert [position.free_edges() for position in positions] == [60, 48, 40, 30, 60, 32, 34]
    assert all(position.margin == 0 for position in positions)


def test_names_of_moves():
    turn = turn_of(edges_named("AABBCD"))
    assert adapter.move_name(turn) == adapter.in_words(turn) == "AABBCD"
