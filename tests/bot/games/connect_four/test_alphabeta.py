"""The alpha-beta engine: it finds what minimax finds, in time, and as deep as the time allows.

Most searches are counted in nodes, so that they give the same on every machine.
"""

import ctypes
import random
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.games.connect_four.alphabeta.engine import HALF_USED, AlphaBetaEngine
from bot.games.connect_four.plain import empty_position, safe_move, winning_cells
from bot.games.connect_four.presets import preset
from bot.search.alphabeta.layout import DEPTH, WIN
from tests.bot.games.connect_four.helpers.exhaustive import position_from_picture, random_position
from tests.bot.games.connect_four.helpers.run_counts import choice
from tests.bot.games.connect_four.helpers.wire_games import WireGame
from tests.bot.helpers.bot_process import BotProcess, play_turns
from tests.bot.helpers.engine_trials import asked_while_it_thinks, overrun_s
from tests.places import REPOSITORY

BASIC, IMPROVED = "alphabeta-basic", "alphabeta"
SIZES = ((4, 4), (4, 6), (5, 5), (6, 7))
IMPROVEMENTS = ("evaluation=open_runs", "nearest_win=on", "centre_opening=on", "trial_depth=2")


@pytest.fixture(scope="session")
def make_engine(kernels):
    """Engines of a preset with some settings changed."""

    def make(name, *changes):
        return AlphaBetaEngine(kernels, preset(name).with_values(changes))

    return make


@st.composite
def undecided_positions(draw):
    """Positions with a legal move on small boards, every second one with a forbidden cell."""
    rows, columns = draw(st.sampled_from(SIZES))
    forbidden_cell = draw(st.none() | st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1)))
    generator = random.Random(draw(st.integers(0, 2**32)))
    return random_position(generator, rows, columns, forbidden_cell, draw(st.integers(0, rows * columns * 2 // 3)))


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(undecided_positions(), st.integers(1, 4), st.sets(st.sampled_from(IMPROVEMENTS)))
def test_move_and_value_are_those_of_minimax(make_engine, position, depth, improvements):
    changes = (f"depth={depth}", *improvements)
    column, value = choice(position, preset(BASIC).with_values(changes))
    decision = make_engine(BASIC, *changes).think(position)
    assert decision.move == column
    if abs(value) >= WIN:
        assert decision.proven == ("win" if value > 0 else "loss")
        assert (decision.value, decision.proven_by) == (1 if value > 0 else -1, "search")
    else:
        assert decision.proven is None
        assert decision.value == pytest.approx(value / (abs(value) + 160))


@settings(max_examples=60)
@given(undecided_positions(), st.booleans())
def test_the_line_is_legal_and_a_proven_one_ends_in_a_four(make_engine, position, improved):
    decision = make_engine(IMPROVED if improved else BASIC, "depth=5", "adaptive_depth=off").think(position)
    assert decision.pv[0] == decision.move
    assert len(decision.pv) <= 5
    for column in decision.pv:
        assert not position.opponent_has_won()
        position = position.play(column)
    assert position.opponent_has_won() == (decision.proven is not None)
    if decision.proven:
        assert len(decision.pv) % 2 == (decision.proven == "win")


def test_a_forbidden_cell_completes_nothing(make_engine):
    open_gap = position_from_picture("....... ....... ....... xxx.ooo")
    assert make_engine(BASIC, "depth=1").think(open_gap).pv == [3]
    shut_gap = position_from_picture("....... ....... ....... xxx#ooo")
    assert make_engine(BASIC, "depth=4").think(shut_gap).proven is None


def test_the_nearest_win_is_taken(make_engine):
    """With every win worth the same, the first column that wins somehow may be one that wins later."""
    generator = random.Random(5)
    found = 0
    while found < 5:
        position = random_position(generator, 6, 7, None, 14)
        if not winning_cells(position.own) & position.floor:
            continue
        flat = make_engine(BASIC, "depth=5").think(position)
        nearest = make_engine(BASIC, "depth=5", "nearest_win=on").think(position)
        assert flat.proven == nearest.proven == "win"
        assert position.play(nearest.move).opponent_has_won() and nearest.pv == [nearest.move]
        found += not position.play(flat.move).opponent_has_won()


def test_the_opening_is_played_in_the_centre(make_engine):
    for rows, columns in ((9, 9), (12, 12), (10, 11)):
        column = make_engine(IMPROVED, "adaptive_depth=off").think(empty_position(rows, columns)).move
        assert abs(2 * column - columns + 1) <= 1


@pytest.mark.parametrize("budget_s", [0.01, 0.1, 0.3])
def test_a_deadline_holds_at_any_depth(make_engine, budget_s):
    engine = make_engine(IMPROVED, "depth=40", "adaptive_depth=off")
    position = empty_position(12, 12, (4, 4))
    overrun = []
    for _ in range(3):
        decision, over_s = overrun_s(lambda: engine.think(position, budget_s=budget_s), budget_s)
        overrun.append(over_s)
        assert decision.move in position.legal_moves() and decision.proven is None
        assert decision.elapsed_s >= 0.9 * budget_s
    assert min(overrun) < 0.01


def test_move_seconds_bounds_a_turn(make_engine):
    engine = make_engine(IMPROVED, "depth=40", "adaptive_depth=off", "move_seconds=0.05")
    assert engine.think(empty_position(12, 12), budget_s=100.0).elapsed_s < 50.0


def test_a_turn_without_time_is_answered_safely(make_engine):
    position = position_from_picture("......... ......... ......... .........  .ooo..x.x")
    for limits in ({"budget_s": 0.0}, {"budget_s": -1.0}, {"iterations": 1}):
        decision = make_engine(BASIC).think(position, **limits)
        assert decision.move in position.legal_moves()
    assert make_engine(BASIC).think(position, budget_s=0.0).move == safe_move(position)


def depths(engine, position, iterations, turns):
    """The depth of so many turns, each with so many nodes."""
    return [engine.think(position, iterations=iterations).depth for _ in range(turns)]


def test_the_depth_goes_up_while_there_is_time_and_down_when_there_is_not(make_engine):
    position = empty_position(9, 10, (4, 4))
    rising = depths(make_engine(IMPROVED, "depth=2"), position, 200_000, 10)
    assert rising[:3] == [2, 3, 4] and rising[-1] >= 5
    falling = depths(make_engine(IMPROVED, "depth=12"), position, 200_000, 10)
    assert max(falling) <= 12 and falling[-1] == falling[-2] == rising[-1]
    assert depths(make_engine(IMPROVED, "depth=2", "adaptive_depth=off"), position, 200_000, 3) == [2, 2, 2]
    assert depths(make_engine(IMPROVED, "depth=2"), position, None, 3) == [2, 2, 2]


def test_the_depth_ends_with_the_board(make_engine):
    position = position_from_picture("....xo oxoxox xoxoxo xoxoxo oxoxox xoxoxo")
    assert not position.opponent_has_won()
    assert max(depths(make_engine(IMPROVED), position, 10**6, 4)) <= 4


class DepthWatcher:
    """The kernels' entry point, with a list of the depths that it was called for."""

    def __init__(self, kernels):
        self._kernels, self.depths = kernels, []

    def alphabeta(self, address):
        self.depths.append(ctypes.c_int64.from_address(address + 8 * DEPTH).value)
        self._kernels.alphabeta(address)


def test_moves_late_in_the_turn_are_searched_one_ply_less_deep(kernels):
    position = empty_position(9, 10, (4, 4))
    watcher = DepthWatcher(kernels)
    engine = AlphaBetaEngine(watcher, preset(IMPROVED).with_values(["depth=8", "trial_depth=0"]))
    decision = engine.think(position, iterations=200_000)
    deep = watcher.depths.index(6)
    assert 1 <= deep <= 9 and watcher.depths == [7] * deep + [6] * (10 - deep)
    assert HALF_USED * 200_000 <= decision.iterations < 200_000 and decision.depth == 8
    assert engine.think(position, iterations=10**9).depth == 7


def test_the_same_calls_give_the_same_decisions(make_engine):
    def game():
        engine, position, seen = make_engine(IMPROVED), empty_position(10, 9, (3, 3)), []
        while len(seen) < 12:
            decision = engine.think(position, iterations=20_000)
            seen.append(decision._replace(elapsed_s=0))
            position = position.play(decision.move)
        return seen

    assert game() == game()


def test_another_thread_can_ask_for_the_best_move(make_engine):
    engine, position = make_engine(IMPROVED, "depth=40", "adaptive_depth=off"), empty_position(12, 12)
    assert engine.best_so_far() is None
    assert asked_while_it_thinks(engine, position) in position.legal_moves()
    assert engine.best_so_far() is None and engine.nodes_in_use() > 0


def result(first, second, generator, opening_plies=4):
    """Points of the first mover in one game, from a random opening on a random board: 1, 0.5 or 0."""
    rows, columns = generator.randint(9, 12), generator.randint(9, 12)
    forbidden_cell = generator.randrange(rows), generator.randrange(columns)
    position = random_position(generator, rows, columns, forbidden_cell, opening_plies)
    while True:
        for mover, points in ((first, 1), (second, 0)):
            if not position.floor:
                return 0.5
            column = mover(position)
            position = position.play(column)
            if position.opponent_has_won():
                return points


def points_over(mover_of, other_of, games, seed):
    """Share of the points of a mover over another, both sides in turn; a new mover for every game."""
    generator = random.Random(seed)
    total = 0
    for game in range(games):
        mover, other = mover_of(), other_of()
        total += 1 - result(other, mover, generator) if game % 2 else result(mover, other, generator)
    return total / games


def test_it_beats_random_moves(make_engine):
    generator = random.Random(8)
    assert (
        points_over(
            lambda: lambda position: make_engine(BASIC).think(position).move,
            lambda: lambda position: generator.choice(position.legal_moves()),
            20,
            seed=8,
        )
        == 1
    )


def test_the_improvements_beat_the_basic_player(make_engine):
    def improved():
        engine = make_engine(IMPROVED)
        return lambda position: engine.think(position, iterations=100_000).move

    def basic():
        return lambda position: make_engine(BASIC).think(position).move

    assert points_over(improved, basic, 20, seed=9) > 0.75


def test_a_whole_game_on_the_wire():
    game = WireGame(seed=3)
    with BotProcess("--engine", "alphabeta", "--limit", 60, "--set", "move_seconds=0.1", "--info") as bot:
        bot.send(game.opening())
        bot.wait_until_idle()
        play_turns(bot, game, 12)
        assert bot.end_after_report(12)[:2] == (0, [])
    lines = bot.info_lines()
    assert len(lines) == 12 and all(line["pv"][0] == line["move"] for line in lines)
    assert len(bot.words_but_for_the_engine()) == len(lines)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--preset", BASIC),
        ("--set", "engine=alphabeta", "--set", "adaptive_depth=off"),
    ],
)
def test_presets_and_settings_name_the_engine_too(arguments):
    game = WireGame(seed=4)
    with BotProcess(*arguments, "--iterations", "1000000", "--info") as bot:
        bot.send(game.opening())
        play_turns(bot, game, 2)
        assert bot.end()[:2] == (0, [])
    assert [line["depth"] for line in bot.info_lines()] == [4, 4]


def test_bench_refuses_it_in_words():
    command = [sys.executable, "-m", "bot", "bench", "--set", "engine=alphabeta"]
    outcome = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert outcome.returncode == 2
    assert "expected settings with engine=uct, got engine=alphabeta" in outcome.stderr
