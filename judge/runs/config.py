"""What a run of games is asked for, as one value: the command line makes it, and so does any program of ours."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judge.games import DEFAULT_GAME, GAMES
from judge.language import _
from judge.play.sandbox import Sandbox
from judge.play.scoresheet import GamePlan

LOCAL = "local"  # a cluster that this program starts
WORKER_TIMEOUT_S = 60.0  # usually


@dataclass(frozen=True)
class ClusterConfig:
    """How a cluster is reached.

    address: "local", "local:N" or a scheduler's; worker_timeout_s: how long a worker of a local one may be silent; ca,
    certificate and key: paths, None without TLS; is_insecure: a foreign address without TLS is fine.
    """

    address: str
    worker_timeout_s: float = WORKER_TIMEOUT_S
    ca: str | None = None
    certificate: str | None = None
    key: str | None = None
    is_insecure: bool = False

    @property
    def is_local(self) -> bool:
        """Whether the cluster is one that this program starts."""
        return self.address.partition(":")[0] == LOCAL

    def local_workers(self, jobs: int) -> int:
        """How many workers "local:N" asks for, `jobs` where it does not say. Raises ValueError."""
        _word, _colon, number = self.address.partition(":")
        if number and not (number.isascii() and number.isdecimal() and int(number) > 0):
            raise ValueError(_("expected local or local:N with N workers"))
        return int(number) if number else jobs


@dataclass(frozen=True)
class RunConfig:
    """One run of games, or a single game.

    board_options: keywords of the game's draw_board(). limit_s to freeze are GamePlan's fields of these names. seed:
    None for one that is drawn, or that of the run that is resumed. record: the file that the games are added to;
    resume: play what it does not hold yet; forensics: the folder of incident reports. jobs: games at a time here, or on
    a local cluster; keep_going: play on with a player that fails time and again.
    """

    record: Path
    game: str = DEFAULT_GAME
    board_options: Mapping[str, Any] = field(default_factory=dict)
    limit_s: float = 3.0
    free_start: bool = False
    memory_limit_bytes: int | None = 10**9
    undrained_stderr: bool = False
    strict_clock: bool = False
    freeze: bool = False
    sandbox: Sandbox = Sandbox()
    seed: int | None = None
    players_file: Path | None = None
    jobs: int = 1
    oversubscribe: bool = False
    machine_check: bool = True
    cluster: ClusterConfig | None = None
    resume: bool = False
    keep_going: bool = False
    forensics: Path | None = None

    @property
    def jobs_here(self) -> int | None:
        """How many games at a time this machine plays, None where others play them. Raises ValueError."""
        if self.cluster is None:
            return self.jobs
        return self.cluster.local_workers(self.jobs) if self.cluster.is_local else None

    def conditions(self) -> dict[str, Any]:
        """The rules of its games that a run which goes on must keep, {field of GamePlan: value}, as JSON has them."""
        return {
            "game": self.game,
            "limit_s": self.limit_s,
            "free_start": self.free_start,
            "memory_limit_bytes": self.memory_limit_bytes,
            "undrained_stderr": self.undrained_stderr,
            "strict_clock": self.strict_clock,
            "freeze": self.freeze,
        }

    def plan(self, pair: int, first: str, index: int) -> GamePlan:
        """The plan of game number `index`, on the board that this pair draws; `first`, "A" or "B", moves first.

        Precondition: the seed is known. Raises ValueError where the board options do not fit.
        """
        assert self.seed is not None
        board = GAMES[self.game].draw_board(self.seed, pair, **self.board_options)
        return GamePlan(
            board=board,
            seed=self.seed,
            first=first,
            pair=pair,
            index=index,
            sandbox=self.sandbox,
            **self.conditions(),
        )
