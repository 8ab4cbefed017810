"""Which move a search plays by what it knows of each."""

from hypothesis import given
from hypothesis import strategies as st

from bot.search import scores
from bot.search.uct.engine import SearchedMove, best_move

LOSS_IN_20, LOSS_IN_4, WIN_IN_3, WIN_IN_9 = (
    scores.at_most(outcome, plies) for outcome, plies in (("loss", 20), ("loss", 4), ("win", 3), ("win", 9))
)


def test_the_longest_loss_is_played_and_of_equal_ones_the_one_that_the_search_liked():
    """Of every move a solver may say no more than that it loses: the leftmost is no better for being first."""
    moves = {
        0: SearchedMove(LOSS_IN_20, 10, -0.9),
        1: SearchedMove(LOSS_IN_20, 5000, -0.2),
        2: SearchedMove(LOSS_IN_4, 9000, -0.1),
        3: SearchedMove(LOSS_IN_20, 700, -0.3),
    }
    assert best_move(moves, "visits") == 1


def test_the_shortest_win_is_played():
    assert best_move({0: SearchedMove(WIN_IN_9, 900, 0.5), 1: SearchedMove(WIN_IN_3, 1, 0.0)}, "visits") == 1


def test_a_move_of_few_visits_is_not_likely_however_high_its_mean():
    moves = {
        0: SearchedMove(scores.UNPROVEN, 1000, 0.1),
        1: SearchedMove(scores.UNPROVEN, 500, 0.2),
        2: SearchedMove(scores.UNPROVEN, 499, 0.9),
    }
    assert [best_move(moves, final_move) for final_move in ("visits", "mean", "likely")] == [0, 2, 1]


known = st.builds(
    SearchedMove,
    st.sampled_from([LOSS_IN_4, LOSS_IN_20, scores.UNPROVEN, scores.PROVEN_DRAW, WIN_IN_9]),
    st.integers(1, 1000),
    st.floats(-1, 1),
)


@given(st.dictionaries(st.integers(0, 11), known, min_size=1), st.sampled_from(["visits", "mean", "likely"]))
def test_no_proven_loss_is_played_beside_anything_else_and_a_win_is_never_left(moves, final_move):
    score = moves[best_move(moves, final_move)].score
    outcomes = {scores.outcome(move.score) for move in moves.values()}
    assert scores.is_win(score) == ("win" in outcomes)
    assert not scores.is_loss(score) or outcomes == {"loss"}
