"""Where the bot meets the wires of dots and boxes: messages become positions, turns become replies.

Standard library only. Every game's package has a module of this name with the public names of Adapter in
bot/interfaces.py.
"""

from bot.search.engine import RandomEngine
from bot.search.limits import check_memory, made_with_less
from protocol.games.dots import WIRES

from .dialogue import Dialogue, ImpossiblePosition
from .move_names import edges_named, name_of
from .plain import safe_move, start_position
from .plain_search import PlainSearch
from .presets import PRESETS, preset
from .settings import SettingsError

GAME = "dots"
ENGINES = ("uct", "alphabeta", "random")  # as the settings name them, the strong one first
# Of the whole process: Botzone allows 256 MB, and the wire is not known when memory is asked for.
DEFAULT_MEMORY_MB = 250

# Edges drawn from the start on boards of so many boxes, which leads to the positions that `bot bench` searches; the
# first one's speed is reported.
_BENCH_GAMES = (
    ((5, 5), ""),
    ((5, 5), "ABDBBBBCEBFDBCDAAEADDABEBCBBABBBCBEE"),
    ((5, 5), "BBEBAEAADABBABCAFDACDBCEBDDAFCAEDBFDADCAACADABDCBDBBAABFEBBB"),
    ((4, 4), "ADDBDDBBDACABBBBADBCBBDABCCBAC"),
    ((6, 6), "AFAAGDACBBEBBCDADCABFABCAACBGCBFAABEADFBDBBECAGEAFDAEBADAAGAAFCAABAGFBBA"),
)
# Positions with 32 and 34 free edges, none of them reached by giving boxes away, that the solver settles in a moment.
_SOLVER_BENCH_GAMES = (
    ((5, 5), "BDBADBBBDAEEBCEBADBDEBEDBACAABBCBAFAAAEACEACABEBBDABFEADDBEABAEABBBDCADCAAABABAFBBFC"),
    ((5, 5), "BCDBABBAEABABDABBEADDAACAAAACEBFDBDCBDBBEAAAEAEBBFBADEBBCBEEBFEACCADABDEAFCACB"),
)


def move_name(move):
    """How JSON names a turn: its edges one after another."""
    return name_of(move)


def in_words(move):
    """How a sentence names a turn."""
    return name_of(move)


def make_engine(kernels, settings, memory_mb, seed, position=None):
    """The engine of this game that the settings name, on loaded kernels; it makes do with less memory where it must.

    position: what it has to play, None before that is known: then ask what was made whether it knows it.
    """
    if settings.engine == "random":
        return RandomEngine(seed)
    if settings.engine == "alphabeta":
        from .alphabeta.engine import AlphaBetaEngine

        return AlphaBetaEngine(kernels, settings)
    from .uct.engine import UctEngine

    return made_with_less(lambda megabytes: UctEngine(kernels, settings, megabytes, seed), memory_mb)


def bench_positions():
    """The fixed positions of `bot bench`; the first is the one whose speed is reported."""
    return _after(_BENCH_GAMES)


def solver_bench_positions():
    """The fixed positions that `bot bench` has solved."""
    return _after(_SOLVER_BENCH_GAMES)


def _after(games):
    """The positions after games given as in the tables above."""
    positions = []
    for size, edges in games:
        position = start_position(*size)
        for edge in edges_named(edges):
            position, _ = position.draw(edge)
        positions.append(position)
    return positions
