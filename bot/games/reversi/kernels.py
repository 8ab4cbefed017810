"""Entry points of the reversi engines: each takes the address of the memory of a search.

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
    """Start or continue the question in the memory of memory.py at `address`.

    Returns the nodes that this call has visited.
    """
    return search_in(address)


@entry_point
def prepare_weights(address):
    """Make the tables from the weights in the room of the table of positions of memory.py; returns 0."""
    prepare(address)
    return 0


@entry_point
def list_unique(address, positions, results, count):
    """Write, for a training, which weights add up to the value of each of `count` positions (evaluation.py); returns 0.

    `address` is that of a memory of memory.py that does not search.
    """
    write_unique(address, positions, results, count)
    return 0


@entry_point
def perft(address, depth):
    """Returns the number of games of `depth` plies from the position in the memory of memory.py."""
    return count_games(words_at(address, FRAMES_OFFSET), words_at(address, 0)[BOARD], depth)


@entry_point
def alphabeta(address):
    """Run alpha-beta on the position and within the limits that the memory at `address` holds; returns 0.

    The memory is that of search/alphabeta_engine.py, where the results are written too.
    """
    _alphabeta(memory_at(address))
    return 0


@entry_point
def steps(address, count):
    """Run the calibration of kernels/machine.py, which measures the machine's speed. Returns the first counter."""
    return take_steps(address, count)
