"""What answers say of moves: value lost, results given away, last chances, in games with and without double moves."""

import itertools

import pytest
from msgspec import structs

from judge.games import GAMES
from judge.review.marks import USUAL, Bounds, CannotBeAsked, ReviewedGame, Sum, Worth, review_game, threat_in_words
from protocol.records.record import GameRecord, Move, Player, Termination
from protocol.records.review import Answer
from tests.judge.helpers.random_games import recorded_game

BOARDS = {
    "connect_four": {"rows": 9, "cols": 9, "forbidden": [0, 8]},
    "reversi": {"size": 4, "opening": []},
    "dots": {"rows": 1, "columns": 2, "opening": ["AAA", "ABA", "BAA"]},
}
# The first mover stacks four stones in column 0, the other plays column 1.
FOUR = [0, 1, 0, 1, 0, 1, 0]
# B takes a box with BBA and moves again; of the other box it draws the last edge too.
BOXES = ["BBA", "AAB", "ABB", "BCA"]


def record_of(game, moves, winner=None, termination=Termination.NORMAL, first="A"):
    """A record of these moves; who makes each is what the rules say."""
    position = GAMES[game].new_position(GAMES[game].read_board(BOARDS[game]))
    made = []
    for move in moves:
        side = ("A", "B")[position.to_move] if first == "A" else ("B", "A")[position.to_move]
        made.append(Move(side, move, 0.1))
        position.play(move)
    return GameRecord(
        game=game,
        board=BOARDS[game],
        players=(Player("one", "one"), Player("two", "two")),
        first=first,
        moves=made,
        winner=winner,
        termination=termination,
        at_fault=None,
        started="",
        finished="",
        judge_version="",
    )


def review_of(record, values, bounds=USUAL, best=None):
    """The review by answers of these values, or (value, proven), for the positions in their order; None: unanswered."""
    answers = {}
    for ply, value in enumerate(values, start=1):
        if value is not None:
            worth = value if isinstance(value, tuple) else (value, None)
            answers[ply] = Answer(*worth, (best or {}).get(ply, "-"))
    return review_game(ReviewedGame(1, record), "engine", answers, bounds)


def test_a_move_loses_what_it_was_worth_before_and_is_not_after():
    review = review_of(record_of("connect_four", [0, 1, 0]), [0.2, 0.1, 0.4, -0.3])
    assert [move.lost for move in review.moves] == [pytest.approx(0.3), pytest.approx(0.5), pytest.approx(0.1)]
    assert review.moves[0].before == Worth(0.2, None)
    assert review.moves[0].after == Worth(-0.1, None)
    assert [move.mark for move in review.moves] == [None, "mistake", None]


def test_what_is_gained_is_no_loss():
    review = review_of(record_of("connect_four", [0, 1]), [-0.5, -0.5, 0.1])
    assert [move.lost for move in review.moves] == [0.0, 0.0]


def test_bounds_of_mistakes_and_blunders():
    for after, bound, mark in [
        (0.1, 0.3, None),
        (0.2, 0.3, "mistake"),
        (0.39, 0.3, "mistake"),
        (0.4, 0.3, "blunder"),
        (0.1, 0.2, "mistake"),
    ]:
        review = review_of(record_of("connect_four", [0]), [0.2, after], Bounds(bound))
        assert review.moves[0].mark == mark, after


def test_a_side_that_moves_twice_keeps_its_value():
    """In dots and boxes who completes a box moves again: its value before and after is its own."""
    record = record_of("dots", BOXES)
    assert [move.side for move in record.moves] == ["B", "B", "A", "B"]
    review = review_of(record, [0.8, 0.7, 0.6, 0.5])
    assert [move.lost for move in review.moves[:3]] == [pytest.approx(0.1), pytest.approx(1.3), pytest.approx(1.1)]
    assert review.moves[3].after == Worth(1.0, "win")  # both boxes, by the rules


def pass_after(record):
    """The first ply whose side moved next too, 0 where there is none."""
    sides = [move.side for move in record.moves]
    return next((ply for ply, (one, other) in enumerate(itertools.pairwise(sides), start=1) if one == other), 0)


def test_a_side_whose_opponent_has_to_pass_keeps_its_value():
    records = (recorded_game("reversi", BOARDS["reversi"], seed) for seed in range(100))
    record, passed = next((each, ply) for each in records if (ply := pass_after(each)))
    assert record.moves[passed - 1].side == record.moves[passed].side
    values = [0.0] * len(record.moves)
    values[passed - 1], values[passed] = 0.6, 0.5
    assert review_of(record, values).moves[passed - 1].lost == pytest.approx(0.1)


def test_the_end_is_worth_what_the_rules_say():
    review = review_of(record_of("connect_four", FOUR, "A"), [0.0, 0.0, 0.0, 0.0, 0.5, -0.5, 0.9])
    assert review.moves[-1].after == Worth(1.0, "win")
    assert review.moves[-1].lost == 0.0
    cut_off = review_of(record_of("connect_four", FOUR[:-1], "A"), [0.0] * 6)
    assert cut_off.moves[-1].lost is None
    assert review_of(record_of("connect_four", FOUR[:-1], "A"), [0.0] * 7).moves[-1].lost == 0.0


@pytest.mark.parametrize(
    "before, after, mark, lost",
    [
        ((1.0, "win"), (0.0, "draw"), "gave_away_win", 1.0),
        ((0.05, "win"), (0.05, "win"), "gave_away_win", 2.0),  # the next side's win; values are of another scale
        ((0.0, "draw"), (1.0, "win"), "gave_away_draw", 1.0),
        ((1.0, "win"), (-1.0, "loss"), None, 0.0),
        ((0.0, "draw"), (0.0, "draw"), None, 0.0),
        ((1.0, "win"), (0.0, None), "blunder", 1.0),  # a drop that nobody has proven is value lost
        ((0.1, None), (1.0, "win"), "blunder", 1.1),
        ((-1.0, "loss"), (0.3, None), None, 0.0),  # a lost position cannot lose more
    ],
)
def test_results_given_away_are_proven_on_both_sides(before, after, mark, lost):
    (move,) = review_of(record_of("connect_four", [0]), [before, after]).moves
    assert (move.mark, move.lost) == (mark, pytest.approx(lost))


def test_what_is_proven_holds_after_the_engines_own_move():
    record = record_of("connect_four", [0, 1, 2])
    values = [(1.0, "win"), -0.2, -0.1, 0.3]
    review = review_of(record, values, best={1: "0"})
    # The first move is the one that was proven to win; the second position is lost, and so is every move there.
    assert [move.lost for move in review.moves] == [0.0, 0.0, pytest.approx(0.2)]
    assert review.moves[1].before == Worth(-0.2, "loss")
    assert review.moves[2].before == Worth(-0.1, "win")
    other = review_of(record, values, best={1: "5"})
    assert other.moves[0].lost == pytest.approx(0.8)


def test_the_last_chance_is_the_losers_last_move_in_a_position_not_lost():
    record = record_of("connect_four", FOUR, "A")
    values = [0.0, 0.1, 0.0, -0.4, 0.8, (-1.0, "loss"), (1.0, "win")]
    review = review_of(record, values)
    assert (review.last_chance, review.moves[3].mark) == (4, "mistake")
    low = review_of(record, [0.0, 0.1, 0.0, -0.6, 0.8, (-1.0, "loss"), (1.0, "win")])
    assert (low.last_chance, low.moves[1].mark) == (2, "last_chance")
    assert review_of(record, values, Bounds(chance=-0.3)).last_chance == 2
    assert review_of(record, [(0.0, None)] + [None] * 6).last_chance is None


def test_who_has_not_lost_on_the_board_had_no_last_chance():
    for winner, termination in [(None, Termination.NORMAL), ("A", Termination.CRASH), (None, Termination.VOID)]:
        record = record_of("connect_four", [0, 1, 2], winner, termination)
        assert review_of(record, [0.0] * 4).last_chance is None, termination


def test_what_has_no_answer_has_no_mark():
    review = review_of(record_of("connect_four", [0, 1, 2]), [0.9, None, 0.9, 0.9])
    assert [(move.lost, move.mark) for move in review.moves] == [(None, None), (None, None), (1.8, "blunder")]
    assert review.as_json()["plies"][1] == {"value": None, "proven": None, "best": None, "lost": None, "mark": None}


def test_sums_are_of_each_side():
    record = record_of("connect_four", FOUR, "B", first="B")
    values = [0.0, 0.2, 0.0, (0.0, "draw"), (1.0, "win"), (0.4, None), (1.0, "win")]
    review = review_of(record, values)
    assert review.sum_of("B").moves == 4
    assert review.sum_of("A") == Sum(3, 0, 1, 0, 1, pytest.approx(0.2 + 1.0 + 1.4))
    assert review.sum_of("A").mean_lost == pytest.approx(2.6 / 3)
    assert (review.sum_of("A") + review.sum_of("B")).moves == 7
    assert Sum().mean_lost is None
    content = review.as_json()
    assert content["sums"]["A"]["draws_given_away"] == 1
    assert len(content["plies"]) == 7


def test_moves_that_the_rules_refuse_end_what_can_be_reviewed():
    record = record_of("connect_four", [0, 1, 2])
    wrong = structs.replace(record, moves=(*record.moves[:2], Move("A", 77, 0.1), *record.moves))
    game = ReviewedGame(1, wrong)
    assert (game.plies, game.movers, game.winner) == (2, ["A", "B", "A"], None)


def test_games_that_no_engine_can_be_told_of():
    for game, board in [
        ("go", {}),
        ("connect_four", {"rows": 3}),
        ("connect_four", {"rows": 4, "cols": 4, "forbidden": None}),
        ("connect_four", {"rows": 9, "cols": 9, "forbidden": None}),
    ]:
        record = structs.replace(record_of("connect_four", []), game=game, board=board)
        with pytest.raises(CannotBeAsked):
            ReviewedGame(1, record)


def told(ply, moves=FOUR):
    return threat_in_words(ReviewedGame(1, record_of("connect_four", moves)), ply)


def test_a_threat_is_told_with_what_would_have_stopped_it():
    assert told(6) == "A threatens to win by column 0 (row 5); only column 0 (row 5) would have stopped this"
    assert told(4) == "" and told(7) == ""  # no threat yet; the win itself
    assert told(7, [*FOUR[:6], 5]) == "column 0 (row 5) would have won at once"
    assert told(6, [2, 2, 3, 3, 4, 0]) == "A threatens to win by column 1 (row 8), column 5 (row 8); " + (
        "no other move would have kept A from winning at once"
    )
    below = [0, 0, 1, 1, 2, 8]  # A wins in the bottom row
    assert told(6, below) == "A threatens to win by column 3 (row 8); only column 3 (row 8) would have stopped this"


def test_what_a_move_itself_made_possible_has_many_other_moves():
    """B lays the stone on which A needs the fourth one."""
    found = told(10, [0, 1, 2, 7, 0, 7, 1, 6, 2, 3])
    assert found == "A threatens to win by column 3 (row 7); 8 other moves would have stopped this"
