"""Turns of several edges, boards that are named to a bot, and pictures of dots and boxes."""

import pytest

from judge.games import GAMES
from judge.games.dots.rules import Dots, edges_of_board
from judge.games.dots.wire import DotsWire
from judge.games.positions import IllegalMove
from protocol.games.dots import Reply

GAME = GAMES["dots"]


def play(position, *turns):
    """Play edges on the position, turn by turn."""
    for turn in turns:
        for edge in turn.split():
            position.play(edge)


def test_who_plays_white_is_told_so_before_the_game():
    position = Dots(5, 5)
    black, white = DotsWire("saiblo", position), DotsWire("saiblo", position)
    assert black.opening(position, 0) == b"name?\n"
    assert white.opening(position, 1) == b"name?\nnew white\n"
    assert black.turn(position) == b"new black\n"
    assert list(black.play(position, Reply(("AAA",)))) == ["AAA"]
    assert white.turn(position) == b"move 1 AAA\n"


def test_another_board_is_named_before_the_game():
    position = Dots(2, 7)
    assert DotsWire("", position).opening(position, 0) == b"name?\nboard 2x7\n"
    assert DotsWire("", position).opening(position, 1) == b"name?\nboard 2x7\nnew white\n"


def test_an_opening_is_named_and_belongs_to_nobodys_turn():
    position = Dots(5, 5, ("AAB", "BCD"))
    black, white = DotsWire("", position), DotsWire("", position)
    assert black.opening(position, 0) == b"name?\nboard 5x5 AABBCD\n"
    assert white.opening(position, 1) == b"name?\nboard 5x5 AABBCD\nnew white\n"
    assert black.turn(position) == b"new black\n"
    play(position, "AAA")
    assert white.turn(position) == b"move 1 AAA\n"


def test_after_an_odd_opening_white_begins():
    position = Dots(5, 5, ("AAB",))
    black, white = DotsWire("", position), DotsWire("", position)
    assert black.opening(position, 0) == b"name?\nboard 5x5 AAB\nnew black\n"
    assert white.opening(position, 1) == b"name?\nboard 5x5 AAB\n"
    assert white.turn(position) == b"new white\n"
    play(position, "AAA")
    assert black.turn(position) == b"move 1 AAA\n"


def test_a_board_that_is_another_than_the_bot_knows_is_named_anew():
    """At the console moves are taken back, and a hint is asked of a bot that has seen nothing of the game."""
    position = Dots(2, 2)
    wire = DotsWire("", position)
    assert wire.opening(position, 1) == b"name?\nboard 2x2\nnew white\n"
    play(position, "AAA")
    assert wire.turn(position) == b"move 1 AAA\n"
    assert list(wire.play(position, Reply(("ABB",)))) == ["ABB"]
    other = Dots(2, 2)
    play(other, "BAA")  # both moves taken back and another one played
    assert wire.turn(other) == b"board 2x2\nnew white\nmove 1 BAA\n"
    assert list(wire.play(other, Reply(("ACA",)))) == ["ACA"]
    play(other, "BCB")
    assert wire.turn(other) == b"move 1 BCB\n"  # and on it goes
    assert DotsWire("", other).turn(other) == b"board 2x2 BAAACA\nnew white\nmove 1 BCB\n"


def test_a_bot_asked_in_the_middle_of_a_turn_hears_the_whole_board():
    position = Dots(2, 2)
    wire = DotsWire("", position)
    wire.opening(position, 0)
    play(position, "AAA", "ABA", "BAA", "BBA")  # white has completed a box and is still to move
    assert wire.turn(position) == b"board 2x2 AAAABABAABBA\nnew white\n"


def test_a_usual_board_taken_back_to_its_start_is_a_new_game():
    position = Dots(5, 5)
    wire = DotsWire("", position)
    wire.opening(position, 0)
    assert wire.turn(position) == b"new black\n"
    list(wire.play(position, Reply(("AAA",))))
    assert wire.turn(Dots(5, 5)) == b"new black\n"
    second = DotsWire("", position)
    second.opening(Dots(5, 5), 1)
    assert second.turn(position) == b"move 1 AAA\n"
    list(second.play(position, Reply(("AAB",))))
    other = Dots(5, 5)
    play(other, "BAA")
    assert second.turn(other) == b"new white\nmove 1 BAA\n"


def test_turns_that_are_not_whole_or_too_long_are_illegal():
    """What was played before is noted, and the side at fault is still the one to move in the record."""
    opening = ("AAA", "ABA", "BAA")
    for edges, played, named, words in [
        ("BBA", ["BBA"], "BBA", "the turn stops at BBA, which completed a box: an edge has to follow"),
        ("ABB AAB", [], "AAB", "AAB was sent though ABB ended the turn"),
        ("BBA AAB ABB", ["BBA"], "ABB", "ABB was sent though AAB ended the turn"),
        ("BBA BBA", ["BBA"], "BBA", "BBA is drawn already"),
        ("AAA", [], "AAA", "AAA is drawn already"),
        ("BBA AHA", ["BBA"], None, "'AHA' is no edge of 1 x 2 boxes"),
        ("BBA BCA AAB ABB BCA", ["BBA"], "AAB", "AAB was sent though BCA ended the turn"),
    ]:
        position = Dots(1, 2, opening)
        wire, found = DotsWire("", position), []
        with pytest.raises(IllegalMove, match=words) as refused:
            for edge in wire.play(position, Reply(tuple(edges.split()))):
                found.append(edge)
        assert refused.value.cell == (None if named is None else edges_of_board(1, 2).index(named)), edges
        assert found == played, edges
        again = Dots(1, 2, opening)
        play(again, *found)
        assert again.to_move == 1, edges


def test_nothing_may_follow_the_last_edge_but_a_turn_may_end_with_it():
    position = Dots(1, 1, ("AAA", "ABA", "BAA"))
    wire = DotsWire("", position)
    with pytest.raises(IllegalMove, match="BAA was sent though BBA ended the game"):
        list(wire.play(position, Reply(("BBA", "BAA"))))
    position = Dots(1, 1, ("AAA", "ABA", "BAA"))
    assert list(DotsWire("", position).play(position, Reply(("BBA",)))) == ["BBA"]
    assert position.over


def test_edges_are_given_each_when_it_is_drawn():
    position = Dots(1, 2, ("AAA", "ABA", "BAA", "AAB", "ABB"))
    turn = DotsWire("", position).play(position, Reply(("BBA", "BCA")))
    assert (next(turn), position.counts) == ("BBA", (0, 1))
    assert (next(turn), position.counts) == ("BCA", (0, 2))


def drawn(position):
    return GAME.rendering(position).plain.splitlines()


def test_the_picture_marks_every_edge_and_box_of_a_turn_but_none_of_the_opening():
    position = Dots(1, 3, ("AAA", "ABA", "BBA", "ABB"))
    assert "#" not in GAME.rendering(position).plain
    play(position, "AAB", "BAA BCA AAC")
    assert drawn(position)[2:5] == [
        "  AA  .---.---.###.",
        "   A  #[O]|[O]#    ",
        "  AB  .---.---.   .",
    ]
    play(position, "ABC")
    assert drawn(position)[3:5] == ["   A  | O | O |    ", "  AB  .---.---.###."]
    play(position, "BDA")
    assert drawn(position)[3:6] == ["   A  | O | O |[O]#", "  AB  .---.---.---.", "      X 0      O 3"]


def test_every_free_edge_can_be_read_off_the_margins():
    """Each edge drawn alone stands where the letters at the margins say."""
    for rows, columns in ((1, 1), (2, 7), (7, 1)):
        check_margins(rows, columns)


def check_margins(rows, columns):
    empty = Dots(rows, columns)
    for edge in empty.legal_moves():
        position = Dots(rows, columns)
        position.play(edge)
        before, after = drawn(empty), drawn(position)
        changed = [
            (line, place)
            for line, (old, new) in enumerate(zip(before, after, strict=True))
            for place, (was, is_now) in enumerate(zip(old, new, strict=True))
            if was != is_now
        ]
        line, place = changed[len(changed) // 2]
        left = after[line].split()[0]
        if edge[0] == "A":
            assert (left, after[0][place]) == (edge[:2], edge[2])
        else:
            assert (left, after[1][place : place + 2]) == (edge[2], edge[:2])
