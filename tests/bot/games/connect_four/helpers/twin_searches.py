"""Searches that any compilation of the kernels can run: what they answer, and the bytes they leave in their memory.

Each takes kernels and a seed, counts instead of looking at the clock, and returns a value to compare with that of
other kernels.
"""

import ctypes
import random
import zlib

from bot.games.connect_four.alphabeta_engine import AlphaBetaEngine
from bot.games.connect_four.config import DEFAULT, preset
from bot.games.connect_four.plain import empty_position, tactical_columns
from bot.games.connect_four.solver_engine import BUDGET_NS as SOLVER_BUDGET_NS
from bot.games.connect_four.solver_engine import MAX_NODES as SOLVER_MAX_NODES
from bot.games.connect_four.solver_engine import SolverEngine
from bot.games.connect_four.uct_engine import NETWORK, POLICY, UctEngine
from bot.search.limits import PROCESS_MB, SMALLEST_SEARCH_MB
from bot.search.scores import PROVEN_DRAW
from bot.search.uct import control

MEMORY_MB = PROCESS_MB + SMALLEST_SEARCH_MB
SOLVER_TABLE_MB = 0.25
# A search is called again where the machine held one call up for half a second: these control fields are about a call.
# The game words NETWORK and POLICY are addresses, which no two runs share.
UCT_CALL_FIELDS = (
    control.BUDGET_NS,
    control.MAX_ITERATIONS,
    control.ITERATIONS,
    control.GAME_WORDS_OFFSET // 8 + NETWORK,
    control.GAME_WORDS_OFFSET // 8 + POLICY,
)
SOLVER_CALL_FIELDS = (SOLVER_BUDGET_NS, SOLVER_MAX_NODES)


def memory_digest(engine, call_fields=()):
    """A number that stands for every byte of a search memory but those of its first int64s."""
    digest, begin = 0, 0
    for field in (*sorted(call_fields), None):
        end = engine._memory.size if field is None else 8 * field
        digest = zlib.crc32(engine._memory.view[begin:end], digest)
        begin = end + 8
    return digest


def drawn_board(generator):
    """An empty position of a size of the platform's, with a forbidden cell three times in four."""
    rows, columns = generator.randint(9, 12), generator.randint(9, 12)
    forbidden_cell = (generator.randrange(rows), generator.randrange(columns)) if generator.random() < 0.75 else None
    return empty_position(rows, columns, forbidden_cell)


def advanced(generator, position, plies):
    """The position after so many random plies that neither overlook nor allow a four; None where they end the game."""
    for _ in range(plies):
        outcome, columns = tactical_columns(position)
        if outcome is not None or not columns:
            return None
        position = position.play(generator.choice(columns))
    return position if tactical_columns(position)[0] is None and position.floor else None


def drawn_position(generator, least_free, most_free):
    """An undecided position of a drawn game with so many free cells."""
    while True:
        empty = drawn_board(generator)
        left = generator.randint(least_free, most_free)
        position = advanced(generator, empty, max(0, empty.free_cells() - left))
        if position is not None:
            return position


def drawn_settings(generator):
    """Settings of the tree search with every switch thrown at random."""
    switches = [name for name, value in zip(DEFAULT._fields, DEFAULT, strict=True) if isinstance(value, bool)]
    return DEFAULT._replace(
        **{name: generator.random() < 0.5 for name in switches},
        selection=generator.choice(["puct", "ucb1"]),
        final_move=generator.choice(["visits", "mean", "likely"]),
        exploration=generator.choice([0.5, 1.0, 3.0]),
        first_play=generator.choice([-1.0, 0.0, 0.3, 100.0]),
        expand_visits=generator.choice([1, 1, 2, 5]),
        reserve_penalty=generator.choice([0.0, 0.5]),
        rollout_follow=generator.choice([0, 2, 5, 9]),
        rollout_even=generator.choice([0, 1, 9]),
        rollout_reply=generator.choice([0, 6, 9]),
        network_share=generator.choice([0.0, 0.4, 1.0]),
        policy_share=generator.choice([0.0, 0.7, 1.0]),
        policy_visits=generator.choice([1, 8, 40]),
    )


def uct_game(kernels, settings, seed, iterations=1200, turns=4):
    """A few turns of a game, then a position again with its best move declared a draw, then rollouts."""
    generator = random.Random(seed)
    engine = UctEngine(kernels, settings, MEMORY_MB, seed)
    position = drawn_position(generator, 30, 144)
    found = []
    for _ in range(turns):
        decision = engine.think(position, iterations=iterations)
        found.append(decision._replace(elapsed_s=0))
        later = advanced(generator, position.play(decision.move), 1)
        if later is None:
            break
        position = later
    decision = engine.think(position, iterations=iterations)
    if not decision.proven:
        engine.prove_move(decision.move, PROVEN_DRAW)
        found.append(engine.think(position, iterations=iterations // 4)._replace(elapsed_s=0))
    found.append(engine.time_rollouts(position, 300)[1])
    found.append(kernels.rollouts(engine._address))
    return found, memory_digest(engine, UCT_CALL_FIELDS)


def uct_preset_game(kernels, name, seed):
    return uct_game(kernels, preset(name), seed)


def uct_drawn_game(kernels, seed):
    return uct_game(kernels, drawn_settings(random.Random(seed)), seed)


def uct_full_arena(kernels, seed):
    """Turns that need more nodes than there are."""
    return uct_game(kernels, DEFAULT, seed, iterations=100_000, turns=3)


def alphabeta_game(kernels, name, seed):
    """A few turns of a game by alpha-beta, and all of its memory after each."""
    generator = random.Random(seed)
    engine = AlphaBetaEngine(kernels, preset(name))
    position = drawn_position(generator, 20, 144)
    found = []
    for _ in range(4):
        decision = engine.think(position, iterations=4000)
        found.append((decision._replace(elapsed_s=0), memory_digest(engine)))
        position = advanced(generator, position.play(decision.move), 1)
        if position is None:
            break
    return found


def solver_questions(kernels, seed):
    """Endgames one after another, two of each game so that the table serves twice; limits end some of them.

    The last one is on a small board, where draws are common.
    """
    generator = random.Random(seed)
    engine = SolverEngine(kernels, SOLVER_TABLE_MB)
    positions = [drawn_position(generator, 14, 44) for _ in range(3)]
    positions.append(empty_position(4, 4, (generator.randrange(4), generator.randrange(4))))
    found = []
    for position in positions:
        for exact in (False, True):
            solution = engine.solve(position, nodes=3000, exact=exact)
            found.append((solution._replace(elapsed_s=0), memory_digest(engine, SOLVER_CALL_FIELDS)))
        later = advanced(generator, position, 2)
        if later is not None:
            found.append(engine.solve(later, nodes=3000)._replace(elapsed_s=0))
    return found


def counted_steps(kernels, seed):
    """The calibration: what it returns, and all of its counters."""
    counters = (ctypes.c_int32 * 1000)()
    return [(kernels.steps(ctypes.addressof(counters), count), list(counters)) for count in (0, 1, 1000, 12345 + seed)]
