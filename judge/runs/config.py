"""The configuration of a run of games and of its cluster, made by the command line and by our other programs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judge.games import DEFAULT_GAME, GAMES
from judge.games.boards import Board
from judge.language import _
from judge.play.sandbox import Sandbox
from judge.play.scoresheet import GamePlan

LOCAL = "local"  # a cluster that this program starts
WORKER_TIMEOUT_S = 60.0  # the default


@dataclass(frozen=True)
class ClusterConfig:
    """How to reach a cluster.

    address: "local", "local:N" or a scheduler's address; worker_timeout_s: how long a worker of a local cluster may be
    silent; ca, certificate and key: paths, None without TLS; is_insecure: allow a foreign address without TLS.
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
        """Return N of "local:N", `jobs` if there is no N. Raises ValueError if N is not a positive number."""
        _word, _colon, number = self.address.partition(":")
        if number and not (number.isascii() and number.isdecimal() and int(number) > 0):
            raise ValueError(_("expected local or local:N with N workers"))
        return int(number) if number else jobs


@dataclass(frozen=True)
class BoardSet:
    """The boards of a run that plays on the same ones over and over.

    name: what identifies them in records; board_at(number) returns one of them, its number from 0 to size - 1.
    """

    name: str
    size: int
    board_at: Callable[[int], Board]


@dataclass(frozen=True)
class RunConfig:
    """One run of games, or a single game.

    board_options: keywords of the game's draw_board(). boards: None to draw a board for each number. limit_s to freeze
    are the GamePlan fields of the same names. seed: None to draw one, or to take that of the resumed run. record: the
    file that games are appended to; resume: play only the games that it does not hold yet; forensics: the folder of
    incident reports. jobs: games at a time on this machine or on a local cluster; keep_going: play on when a player
    fails several games in a row.
    """

    record: Path
    game: str = DEFAULT_GAME
    board_options: Mapping[str, Any] = field(default_factory=dict)
    boards: BoardSet | None = None
    limit_s: float = 3.0
    free_start: bool = False
    memory_limit_bytes: int | None = 10**9
    undrained_stderr: bool = False
    strict_clock: bool = False
    freeze: bool = False
    sandbox: Sandbox = field(default_factory=Sandbox)
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
        """Games that this machine plays at a time, None for a foreign cluster. Raises ValueError as local_workers()."""
        if self.cluster is None:
            return self.jobs
        return self.cluster.local_workers(self.jobs) if self.cluster.is_local else None

    def conditions(self) -> dict[str, Any]:
        """Return the rules that a resumed run must not change, {field of GamePlan: value}, as JSON values."""
        return {
            "game": self.game,
            "limit_s": self.limit_s,
            "free_start": self.free_start,
            "memory_limit_bytes": self.memory_limit_bytes,
            "undrained_stderr": self.undrained_stderr,
            "strict_clock": self.strict_clock,
            "freeze": self.freeze,
        }

    def board(self, number: int) -> Board:
        """Return board `number`, from 0 on, of this run.

        Precondition: the seed is known. Raises ValueError if the board options do not fit the game.
        """
        assert self.seed is not None
        if self.boards is not None:
            return self.boards.board_at(number % self.boards.size)
        return GAMES[self.game].draw_board(self.seed, number, **self.board_options)

    def plan(self, pair: int, first: str, index: int, board: Board | None = None) -> GamePlan:
        """Return the plan of game number `index`, of this pair; `first`, "A" or "B", moves first.

        board: None for the one whose number is the pair's. Precondition and ValueError as in board().
        """
        assert self.seed is not None
        return GamePlan(
            board=self.board(pair) if board is None else board,
            seed=self.seed,
            first=first,
            pair=pair,
            index=index,
            sandbox=self.sandbox,
            **self.conditions(),
        )
