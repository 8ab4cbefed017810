"""The configuration of a run of games and of its cluster. Commands and other programs of this project make it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judge.games import DEFAULT_GAME, GAMES
from judge.games.boards import Board
from judge.language import _, marked
from judge.play.scoresheet import Conditions, GamePlan, flag

LOCAL = "local"  # the address of a cluster that this program starts
WORKER_TIMEOUT_S = 60.0  # how long a worker may be silent by default


@dataclass(frozen=True)
class ClusterConfig:
    """The cluster of a run and how it is reached.

    `address` is "local", "local:N" or the address of a scheduler. `worker_timeout_s` is how long, in seconds, a worker
    of a local cluster may be silent. `ca`, `certificate` and `key` are the paths of the files for TLS, or None without
    TLS. `is_insecure` says whether the address of another machine is allowed without TLS.
    """

    address: str
    worker_timeout_s: float = WORKER_TIMEOUT_S
    ca: str | None = None
    certificate: str | None = None
    key: str | None = None
    is_insecure: bool = False

    @property
    def is_local(self) -> bool:
        """Whether this program starts the cluster itself."""
        return self.address.partition(":")[0] == LOCAL

    def local_workers(self, jobs: int) -> int:
        """Return the number N in the address "local:N", or `jobs` if the address has no N.

        Raises ValueError if N is not a positive number.
        """
        _local, _colon, number = self.address.partition(":")
        if number and not (number.isascii() and number.isdecimal() and int(number) > 0):
            raise ValueError(_("expected local or local:N, where N is the number of workers"))
        return int(number) if number else jobs


@dataclass(frozen=True)
class BoardSet:
    """The boards of a run that uses the same boards over and over.

    `name` identifies the set in records. `size` is the number of boards. board_at(number) returns the board with the
    number `number`, from 0 to size - 1.
    """

    name: str
    size: int
    board_at: Callable[[int], Board]


@dataclass(frozen=True)
class RunConfig:
    """The configuration of a run of games, or of a single game.

    `record` is the path of the record file. With `resume` only those games are played that this file does not have yet.
    `game` is the game's name, and `board_options` are keyword arguments for its draw_board(). `boards` are the boards
    to play on, or None if all boards are drawn from the seed. If `seed` is None, a new run gets a random seed, and a
    resumed run keeps its seed.

    `jobs` is the number of games at a time on this machine or on a local cluster. With `oversubscribe` this number may
    exceed the number of cores. With `machine_check` the machine is measured before the run. `cluster` is None if the
    games are played in this process. With `keep_going` the run goes on even if a player fails in several games in a
    row. `forensics` is the folder of incident reports, or None.
    """

    record: Path
    game: str = DEFAULT_GAME
    board_options: Mapping[str, Any] = field(default_factory=dict)
    boards: BoardSet | None = None
    conditions: Conditions = field(default_factory=Conditions)
    seed: int | None = None
    players_file: Path | None = None
    jobs: int = 1
    oversubscribe: bool = flag(marked("allow more games at a time than there are cores to use"))
    machine_check: bool = True
    cluster: ClusterConfig | None = None
    resume: bool = flag(
        marked("continue the run in the file of --record, which is then required: play the games that it lacks")
    )
    keep_going: bool = False
    forensics: Path | None = None

    @property
    def jobs_here(self) -> int | None:
        """The number of games that this machine plays at a time, or None if the cluster is not a local one.

        Raises ValueError if the address of the cluster is "local:N" and N is not a positive number.
        """
        if self.cluster is None:
            return self.jobs
        return self.cluster.local_workers(self.jobs) if self.cluster.is_local else None

    def board(self, number: int) -> Board:
        """Return the run's board with the number `number`, from 0.

        Precondition: the seed is known. Raises ValueError if the board options do not fit the game.
        """
        assert self.seed is not None
        if self.boards is not None:
            return self.boards.board_at(number % self.boards.size)
        return GAMES[self.game].draw_board(self.seed, number, **self.board_options)

    def plan(self, pair: int, first: str, index: int, board: Board | None = None) -> GamePlan:
        """Return the plan of game number `index`, which belongs to pair number `pair`; side `first` moves first.

        The game is played on `board`, or, if that is None, on the board with the pair's number. Precondition: the seed
        is known. Raises ValueError if the board options do not fit the game.
        """
        assert self.seed is not None
        return GamePlan(
            board=self.board(pair) if board is None else board,
            seed=self.seed,
            conditions=self.conditions,
            first=first,
            pair=pair,
            index=index,
            game=self.game,
        )
