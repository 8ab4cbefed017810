"""The alpha-beta engine: it finds what minimax finds, in time, and as deep as the time allows.

Most searches are counted in nodes, so that they give the same on every machine.
"""

import ctypes
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.games.connect_four import alphabeta
from bot.games.connect_four.alphabeta import THREE_WEIGHT, TWO_WEIGHT
from bot.games.connect_four.alphabeta_engine import HALF_USED, AlphaBetaEngine
from bot.games.connect_four.board import COLUMN, COLUMN_BITS, cell
from bot.games.connect_four.config import preset
from bot.games.connect_four.plain import Position, empty_position, safe_move, winning_cells
from bot.games.connect_four.rules import load_root
from bot.search.alphabeta_engine import DEPTH, WIN
from tests.bot.games.connect_four.helpers.exhaustive import position_from_picture, random_position
from tests.bot.games.connect_four.helpers.probes import as_words
from tests.bot.games.connect_four.helpers.run_counts import choice, slow_value
from tests.bot.games.connect_four.helpers.wire_games import WireGame
from tests.bot.helpers.bot_process import BotProcess, play_turns
from tests.bot.helpers.probe import probe

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


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40)
@given(undecided_positions(), st.integers(1, 3), st.sets(st.sampled_from(IMPROVEMENTS)))
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


@settings(max_examples=30)
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


def test_a_turn_without_time_is_answered_safely(make_engine):
    position = position_from_picture("......... ......... ......... .........  .ooo..x.x")
    for limits in ({"budget_s": 0.0}, {"budget_s": -1.0}, {"iterations": 1}):
        decision = make_engine(BASIC).think(position, **limits)
        assert decision.move in position.legal_moves()
    assert make_engine(BASIC).think(position, budget_s=0.0).move == safe_move(position)


def test_a_search_that_ends_among_moves_that_lose_answers_another_one(make_engine):
    generator, others = random.Random(7), 0
    for _ in range(40):
        position = random_position(generator, 6, 7, None, generator.randrange(12, 28))
        for name in (BASIC, IMPROVED):
            whole = make_engine(name).think(position)
            for nodes in (0, 1, 5, 30):
                decision = make_engine(name).think(position, iterations=nodes)
                assert decision.value > -1 or decision.proven == whole.proven == "loss", (position, name, nodes)
                assert nodes or decision.iterations == 0
                others += decision.depth == 0 and decision.iterations > 0
    assert others > 10


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
            6,
            seed=8,
        )
        == 1
    )


@pytest.mark.slow
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
        play_turns(bot, game, 3)
        assert bot.end_after_report(3)[:2] == (0, [])
    lines = bot.info_lines()
    assert len(lines) == 3 and all(line["pv"][0] == line["move"] for line in lines)
    assert len(bot.words_but_for_the_engine()) == len(lines)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--preset", BASIC),
        pytest.param(("--set", "engine=alphabeta", "--set", "adaptive_depth=off"), marks=pytest.mark.slow),
    ],
)
def test_presets_and_settings_name_the_engine_too(arguments):
    game = WireGame(seed=4)
    with BotProcess(*arguments, "--iterations", "1000000", "--info") as bot:
        bot.send(game.opening())
        play_turns(bot, game, 2)
        assert bot.end()[:2] == (0, [])
    assert [line["depth"] for line in bot.info_lines()] == [4, 4]


KINDS = ("runs", "open_runs")


@probe
def evaluate(words, open_runs_only):
    return alphabeta.evaluate(load_root(words, 0), open_runs_only)


@probe
def stored(words, copy):
    alphabeta.store(load_root(words, 0), copy, 0)


def fast_value(position, kind):
    """What the kernels say of a position."""
    return evaluate(as_words(position), int(kind == "open_runs"))


@st.composite
def positions(draw):
    """Any stage of a random game, on any board, played on after a four too: runs then are longer."""
    rows, columns = draw(st.integers(4, 12)), draw(st.integers(4, 12))
    forbidden_cell = draw(st.none() | st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1)))
    position = empty_position(rows, columns, forbidden_cell)
    generator = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, rows * columns - 1))):
        position = position.play(generator.choice(position.legal_moves()))
        if not position.floor:
            break
    return position


@given(positions(), st.sampled_from(KINDS))
def test_the_value_is_the_slow_counts(position, kind):
    assert fast_value(position, kind) == slow_value(position, kind)


@given(positions())
def test_a_stored_position_is_the_same(position):
    words = as_words(position)
    copy = words.copy()
    copy[:] = 0
    stored(words, copy)
    assert (copy == words).all()


def test_runs_and_their_ends():
    """x is to move, # is the forbidden cell."""
    for picture, runs, open_runs in (
        ("...... ...... .xx...", TWO_WEIGHT, 2 * TWO_WEIGHT),
        ("...... ...... xx....", TWO_WEIGHT, 0),
        ("...... ...... .xx#..", TWO_WEIGHT, 0),
        ("...... ...... .xxo..", TWO_WEIGHT, 0),
        ("...... ...... .xxx..", 2 * TWO_WEIGHT + THREE_WEIGHT, 2 * THREE_WEIGHT),
        ("...... .x.... .x....", TWO_WEIGHT, TWO_WEIGHT),
        (".x.... .x.... .x....", 2 * TWO_WEIGHT + THREE_WEIGHT, 0),
        (".#.... .x.... .x....", TWO_WEIGHT, 0),
    ):
        position = position_from_picture(picture)
        assert (fast_value(position, "runs"), fast_value(position, "open_runs")) == (runs, open_runs), picture


@pytest.mark.parametrize("left_floor, right_floor, ends", [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 3, 2)])
def test_an_end_counts_within_two_cells_of_the_floor(left_floor, right_floor, ends):
    """Two stones in row 3, and the floors of the columns beside them: what lies below is of no matter."""
    start = empty_position(6, 6)
    ends_columns = COLUMN | COLUMN << 3 * COLUMN_BITS
    floor = cell(left_floor, 0) | cell(right_floor, 3) | start.floor & ~ends_columns
    position = Position(6, 6, start.board, 0, cell(3, 1) | cell(3, 2), 0, floor)
    assert fast_value(position, "open_runs") == ends * TWO_WEIGHT
    assert fast_value(position, "runs") == TWO_WEIGHT
