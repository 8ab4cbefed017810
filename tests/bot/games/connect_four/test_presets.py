"""The named settings: each seed's system shows what its document says of it, and nothing more.

Except where a clock is the subject, searches are counted, so that every result is the same on every machine.
"""

import itertools

import pytest

from bot.games.connect_four.adapter import make_engine
from bot.games.connect_four.plain import empty_position, tactical_columns
from bot.games.connect_four.presets import PRESETS, preset
from bot.games.connect_four.settings import DEFAULT, SettingsError
from bot.games.connect_four.uct.engine import UctEngine
from bot.search.process_memory import PROCESS_MB, SMALLEST_SEARCH_MB
from bot.search.scores import outcome
from tests.bot.games.connect_four.helpers.exhaustive import (
    Solver,
    late_positions,
    position_from_picture,
    random_positions,
)
from tests.bot.games.connect_four.helpers.wire_games import WireGame
from tests.bot.helpers.bot_process import BotProcess, play_turns
from tests.bot.helpers.engine_trials import overrun_s

MEMORY_MB = PROCESS_MB + SMALLEST_SEARCH_MB
UCT_PRESETS = [name for name in PRESETS if preset(name).engine == "uct"]
PROVING = ["default", "puct-basic", "uct-proofs", "mcts"]
NOT_PROVING = ["uct-plain", "uct-forced", "uct-fresh-tree"]
LIMIT_S = 60.0

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


def changed_fields(name, other):
    values = zip(DEFAULT._fields, preset(name), preset(other), strict=True)
    return {field for field, mine, theirs in values if mine != theirs}


def test_names():
    assert preset("default") == DEFAULT
    assert set(PRESETS) == {
        "default",
        "puct-basic",
        "uct-plain",
        "uct-forced",
        "uct-proofs",
        "uct-fresh-tree",
        "mcts",
        "alphabeta-basic",
        "alphabeta",
    }
    for name in PRESETS:
        assert preset(name) == PRESETS[name]
        assert preset(name).solver is False or name == "default"
    with pytest.raises(SettingsError, match="preset 'fastest': unknown; expected one of alphabeta, alphabeta-basic"):
        preset("fastest")


@pytest.mark.parametrize("name", PRESETS)
def test_every_value_is_one_that_may_be_set(name):
    settings = preset(name)
    assert DEFAULT.with_values(f"{field}={value}" for field, value in settings._asdict().items()) == settings


def test_each_version_adds_what_its_seed_added():
    assert changed_fields("uct-plain", "uct-forced") == {"rollout_wins", "rollout_blocks"}
    assert changed_fields("uct-forced", "uct-proofs") == {"proofs", "rollout_proofs"}
    assert changed_fields("alphabeta-basic", "alphabeta") == {
        "depth",
        "evaluation",
        "nearest_win",
        "centre_opening",
        "trial_depth",
        "adaptive_depth",
    }
    for name in ("uct-plain", "uct-forced", "uct-proofs", "uct-fresh-tree", "mcts"):
        assert preset(name).tree_policy() == 0


@pytest.mark.parametrize("name", ["uct-plain", "uct-forced", "uct-proofs", "mcts"])
def test_without_root_tactics_even_a_win_is_searched_for_in_column_order(think, name):
    for iterations in range(1, 7):
        decision = think(name, WIN_ON_THE_RIGHT, iterations=iterations)
        assert (decision.iterations, decision.proven) == (iterations, None)
        assert decision.move < iterations
    decision = think(name, WIN_ON_THE_RIGHT, iterations=2000)
    assert decision.move == 6


@pytest.mark.parametrize("name", ["uct-fresh-tree", "puct-basic"])
def test_a_win_in_one_is_played_before_any_search(think, name):
    decision = think(name, WIN_ON_THE_RIGHT, iterations=100)
    assert (decision.move, decision.iterations) == (6, 0)
    assert (decision.proven, decision.proven_by) == ("win", "tactics")


def test_only_the_win_is_looked_for_by_uct_fresh_tree(think):
    assert think("puct-basic", TWO_TO_BLOCK, iterations=100).iterations == 0
    decision = think("uct-fresh-tree", TWO_TO_BLOCK, iterations=100)
    assert (decision.iterations, decision.proven) == (100, None)
    decision = think("uct-fresh-tree", ONE_TO_BLOCK, iterations=3)
    assert decision.move < 3


@pytest.mark.parametrize("root_tactics", ["look_ahead", "win", "none"])
@pytest.mark.parametrize("name", ["default", "uct-proofs"])
@pytest.mark.parametrize("position", [WIN_ON_THE_RIGHT, TWO_TO_BLOCK, ONE_TO_BLOCK, LAST_COLUMN])
def test_what_one_look_settles_is_played_right_whoever_looks(think, name, root_tactics, position):
    settled, columns = tactical_columns(position)
    decision = think(name, position, f"root_tactics={root_tactics}", iterations=3000)
    assert decision.move in columns or settled == "loss"
    assert decision.move in position.legal_moves()
    assert decision.proven == settled or settled is None
    assert decision.pv[0] == decision.move


@pytest.mark.parametrize("name", UCT_PRESETS)
def test_the_only_move_is_played(think, name):
    assert think(name, LAST_COLUMN, iterations=10).move == 3
    assert think(name, LAST_COLUMN, iterations=0).move == 3


def test_a_chain_of_forced_moves_is_a_terminal_of_version_3_only(think):
    columns = 7
    decision = think("uct-proofs", OPEN_THREE_TO_MAKE, iterations=columns)
    assert (decision.move, decision.proven, decision.proven_by) == (1, "win", "search")
    assert think("uct-proofs", OPEN_THREE_TO_MAKE, "rollout_proofs=off", iterations=columns).proven is None
    for name in NOT_PROVING:
        decision = think(name, OPEN_THREE_TO_MAKE, iterations=20_000)
        assert decision.move in (1, 4)
        assert decision.proven is None and decision.value < 1


@pytest.mark.parametrize("count", [50, pytest.param(150, marks=pytest.mark.slow)])
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
        assert good >= 0.97 * len(positions)


def test_draws_are_passed_up_only_where_they_count_as_proofs(think):
    solver = Solver()
    draws = passed_up = 0
    for position in random_positions(9, 200):
        scores = solver.move_scores(position)
        if outcome(max(scores.values())) != "draw" or len(scores) < 2:
            continue
        draws += 1
        decision = think("uct-proofs", position, iterations=3000)
        assert (decision.iterations, decision.proven) == (3000, None)
        assert abs(decision.value) < 0.3
        assert outcome(scores[decision.move]) == "draw"
        passed_up += think("uct-proofs", position, "draw_proofs=on", iterations=3000).proven == "draw"
    assert passed_up > 0.5 * draws > 10


def test_a_drawn_end_is_worth_nothing_every_time(think):
    for name in ("uct-plain", "uct-proofs", "uct-fresh-tree"):
        decision = think(name, LAST_COLUMN, iterations=500)
        assert (decision.iterations, decision.value, decision.proven) == (500, 0, None)
    decision = think("mcts", LAST_COLUMN, iterations=500)
    assert (decision.value, decision.proven) == (0, "draw") and decision.iterations < 5


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


@pytest.mark.parametrize("name", UCT_PRESETS)
def test_the_tree_is_kept_by_those_that_keep_it(kernels, name):
    engine = UctEngine(kernels, preset(name), MEMORY_MB, seed=1)
    decision = engine.think(empty_position(9, 9, (4, 4)), iterations=20_000)
    later = empty_position(9, 9, (4, 4)).play(decision.pv[0]).play(decision.pv[1])
    nodes_before = engine.nodes_in_use()
    known = engine.think(later, iterations=0).nodes
    assert 1 < known < nodes_before if preset(name).keep_tree else known == 1
    assert preset(name).keep_tree == (name != "uct-fresh-tree")


def test_the_seeds_own_budgets():
    assert {name: preset(name).move_seconds for name in PRESETS if preset(name).move_seconds} == {
        "uct-fresh-tree": 2.5,
        "mcts": 2.0,
    }


@pytest.mark.parametrize("budget_s, own", [(5, 0.1), (0.1, 5), (0.1, 0)])
def test_a_move_takes_its_own_time_or_what_is_left(think, budget_s, own):
    change = f"move_seconds={own}"
    decision, over_s = overrun_s(lambda: think("mcts", empty_position(12, 12), change, budget_s=budget_s), 0.1)
    assert decision.elapsed_s >= 0.1 and over_s < 0.3


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_keeps_to_its_time(kernels, name):
    engine = make_engine(kernels, preset(name), MEMORY_MB, 1)
    decision, over_s = overrun_s(lambda: engine.think(empty_position(12, 12), budget_s=0.1), 0.1)
    assert over_s < 0.1 and decision.move in range(12)


def test_a_counted_move_has_all_the_time(think):
    counted = think("mcts", empty_position(12, 12), "move_seconds=0.001", iterations=50_000)
    assert counted.iterations == 50_000


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_plays(name):
    game = WireGame()
    with BotProcess("--preset", name, "--set", "move_seconds=0.1", "--limit", LIMIT_S, "--seed", 1, "--info") as bot:
        bot.send(game.opening())
        play_turns(bot, game, 3)
        assert bot.end_after_report(3)[:2] == (0, [])
    assert [line["turn"] for line in bot.info_lines()] == [1, 2, 3]
    assert len(bot.words_but_for_the_engine()) == 3  # nothing went wrong beside


@pytest.mark.parametrize("name", UCT_PRESETS)
def test_every_uct_preset_plays_whole_games(kernels, name):
    for rows, columns, forbidden_cell in ((4, 4, None), (5, 6, (4, 2)), (12, 9, (0, 3))):
        engine = UctEngine(kernels, preset(name), MEMORY_MB, seed=3)
        position = empty_position(rows, columns, forbidden_cell)
        while position.floor and not position.opponent_has_won():
            position = position.play(engine.think(position, iterations=100).move)
        assert position.plies() >= 7
