"""Puts a session together, and holds its defaults: the platform's. Standard library only, Python 3.8 syntax.

On the start path: parsing a command line is commands/options.py's, which a bot on the ladder never imports.
"""

from __future__ import annotations

import os

from .clock import Budget
from .player import Player
from .session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..backends.compiled import Kernels
    from ..interfaces import Adapter, Report, Settings
    from .log import Log

DEFAULT_LIMIT_S = 3.0
DEFAULT_MARGIN_S = 0.4
DEFAULT_FIRST_MARGIN_S = 1.0


def random_seed() -> int:
    """A seed that nobody can foresee."""
    return int.from_bytes(os.urandom(7), "little")


def build_session(
    adapter: Adapter,
    kernels: Kernels | None,
    log: Log,
    settings: Settings | None = None,
    wire: str | None = None,
    limit: float = DEFAULT_LIMIT_S,
    margin: float = DEFAULT_MARGIN_S,
    first_margin: float = DEFAULT_FIRST_MARGIN_S,
    memory_mb: int | None = None,
    seed: int | None = None,
    iterations: int | None = None,
    report: Report | None = None,
    patient: bool = False,
) -> Session:
    """The Session of one game.

    adapter: the game's module of that name; kernels: as for Player; settings, wire, memory_mb: None for the game's
    defaults; limit and margins in seconds, see Budget; the others as for Session and Player.
    """
    memory_mb = adapter.DEFAULT_MEMORY_MB if memory_mb is None else memory_mb
    settings = adapter.preset("default") if settings is None else settings
    seed = random_seed() if seed is None else seed
    player = Player(adapter, settings, kernels, memory_mb, seed, log, patient)
    budgets = (Budget(limit, first_margin), Budget(limit, margin))
    return Session(adapter, adapter.WIRES[0] if wire is None else wire, player, budgets, log, iterations, report)
