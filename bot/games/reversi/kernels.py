"""Entry points of the reversi engines: each takes the address of a search memory.

They are all the compiled code that the rest of the bot calls, with integers in and one integer out, so that it
cannot tell how they were compiled.
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
    """Begin or go on with the question in the memory of memory.py; the nodes visited by this call."""
    return search_in(address)


@entry_point
def prepare_weights(address):
    """Make the weights ready that lie in the room of that memory's table; 0."""
    prepare(address)
    return 0


@entry_point
def list_unique(address, positions, results, count):
    """For a training: which weights add up to each of `count` positions, see evaluation.py; 0.

    address: of such a memory that does not search.
    """
    write_unique(address, positions, results, count)
    return 0


@entry_point
def perft(address, depth):
    """Games of so many plies from the position in that memory."""
    return count_games(words_at(address, FRAMES_OFFSET), words_at(address, 0)[BOARD], depth)


@entry_point
def alphabeta(address):
    """Alpha-beta on the position in the memory of search/alphabeta_engine.py, within the limits written there; 0."""
    _alphabeta(memory_at(address))
    return 0


@entry_point
def steps(address, count):
    """The calibration, kernels/machine.py: the machine's speed."""
    return take_steps(address, count)
