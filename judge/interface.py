"""The Python interface: games between functions of your own program and the players of the command line.

    from judge import run_game

    def centre(position):
        return min(position.legal_moves, key=lambda column: abs(column - len(position.rows[0]) // 2))

    game = run_game(centre, "bot --iterations 1000", rows=9, cols=9)
    print(game)

docs/python.md describes the interface and says which parts of it will not change. A game between two players of the
command line is refereed in the same way as by `dropfour play`. A function runs in this process. The judge sets no time
limit and no memory limit for it, and run_game() and run_match() pass on the exceptions that it raises.
"""

import contextlib
import copy
import html
import io
import operator
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from judge.games import DEFAULT_GAME, GAMES
from judge.games.boards import LARGEST_SEED, number_below, player_seed
from judge.games.game import rows_of
from judge.games.positions import AnyMove, IllegalMove
from judge.games.positions import Position as State
from judge.language import shown
from judge.plain_console import PlainConsole
from judge.play.driver import Driver
from judge.play.human_game import START_CAP_S
from judge.play.observer import Observer
from judge.play.referee import play_game, verdict_on
from judge.play.sandbox import AUTO, MODES, ON, Sandbox
from judge.play.scoresheet import (
    Conditions,
    GamePlan,
    Verdict,
    in_order,
    make_record,
    utc_now,
    verdict_on_board,
)
from judge.play.screen import result_in_words
from judge.play.seat import Forfeit, Seat
from judge.play.start_trial import require_start
from judge.players.players import Contestant, contestants, known_names, require_engines
from judge.plots import draw
from judge.processes.process import pump_until_idle
from judge.processes.start import JudgeFailure
from judge.reasons import JUDGE_FAILED, NO_REPLY
from judge.reports.match import summary
from judge.runs import record_file
from judge.runs.config import RunConfig
from judge.runs.schedule import paired_games, play_all
from judge.statistics.score import score
from judge.web.record_data import Source
from judge.web.record_page import page
from protocol.records.record import GameRecord, Move, Termination, read_records

if TYPE_CHECKING:
    from typing_extensions import Unpack  # typing has it from Python 3.11 on

NOWHERE = Path("games.jsonl")  # the file name that a page shows if its games are in no file


class Options(TypedDict, total=False):
    """The options of run_game() and run_match().

    `game` is the name of the game. `limit_s` is the time limit per move in seconds (3.0), and `memory_limit_bytes` is
    the memory limit (10^9), or None for no limit; both apply to players of the command line only. The board is drawn
    from `seed`, which the players get, too; None stands for a random seed. `sandbox` is "auto", "on" or "off". The
    others are the board options of `dropfour play`; each game has some of them.
    """

    game: str
    limit_s: float
    memory_limit_bytes: int | None
    seed: int | None
    sandbox: str
    rows: int
    cols: int
    forbidden: str
    size: int | str
    opening_plies: int


# A player of the command line, or a function that chooses a move.
Player = str | Callable[["Position"], AnyMove]


class Position:
    """A position of a game: the board that the game began with, and the moves that were made.

    `board` and `moves` have the form that records have. The board is {"rows": 9, "cols": 9, ...}. A move is a column,
    from 0, in connect four, and the name of a cell or edge in the other games. Raises ValueError for a game or a board
    that does not exist, and IllegalMove for a move that the rules forbid. A Position never changes: after() returns a
    new Position.
    """

    def __init__(self, game: str, board: Mapping[str, Any], moves: Sequence[AnyMove] = ()) -> None:
        if game not in GAMES:
            raise ValueError(f"game: expected one of {', '.join(GAMES)}, received {game!r}")
        self.game, self.board, self.moves = game, dict(board), tuple(moves)
        self._state: State = GAMES[game].new_position(GAMES[game].read_board(self.board))
        for move in moves:
            self._state.play(move)

    @property
    def to_move(self) -> int:
        """The player to move: 0 is the player who moved first, 1 is the other player.

        The value has no meaning once the game is over.
        """
        return self._state.to_move

    @property
    def legal_moves(self) -> list[AnyMove]:
        """The legal moves of the player to move, or [] if the game is over."""
        return list(self._state.legal_moves())

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._state.over

    @property
    def winner(self) -> int | None:
        """The player who has won, 0 or 1, or None for a draw or an unfinished game."""
        return self._state.winner

    @property
    def rows(self) -> list[str]:
        """The rows of the board from the top. Each is a text with one character for each cell.

        "0" and "1" are cells of players 0 and 1. "." is a free cell, and "#" is a cell that may not be taken. In dots
        and boxes the cells are the boxes; the free edges are in legal_moves.
        """
        cells = GAMES[self.game].cells
        rows, columns = cells.size(self._state)
        return rows_of(cells.codes(self._state)[: rows * columns], columns)

    def after(self, move: AnyMove) -> "Position":
        """Return the position after the player to move makes `move`. Raises IllegalMove if the move is illegal."""
        later = _position(self.game, self.board, (*self.moves, move), copy.deepcopy(self._state))
        later._state.play(move)
        return later

    def __str__(self) -> str:
        return GAMES[self.game].rendering(self._state).plain

    def _repr_html_(self) -> str:
        console = PlainConsole(record=True, file=io.StringIO(), width=200)
        console.print(GAMES[self.game].rendering(self._state))
        return console.export_html(inline_styles=True, code_format="<pre>{code}</pre>")


def _position(game: str, board: dict[str, Any], moves: tuple[AnyMove, ...], state: State) -> Position:
    """Return the Position after `moves` without playing the moves again.

    `state` is the state of the game after these moves. The caller must not change it afterwards.
    """
    position = Position.__new__(Position)
    position.game, position.board, position.moves, position._state = game, board, moves, state
    return position


@dataclass(frozen=True)
class PlayedGame:
    """A game that has been played. `record` is the record that `dropfour play` would write.

    A notebook shows a PlayedGame as the page of the game.
    """

    record: GameRecord

    @property
    def winner(self) -> str | None:
        """The side that has won, "A" or "B", or None for a draw or a game without a result."""
        return self.record.winner

    @property
    def moves(self) -> list[AnyMove]:
        """The moves of the game, in order."""
        return [move.move for move in self.record.moves]

    def positions(self) -> Iterator[Position]:
        """Yield the position before the first move and after each move."""
        position = Position(self.record.game, self.record.board)
        yield position
        for move in self.moves:
            position = position.after(move)
            yield position

    def save(self, path: str | Path) -> None:
        """Append the record to the record file `path`, which `dropfour replay` and `dropfour view` can read.

        Raises OSError if the file cannot be written.
        """
        describe_error = record_file.append(Path(path), self.record)
        if describe_error:
            raise OSError(describe_error())

    def page(self) -> str:
        """Return the HTML page that `dropfour view` writes of this game."""
        return _page([self])

    def __str__(self) -> str:
        position = Position(self.record.game, self.record.board, self.moves)
        return f"{position}\n{result_in_words(self.record)}"

    def _repr_html_(self) -> str:
        return _framed(self.page())


@dataclass(frozen=True)
class PlayedMatch:
    """The games of a match, in the order of the schedule. A notebook shows a PlayedMatch as one page of all games."""

    games: tuple[PlayedGame, ...]

    @property
    def wins(self) -> int:
        """The number of games that A, the first argument of run_match(), has won. VOID games are not counted."""
        return score(self._records()).wins

    @property
    def draws(self) -> int:
        """The number of drawn games."""
        return score(self._records()).draws

    @property
    def losses(self) -> int:
        """The number of games that A has lost."""
        return score(self._records()).losses

    def summary(self) -> dict[str, Any]:
        """Return the JSON object that `dropfour match --json` prints: score, Elo with its error, endings, times."""
        return summary(self._records())

    def plot(self, axes: Any = None) -> Any:
        """Draw A's score over the games with its 95 % band; see plot()."""
        return plot(self, axes)

    def page(self) -> str:
        """Return the HTML page that `dropfour view` writes of all games. Raises ValueError if there are no games."""
        if not self.games:
            raise ValueError("a page needs at least one game")
        return _page(self.games)

    def save(self, path: str | Path) -> None:
        """Append all records to the record file `path`. Raises OSError if the file cannot be written."""
        for game in self.games:
            game.save(path)

    def __str__(self) -> str:
        first, second = self.games[0].record.players if self.games else ("A", "B")
        names = f"{getattr(first, 'name', first)} - {getattr(second, 'name', second)}"
        return f"{names}: {self.wins}-{self.draws}-{self.losses}"

    def _repr_html_(self) -> str:
        return _framed(self.page()) if self.games else html.escape(str(self))

    def _records(self) -> list[GameRecord]:
        return [game.record for game in self.games]


def plot(games: "PlayedMatch | str | Path", axes: Any = None) -> Any:
    """Draw the games of a match, or of a record file of any run, and return matplotlib's Axes.

    For two players, the score over the games is drawn with its 95 % band; for more players, the crosstable with the
    best player first. `axes` are the Axes to draw on; None stands for those of a new figure. Raises ImportError without
    matplotlib, which the extra `plot` installs, OSError or RecordError for a file that cannot be read, and ValueError
    if no game has a result.
    """
    records = games._records() if isinstance(games, PlayedMatch) else read_records(Path(games))[0]
    if axes is None:
        from matplotlib import pyplot

        _figure, axes = pyplot.subplots(layout="constrained")
    draw(records, axes)
    return axes


def run_game(
    a: Player,
    b: Player,
    *,
    first: str = "A",
    **options: "Unpack[Options]",
) -> PlayedGame:
    """Play one game between the players A and B and return the game.

    `a` and `b` are texts that name players as on the command line ("bot", "src:../v8", "./my_bot"), or functions that
    take a Position and return a legal move. `first` is the side that moves first, "A" or "B". Options says what
    `options` are.

    Raises ValueError for a wrong option, PlayerError for a player that cannot be started, and the exceptions that a
    function raises.
    """
    config = _run_config(options, for_one_game=True)
    if first not in ("A", "B"):
        raise ValueError(f'first: expected "A" or "B", received {first!r}')
    plan = config.plan(pair=0, first=first, index=0)
    return PlayedGame(_play(_prepared(a, b, config), plan, None, threading.Event()))


def run_match(
    a: Player,
    b: Player,
    games: int,
    *,
    jobs: int = 1,
    on_game: Callable[[PlayedGame], object] = lambda game: None,
    **options: "Unpack[Options]",
) -> PlayedMatch:
    """Play a match of `games` games and return the match.

    Two games are played on each board, with the first move swapped. `jobs` games are played at a time, so functions may
    run in `jobs` threads at once. When a game ends, on_game(game) is called in the caller's thread. See run_game() for
    `options` and the errors.
    """
    if games < 0 or jobs < 1:
        raise ValueError(f"games and jobs: expected at least 0 and 1, received {games} and {jobs}")
    config = _run_config(options, for_one_game=False)
    schedule = paired_games(_prepared(a, b, config), games, config)
    ended: dict[int, PlayedGame] = {}

    def on_record(record: GameRecord) -> None:
        ended[record.extra["index"]] = PlayedGame(record)
        on_game(ended[record.extra["index"]])

    play_all(schedule, jobs, threading.Event(), on_record, _play)
    return PlayedMatch(tuple(ended[index] for index in sorted(ended)))


def _run_config(options: "Options", for_one_game: bool) -> RunConfig:
    """Return the configuration for the options of run_game() or run_match().

    `for_one_game` is True for run_game(). Raises ValueError if an option is wrong.
    """
    board_options: dict[str, Any] = dict(options)
    game, seed = board_options.pop("game", DEFAULT_GAME), board_options.pop("seed", None)
    sandbox = Sandbox(board_options.pop("sandbox", AUTO))
    limits = {name: board_options.pop(name) for name in ("limit_s", "memory_limit_bytes") if name in board_options}
    conditions = Conditions(**limits, sandbox=sandbox)
    if game not in GAMES:
        raise ValueError(f"game: expected one of {', '.join(GAMES)}, received {game!r}")
    if not conditions.limit_s > 0:
        raise ValueError(f"limit_s: expected more than 0 seconds, received {conditions.limit_s!r}")
    if sandbox.mode not in MODES:
        raise ValueError(f"sandbox: expected one of {', '.join(MODES)}, received {sandbox.mode!r}")
    if sandbox.mode == ON and sandbox.availability.program is None:
        raise ValueError(f"sandbox: {shown(sandbox.availability.why_not)}")
    known = {option.name: option for option in GAMES[game].board_options}
    for name, value in board_options.items():
        if name not in known:
            raise ValueError(f"{name}: no option of {game}, expected one of {', '.join(known)}")
        board_options[name] = known[name].read(str(value))
    return RunConfig(
        record=NOWHERE,
        game=game,
        board_options=GAMES[game].complete_board_options(board_options, for_one_game),
        conditions=conditions,
        seed=number_below(LARGEST_SEED + 1, uuid.uuid4()) if seed is None else seed,
    )


@dataclass(frozen=True)
class _Function(Contestant):
    """A player that is the function `choose`."""

    choose: Callable[[Position], AnyMove] = field(default=lambda position: position.legal_moves[0])


def _prepared(a: Player, b: Player, config: RunConfig) -> list[Contestant]:
    """Return both players as contestants. A player of the command line is built, and is started once as a test.

    Raises PlayerError if a player cannot be built or started.
    """
    texts = [player for player in (a, b) if isinstance(player, str)]
    commands = contestants(texts, config.players_file, config.game, config.conditions.sandbox)
    require_engines(commands)
    require_start(commands, config.conditions.limit_s, known_names(config.players_file), config.conditions.sandbox)
    waiting = iter(commands)
    return [next(waiting) if isinstance(player, str) else _contestant_of(player) for player in (a, b)]


def _contestant_of(choose: Callable[[Position], AnyMove]) -> _Function:
    """Return the player that is a function. Raises TypeError if `choose` is not callable."""
    if not callable(choose):
        raise TypeError(f"a player is a text or a function, received {type(choose).__name__}")
    name = getattr(choose, "__name__", type(choose).__name__)
    module = getattr(choose, "__module__", None) or type(choose).__module__
    return _Function(name, f"{module}.{getattr(choose, '__qualname__', name)}", choose=choose)


def _play(
    players: Sequence[Contestant], plan: GamePlan, observer: Observer | None, stop: threading.Event
) -> GameRecord:
    """Play one game. This function does the same as play_game(), but the players may be functions."""
    if not any(isinstance(player, _Function) for player in players):
        return play_game(players, plan, observer, stop)
    return _GameWithFunctions(players, plan, stop).play()


class _GameWithFunctions:
    """A game in which at least one player is a function. A player of the command line is asked by a Driver."""

    def __init__(self, players: Sequence[Contestant], plan: GamePlan, stop: threading.Event) -> None:
        self.plan, self.stop = plan, stop
        self.players = dict(zip("AB", players, strict=True))
        self.state: State = GAMES[plan.game].new_position(plan.board)
        self.moves: list[Move] = []
        self.drivers: dict[str, Driver] = {}

    def play(self) -> GameRecord:
        """Play the game and return its record."""
        started = utc_now()
        with contextlib.ExitStack() as running:
            verdict = self._verdict(running)
            for driver in self.drivers.values():
                driver.seat.exit_status = driver.process.exit_status
                driver.send(driver.seat.wire.game_over())
        seats = [self._seat(side) for side in "AB"]
        return make_record(uuid.uuid4().hex, self.plan, seats, self.moves, verdict, started)

    def _seat(self, side: str) -> Seat:
        return self.drivers[side].seat if side in self.drivers else Seat(side, self.players[side])

    def _verdict(self, running: contextlib.ExitStack) -> Verdict:
        """Play the game, whose processes run until `running` is closed, and return the verdict."""
        sides = in_order(self.plan.first)
        try:
            for side in sides:
                if not isinstance(self.players[side], _Function):
                    self._start(side, sides.index(side), running)
            while not self.state.over:
                self._take_turn(sides[self.state.to_move])
        except Forfeit as forfeit:
            return verdict_on(forfeit)
        except (JudgeFailure, OSError) as failure:
            return Verdict(Termination.VOID, None, None, JUDGE_FAILED.format(error=failure))
        return verdict_on_board(self.plan, self.state)

    def _start(self, side: str, number: int, running: contextlib.ExitStack) -> None:
        """Start the process of a side. `number` is 0 for the side that moves first, else 1."""
        plan = self.plan
        seed = player_seed(plan.seed, plan.pair, side)
        driver = Driver(self.players[side], replace(plan, seed=seed), self.stop)
        driver.seat.side = side
        running.enter_context(driver)
        self.drivers[side] = driver
        driver.position = self.state
        driver.send(driver.opening(number))
        pump_until_idle(driver.process, self.stop.is_set, START_CAP_S)

    def _take_turn(self, side: str) -> None:
        """Play a turn of `side`. Raises Forfeit for a fault of the player, and what a function raises."""
        player = self.players[side]
        if isinstance(player, _Function):
            self._ask_function(side, player)
            return
        driver = self.drivers[side]
        driver.expect_silence(0.0)
        self.moves += driver.ask_for_record(side)

    def _ask_function(self, side: str, player: _Function) -> None:
        """Play the move that a function chooses. Raises Forfeit if it is illegal, and what the function raises."""
        moves = tuple(move.move for move in self.moves)
        position = _position(self.plan.game, self.plan.board.as_json(), moves, copy.deepcopy(self.state))
        began = time.monotonic()
        chosen: Any = player.choose(position)
        wall_s = round(time.monotonic() - began, 6)
        move: AnyMove = chosen if isinstance(chosen, str) else operator.index(chosen)  # accepts numpy's integers, too
        try:
            self.state.play(move)
        except IllegalMove as error:
            reason = NO_REPLY.format(side=side, error=error)
            raise Forfeit(side, Termination.ILLEGAL_MOVE, reason, error.cell) from error
        self.moves.append(Move(side, move, wall_s))


def _page(games: Sequence[PlayedGame]) -> str:
    """Return the HTML page of the games."""
    sources = [Source(0, number, game.record) for number, game in enumerate(games, start=1)]
    return "".join(page(sources, [str(NOWHERE)]))


def _framed(content: str) -> str:
    """Return HTML with a frame in which a notebook shows the page `content`."""
    style = "width: 100%; height: 720px; border: 0"
    return f'<iframe srcdoc="{html.escape(content)}" sandbox="allow-scripts" style="{style}"></iframe>'
