"""Entry points of the reversi engines. Each takes the address of a search's memory.

The rest of the bot calls no other compiled code. Arguments and results are integers, so that callers cannot tell how an
entry point was compiled.
"""

from bot.kernels.kernel import entry_point
from bot.kernels.machine import take_steps, words_at
from bot.search.alphabeta import make_alphabeta, memory_at

from . import alphabeta as alphabeta_game
from .bitboard import count_games
from .evaluation import list_unique as write_unique
from .evaluation import prepare
from .memory import BOARD, FRAMES_OFFSET
from .pvs import search_in

_alphabeta = make_alphabeta(alphabeta_game)


@entry_point
def pvs(address):
    """Start or continue to answer the question in the memory at `address`, whose layout memory.py shows.

    Returns the number of nodes that this call has visited.
    """
    return search_in(address)


@entry_point
def prepare_weights(address):
    """Make the tables of weights in the memory at `address`, whose layout memory.py shows. Returns 0.

    The weights file must lie in the room of the table of positions.
    """
    prepare(address)
    return 0


@entry_point
def list_unique(address, positions, results, count):
    """Write the numbers of the weights that add up to the value of each position in a list, for a training. Returns 0.

    evaluation.list_unique describes the arguments. No search may use the memory at `address`, whose layout memory.py
    shows.
    """
    write_unique(address, positions, results, count)
    return 0


@entry_point
def perft(address, depth):
    """Returns the number of games of `depth` plies from the position in the memory at `address` (memory.py)."""
    return count_games(words_at(address, FRAMES_OFFSET), words_at(address, 0)[BOARD], depth)


@entry_point
def alphabeta(address):
    """Search the position in the memory at `address` by alpha-beta, within the limits written there. Returns 0.

    search/alphabeta_engine.py shows the layout of the memory. The results are written there too.
    """
    _alphabeta(memory_at(address))
    return 0


@entry_point
def steps(address, count):
    """Runs `count` steps of the calibration, take_steps() of kernels/machine.py, on the counters at `address`.

    Returns the first counter after them.
    """
    return take_steps(address, count)
