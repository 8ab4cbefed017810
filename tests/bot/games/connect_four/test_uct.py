"""The UCT engine: what it proves is true, what it prefers is in order; test_uct_tree.py has the rest.

Searches are counted, not timed: every result here is the same on every machine.
"""

import itertools

import pytest

from bot.games.connect_four.plain import empty_position, tactical_columns
from bot.games.connect_four.settings import DEFAULT
from bot.games.connect_four.uct.engine import UctEngine
from bot.search.process_memory import PROCESS_MB, SMALLEST_SEARCH_MB
from bot.search.scores import PROVEN_DRAW, outcome, plies_to_end
from tests.bot.games.connect_four.helpers.exhaustive import (
    Solver,
    late_positions,
    position_from_picture,
    random_positions,
)

MEMORY_MB = PROCESS_MB + SMALLEST_SEARCH_MB
ENOUGH = 20_000
NO_TREE_TACTICS = ("tree_wins=off", "tree_blocks=off", "tree_avoid=off", "tree_reserve=off")
NO_ROLLOUT_TACTICS = (
    "rollout_wins=off",
    "rollout_blocks=off",
    "rollout_avoid=off",
    "rollout_reserve=off",
    "rollout_pairs=off",
)
SETTINGS = [
    (),
    *[(change,) for change in NO_TREE_TACTICS + NO_ROLLOUT_TACTICS],
    ("rollout_follow=0", "rollout_even=0"),
    ("rollout_follow=9", "rollout_even=9"),
    ("rollout_reply=6",),
    ("rollout_reply=9",),
    ("network_share=0.4",),
    ("network_share=1",),
    ("rollout_proofs=off",),
    ("share=off",),
    ("keep_tree=off",),
    ("selection=ucb1", "exploration=1"),
    ("final_move=mean",),
    ("expand_visits=5",),
    ("relative_first_play=off",),
    ("think_when_forced=off",),
    ("proofs=off",),
    ("tree_wins=off", "rollout_proofs=off"),
    (*NO_TREE_TACTICS, "rollout_proofs=off"),
    (*NO_TREE_TACTICS, *NO_ROLLOUT_TACTICS),
    (*NO_TREE_TACTICS, *NO_ROLLOUT_TACTICS, "proofs=off", "share=off", "keep_tree=off"),
]


@pytest.fixture(scope="module")
def solver():
    return Solver()


@pytest.fixture(scope="module", params=[100, pytest.param(400, marks=pytest.mark.slow)])
def solved(solver, request):
    """Positions of many sizes with their moves' scores, tactically decided ones among them."""
    positions = itertools.chain(random_positions(21, request.param), late_positions(21, request.param // 4))
    return [(position, solver.move_scores(position)) for position in positions]


@pytest.fixture
def make_engine(kernels):
    """Engines with these settings, in the smallest memory."""

    def make(*changes):
        return UctEngine(kernels, DEFAULT.with_values(changes), MEMORY_MB, 1)

    return make


@pytest.mark.parametrize("changes", SETTINGS, ids=" ".join)
def test_proofs_and_moves_are_right(make_engine, solved, changes):
    engine = make_engine(*changes)
    good_moves = 0
    for position, move_scores in solved:
        best = max(move_scores.values())
        decision = engine.think(position, iterations=2000)
        assert decision.proven in (None, outcome(best))
        assert -1 <= decision.value <= 1
        assert decision.move in move_scores
        if decision.proven:
            assert outcome(move_scores[decision.move]) == outcome(best)
            assert decision.value == {"win": 1, "draw": 0, "loss": -1}[decision.proven]
        good_moves += outcome(move_scores[decision.move]) == outcome(best)
    assert good_moves >= 0.99 * len(solved)


def test_nearly_all_is_proven_in_the_end(make_engine, solved):
    engine = make_engine()
    unproven = 0
    for position, move_scores in solved:
        decision = engine.think(position, iterations=ENOUGH)
        unproven += decision.proven is None
        assert outcome(move_scores[decision.move]) == outcome(max(move_scores.values()))
    assert unproven <= 0.02 * len(solved)


def test_the_line_it_shows_is_legal_and_ends_as_proven(make_engine, solved, solver):
    engine = make_engine()
    finished = 0
    for position, move_scores in solved:
        decision = engine.think(position, iterations=ENOUGH)
        best = max(move_scores.values())
        end = position
        for column in decision.pv:
            assert not end.opponent_has_won()
            end = end.play(column)
        assert decision.pv[0] == decision.move
        if end.opponent_has_won():
            finished += 1
            assert decision.proven == ("win" if len(decision.pv) % 2 else "loss")
            assert len(decision.pv) >= plies_to_end(best)
        elif decision.proven:
            # A rollout without a choice proves its leaf: the line is short, its end is still as good.
            score = solver.score(end)
            assert outcome(score) == (
                decision.proven
                if len(decision.pv) % 2 == 0
                else {"win": "loss", "loss": "win", "draw": "draw"}[decision.proven]
            )
    assert finished > 0.2 * len(solved)


def test_proven_wins_are_won_and_proven_losses_last(make_engine, solved, solver):
    """Against the solver's best play: wins come home, with the exact distance nearly always; so do losses."""
    played = exact = 0
    for position, move_scores in solved:
        best = max(move_scores.values())
        if outcome(best) == "draw" or plies_to_end(best) < 3:
            continue
        engine = make_engine()
        plies, to_move = 0, position
        while to_move.floor and not to_move.opponent_has_won():
            if plies % 2 == 0:
                decision = engine.think(to_move, iterations=ENOUGH)
                assert decision.proven == outcome(best)
                column = decision.move
            else:
                replies = solver.move_scores(to_move)
                column = max(replies, key=replies.get)
            to_move = to_move.play(column)
            plies += 1
        assert to_move.opponent_has_won()
        assert plies % 2 == plies_to_end(best) % 2
        played += 1
        exact += plies == plies_to_end(best)
    assert played > 0.16 * len(solved)
    assert exact >= 0.95 * played


# The side to move is x. None of these is settled by looking one move ahead.
LOST_ZUGZWANG = """
    ..oo.x
    ..xx.o
    ..oo.x
    ..#x.o
    xxooxx
    ooxxoo
    """
LONGEST_LOSS = """
    ox..o.
    xo#.x.
    ox..o.
    xooxxo
    oxxoox
    xooxxo
    """
DOUBLE_THREAT = """
    .......
    .......
    .......
    .......
    ...o...
    ..xx..o
    """
AGAINST_A_DOUBLE_THREAT = """
    .......
    .......
    .......
    .......
    ...x...
    ..oo..x
    """


@pytest.mark.parametrize("picture, plies", [(LOST_ZUGZWANG, 10), (LONGEST_LOSS, 8)], ids=("first", "second"))
def test_a_lost_game_lasts_as_long_as_it_can(make_engine, solver, picture, plies):
    position = position_from_picture(picture)
    assert tactical_columns(position)[0] is None
    decision = make_engine().think(position, iterations=ENOUGH)
    move_scores = solver.move_scores(position)
    assert (decision.proven, decision.proven_by) == ("loss", "search")
    assert len(set(move_scores.values())) > 1
    assert plies_to_end(max(move_scores.values())) == plies
    assert move_scores[decision.move] == max(move_scores.values())


def test_a_double_threat_is_found_and_prevented(make_engine):
    decision = make_engine().think(position_from_picture(DOUBLE_THREAT), iterations=ENOUGH)
    assert decision.move in (1, 4) and decision.proven == "win"
    decision = make_engine().think(position_from_picture(AGAINST_A_DOUBLE_THREAT), iterations=2000)
    assert decision.proven != "loss"
    assert decision.move in (1, 4)


@pytest.mark.parametrize(
    "picture, column, proven",
    [
        ("....... ....... ....... x...... x...... x.ooo..", 0, "win"),  # a win before a block
        ("....... ....... ....... o...... x...... xxooo.x", 5, None),  # the forced block
        ("....... ....... ....... ....... x...... xxooo..", 5, None),
        ("....... ....... ....... ....... x..x... x.ooo.x", 1, "loss"),  # two cells to block: either will do
    ],
)
def test_what_one_look_ahead_settles(make_engine, picture, column, proven):
    decision = make_engine().think(position_from_picture(picture), iterations=200)
    assert decision.proven == proven
    assert decision.move == column or proven == "loss" and decision.move in (1, 5)


@pytest.mark.parametrize("count", [200, pytest.param(600, marks=pytest.mark.slow)])
def test_a_draw_is_preferred_to_a_bad_unproven_move(make_engine, solver, count):
    preferred = 0
    for position in random_positions(31, count, ((5, 5, 11), (5, 4, 8), (4, 5, 8))):
        move_scores = solver.move_scores(position)
        drawing = [column for column, score in move_scores.items() if score == PROVEN_DRAW]
        if outcome(max(move_scores.values())) != "draw" or len(drawing) != 1 or len(move_scores) < 3:
            continue
        engine = make_engine("network_share=0")  # which would make a mean of nothing rarer still
        stood, draw_is_known = 0, False
        for _ in range(40):
            decision = engine.think(position, iterations=25)
            if decision.proven:
                break
            # Other moves' means are seldom exactly nothing, and never for long.
            stood = stood + 1 if (decision.move, decision.value) == (drawing[0], 0) else 0
            draw_is_known = draw_is_known or stood == 3
            assert decision.value >= 0 or not draw_is_known
        preferred += draw_is_known
    assert preferred > 0


@pytest.mark.parametrize(
    "rows, columns, forbidden_cell",
    [(4, 4, None), (4, 4, (0, 0)), (4, 5, (3, 2)), (5, 4, (2, 1)), (12, 12, (0, 5)), (9, 12, (8, 11)), (12, 4, None)],
)
def test_every_size_is_played_to_a_legal_end(make_engine, rows, columns, forbidden_cell):
    engine = make_engine()
    position = empty_position(rows, columns, forbidden_cell)
    while position.floor and not position.opponent_has_won():
        decision = engine.think(position, iterations=300)
        position = position.play(decision.move)
    assert position.plies() >= 7
