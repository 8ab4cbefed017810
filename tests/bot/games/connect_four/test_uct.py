"""The UCT engine: what it proves is true, what it prefers is in order; its tree and memory last a whole game.

Searches are counted, not timed: every result here is the same on every machine.
"""

import itertools
import zlib

import pytest

from bot.games.connect_four.config import DEFAULT, preset
from bot.games.connect_four.plain import empty_position, tactical_columns
from bot.games.connect_four.uct_engine import UctEngine
from bot.search.limits import PROCESS_MB, SMALLEST_SEARCH_MB, check_memory
from bot.search.scores import PROVEN_DRAW, outcome
from tests.bot.games.connect_four.helpers.exhaustive import (
    Solver,
    late_positions,
    plies_to_end,
    position_from_picture,
    random_positions,
)
from tests.bot.games.connect_four.helpers.twin_searches import uct_drawn_game
from tests.bot.helpers.engine_trials import overrun_s

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
    ("proofs=off",),
    ("tree_wins=off", "rollout_proofs=off"),
    (*NO_TREE_TACTICS, "rollout_proofs=off"),
    (*NO_TREE_TACTICS, *NO_ROLLOUT_TACTICS),
    (*NO_TREE_TACTICS, *NO_ROLLOUT_TACTICS, "proofs=off", "share=off", "keep_tree=off"),
]


@pytest.fixture(scope="module")
def solver():
    return Solver()


@pytest.fixture(scope="module", params=[60, pytest.param(400, marks=pytest.mark.slow)])
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


@pytest.mark.parametrize("few", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_proofs_and_moves_are_right_by_any_settings(make_engine, solved, few):
    for changes in SETTINGS[::4] if few else SETTINGS:
        check_proofs_and_moves(make_engine(*changes), solved, changes)


def check_proofs_and_moves(engine, solved, changes):
    good_moves = 0
    for position, move_scores in solved:
        best = max(move_scores.values())
        decision = engine.think(position, iterations=2000)
        assert decision.proven in (None, outcome(best)), changes
        assert -1 <= decision.value <= 1
        assert decision.move in move_scores
        if decision.proven:
            assert outcome(move_scores[decision.move]) == outcome(best), changes
            assert decision.value == {"win": 1, "draw": 0, "loss": -1}[decision.proven]
        good_moves += outcome(move_scores[decision.move]) == outcome(best)
    assert good_moves >= 0.99 * len(solved) - 1, changes


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


@pytest.mark.slow
def test_a_draw_is_preferred_to_a_bad_unproven_move(make_engine, solver):
    preferred = 0
    for position in random_positions(31, 200, ((5, 5, 11), (5, 4, 8), (4, 5, 8))):
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


def test_every_size_is_played_to_a_legal_end(make_engine):
    for rows, columns, forbidden_cell in (
        (4, 4, None),
        (4, 5, (3, 2)),
        (12, 12, (0, 5)),
        (9, 12, (8, 11)),
        (12, 4, None),
    ):
        engine = make_engine()
        position = empty_position(rows, columns, forbidden_cell)
        while position.floor and not position.opponent_has_won():
            decision = engine.think(position, iterations=300)
            position = position.play(decision.move)
        assert position.plies() >= 7


# Of games by drawn settings, by seed, seen together: anything that changes a search by any switch changes this.
GAMES_OF_DRAWN_SETTINGS = "cead61f5"


def test_games_by_any_settings_are_what_they_have_always_been(kernels):
    found = [uct_drawn_game(kernels, seed)[0][:-1] for seed in range(24)]
    assert f"{zlib.crc32(repr(found).encode()):08x}" == GAMES_OF_DRAWN_SETTINGS


def test_the_tree_is_kept_from_turn_to_turn(make_engine):
    position = empty_position(9, 9, (4, 4))
    kept, fresh = make_engine(), make_engine("keep_tree=off")
    decision = kept.think(position, iterations=ENOUGH)
    assert fresh.think(position, iterations=ENOUGH).move == decision.move
    assert len(decision.pv) > 4
    nodes_before = kept.nodes_in_use()
    later = position.play(decision.pv[0]).play(decision.pv[1])
    known = kept.think(later, iterations=0)
    assert known.pv == decision.pv[2:]
    assert 1 < known.nodes < nodes_before
    assert known.nodes == kept.nodes_in_use()
    assert len(fresh.think(later, iterations=0).pv) == 1
    # Another board's tree is of no use, whatever its stones.
    assert kept.think(empty_position(9, 9, (4, 5)), iterations=0).nodes == 1


def test_a_tree_without_shared_subtrees_is_kept_too(make_engine):
    engine = make_engine("share=off")
    position = empty_position(9, 9, (4, 4))
    decision = engine.think(position, iterations=ENOUGH)
    nodes_before = engine.nodes_in_use()
    later = position.play(decision.pv[0]).play(decision.pv[1])
    known = engine.think(later, iterations=0)
    assert known.pv == decision.pv[2:]
    assert 1 < known.nodes < nodes_before


def test_a_search_that_starts_too_late_still_looks(make_engine):
    engine = make_engine()
    decision, over_s = overrun_s(lambda: engine.think(empty_position(12, 12), budget_s=0.0), 0.0)
    assert decision.iterations >= 64
    assert over_s < 0.1


def test_a_full_arena_does_not_stop_the_search(make_engine):
    engine = make_engine()
    position = empty_position(12, 12, (3, 3))
    decision = engine.think(position, iterations=150_000)
    assert (decision.iterations, decision.proven) == (150_000, None)
    full = decision.nodes
    assert engine.think(position, iterations=50_000).iterations == 50_000
    later = position.play(decision.pv[0]).play(decision.pv[1])
    reclaimed = engine.think(later, iterations=0).nodes
    assert reclaimed < 0.7 * full
    decision = engine.think(later, iterations=150_000)
    assert decision.iterations == 150_000
    assert reclaimed < decision.nodes <= full
    assert engine.search_bytes() <= SMALLEST_SEARCH_MB << 20


def test_too_little_memory_is_refused(kernels):
    with pytest.raises(ValueError, match=f"at least {MEMORY_MB} MB, got 100"):
        check_memory(100)
    with pytest.raises(ValueError, match="at least"):
        UctEngine(kernels, DEFAULT, MEMORY_MB - 1, 1)


MEMORY_MB = PROCESS_MB + SMALLEST_SEARCH_MB
PROVING = ["default", "puct-basic", "uct-proofs", "mcts"]
NOT_PROVING = ["uct-plain", "uct-forced", "uct-fresh-tree"]

# The side to move is x.
WIN_ON_THE_RIGHT = position_from_picture("....... ....... ....... ......x o.....x o..o..x")
TWO_TO_BLOCK = position_from_picture("....... ....... ....... ....... x..x... x.ooo.x")
ONE_TO_BLOCK = position_from_picture("....... ....... ....... x...... x...... oooxx..")
# x in column 1 or 4 wins by force: whatever o blocks, the other end is open.
OPEN_THREE_TO_MAKE = position_from_picture("....... ....... ....... ....... ...o... ..xx..o")
LAST_COLUMN = position_from_picture("oxo. xoxo oxox oxox")


@pytest.fixture
def think(kernels):
    """Decisions of a new engine with a preset, changed by texts."""

    def decide(name, position, *changes, seed=1, **limits):
        return UctEngine(kernels, preset(name).with_values(changes), MEMORY_MB, seed).think(position, **limits)

    return decide


def test_without_root_tactics_even_a_win_is_searched_for_in_column_order(think):
    for name in ("uct-plain", "uct-forced", "uct-proofs", "mcts"):
        for iterations in range(1, 7):
            decision = think(name, WIN_ON_THE_RIGHT, iterations=iterations)
            assert (decision.iterations, decision.proven) == (iterations, None)
            assert decision.move < iterations
        decision = think(name, WIN_ON_THE_RIGHT, iterations=2000)
        assert decision.move == 6


@pytest.mark.parametrize("root_tactics", ["look_ahead", "win", "none"])
def test_what_one_look_settles_is_played_right_whoever_looks(think, root_tactics):
    for name, position in itertools.product(
        ("default", "uct-proofs"), (WIN_ON_THE_RIGHT, TWO_TO_BLOCK, ONE_TO_BLOCK, LAST_COLUMN)
    ):
        check_what_one_look_settles(think, name, root_tactics, position)


def check_what_one_look_settles(think, name, root_tactics, position):
    settled, columns = tactical_columns(position)
    decision = think(name, position, f"root_tactics={root_tactics}", iterations=3000)
    assert decision.move in columns or settled == "loss"
    assert decision.move in position.legal_moves()
    assert decision.proven == settled or settled is None
    assert decision.pv[0] == decision.move


def test_a_chain_of_forced_moves_is_a_terminal_of_version_3_only(think):
    columns = 7
    decision = think("uct-proofs", OPEN_THREE_TO_MAKE, iterations=columns)
    assert (decision.move, decision.proven, decision.proven_by) == (1, "win", "search")
    assert think("uct-proofs", OPEN_THREE_TO_MAKE, "rollout_proofs=off", iterations=columns).proven is None
    for name in NOT_PROVING:
        decision = think(name, OPEN_THREE_TO_MAKE, iterations=20_000)
        assert decision.move in (1, 4)
        assert decision.proven is None and decision.value < 1


@pytest.mark.parametrize("count", [24, pytest.param(150, marks=pytest.mark.slow)])
def test_proofs_are_true_and_moves_good(kernels, count):
    """A system without proofs claims none; one that has them knows far more than one look ahead settles."""
    solver = Solver()
    positions = [*random_positions(5, count), *late_positions(5, count // 3)]
    for name in PROVING + NOT_PROVING:
        engine = UctEngine(kernels, preset(name), MEMORY_MB, seed=1)
        proven = good = 0
        for position in positions:
            scores = solver.move_scores(position)
            best = outcome(max(scores.values()))
            decision = engine.think(position, iterations=2000)
            assert decision.proven in (None, best)
            proven += decision.proven_by == "search"
            good += outcome(scores[decision.move]) == best
        assert proven > 0.4 * count if name in PROVING else proven == 0
        assert good >= 0.97 * len(positions) - 1


def test_draws_are_passed_up_only_where_they_count_as_proofs(think):
    solver = Solver()
    draws = passed_up = 0
    for position in random_positions(9, 60):
        scores = solver.move_scores(position)
        if outcome(max(scores.values())) != "draw" or len(scores) < 2:
            continue
        draws += 1
        decision = think("uct-proofs", position, iterations=3000)
        assert (decision.iterations, decision.proven) == (3000, None)
        assert abs(decision.value) < 0.3
        assert outcome(scores[decision.move]) == "draw"
        passed_up += think("uct-proofs", position, "draw_proofs=on", iterations=3000).proven == "draw"
    assert passed_up > 0.5 * draws > 2


@pytest.mark.parametrize(
    "name, other, sign", [("uct-plain", "visits", 1), ("uct-fresh-tree", "visits", 1), ("mcts", "mean", -1)]
)
def test_the_highest_mean_or_the_most_visits_decide(think, name, other, sign):
    """The same tree: the move of highest mean is worth at least as much as the most visited, often more."""
    gains = []
    for seed, position in itertools.product(range(12), (empty_position(7, 6), empty_position(9, 9, (4, 4)))):
        own = think(name, position, seed=seed, iterations=150)
        others = think(name, position, f"final_move={other}", seed=seed, iterations=150)
        assert own.nodes == others.nodes
        gains.append(sign * (own.value - others.value))
    assert min(gains) >= 0 and max(gains) > 0
