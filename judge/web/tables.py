"""The tables of the server. A table is a live game of a human against a player.

All that pages show of a table is in one object, which only the event loop's thread changes. What takes long, such as a
turn of the player, runs in other threads. The player's process runs while the game goes on and a page shows it. If all
pages have gone, the process is ended; when a page comes back, it is started anew in the current position.
"""

import asyncio
import contextlib
import dataclasses
import logging
import secrets
import threading
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import anyio
from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from judge.analysis import input_after_moves
from judge.games import boards
from judge.games.boards import Board
from judge.games.positions import AnyMove, IllegalMove
from judge.language import _, marked, shown
from judge.play.human_game import HUMAN, PLAYER, HumanGame, Opponent, resignation_verdict
from judge.play.referee import Interrupted, verdict_on
from judge.play.scoresheet import Conditions, GamePlan, Verdict
from judge.play.seat import Forfeit
from judge.players.players import Contestant, PlayerError
from judge.processes.start import JudgeFailure
from judge.runs import record_file
from judge.runs.schedule import MOST_ATTEMPTS
from judge.terminal import printable, printable_lines
from judge.web import hints
from judge.web.answers import CONFLICT, NOT_ALLOWED, NOT_FOUND, Refused, call_or_refuse, encoded, refusal
from judge.web.hints import FAILURES, THREADS, analyses
from judge.web.inputs import AskedTable, Command
from judge.web.opponents import Opponents
from judge.web.record_data import game_json
from judge.web.texts import Texts, in_each, recorded_in_each
from protocol.records.record import GameRecord, Player, Termination

RECORD = "serve.jsonl"  # the record file, in the records folder
MOST = 20  # at most so many tables exist at a time
DESERTED_AFTER_S = 30.0  # if no page shows a table for so long, the process of its player is ended
REMOVED_AFTER_S = 3600.0  # if no page shows a table for so long, the table is removed
JOIN_S = 3.0  # the wait for all tables to end; what they have started is killed afterwards
LONGEST_REASON = 8000  # characters of an error; in a compiler's output the first characters say most
LOOK_PERIOD_S = 1.0  # the interval at which a player that is not to move is checked
EVALUATION_S = 30.0  # the time that our bot gets for a position
SECONDS_DIGITS = 3  # decimals of the seconds that pages show
CANNOT_GO_ON = marked("the game cannot go on, begin another one: {reason}")
Result = TypeVar("Result")


@dataclasses.dataclass(frozen=True)
class TableService:
    """Everything that the tables of a server share.

    `records` is the path of the records folder. Each table has its own limit in place of that in `conditions`. clock()
    returns a time in seconds.
    """

    records: Path
    opponents: Opponents
    conditions: Conditions
    slots: CapacityLimiter = dataclasses.field(default_factory=lambda: CapacityLimiter(hints.MOST))
    clock: Callable[[], float] = time.monotonic
    _one_at_a_time: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def contestant(self, wanted: AskedTable) -> Contestant:
        """Return the player that a page asks for, ready to be started. Its program is compiled if necessary.

        Raises PlayerError if there is no such player or it cannot be compiled.
        """
        with self._one_at_a_time:
            self.conditions.sandbox.copies.forget()  # so that the player's folder is copied as it is now
            player = self.opponents.contestant(wanted.player, wanted.game, wanted.limit_s, self.conditions.sandbox)
        return dataclasses.replace(player, name=printable(player.name))

    def append_record(self, record: GameRecord) -> tuple[dict[str, Any] | None, Texts | None]:
        """Append a game to the record file.

        Returns ({"path": the record file, "number": the game's number in the file}, None). If the game cannot be
        appended, returns (None, the error in each language).
        """
        path = self.records / RECORD
        trouble = record_file.append(path, record)
        if trouble:
            return None, in_each(trouble)
        number = record_file.numbers_in_file(path).get(record.extra["id"])
        return {"path": RECORD, "number": number}, None


class Table:
    """A live game with the settings `wanted`, on `board` and beginning with `moves`. The player gets the seed `seed`.

    remove(id) is called when no page has shown the table for REMOVED_AFTER_S seconds. `pages` counts the pages that
    show the table.
    """

    def __init__(
        self,
        service: TableService,
        wanted: AskedTable,
        board: Board,
        moves: Sequence[AnyMove],
        seed: int,
        remove: Callable[[str], None],
    ) -> None:
        self.id = secrets.token_urlsafe(16)
        self.wanted = wanted
        self.pages = 0
        self._service, self._remove = service, remove
        plan = GamePlan(
            board=board,
            seed=seed,
            conditions=dataclasses.replace(service.conditions, limit_s=wanted.limit_s),
            first=HUMAN if wanted.first == "human" else PLAYER,
            game=wanted.game,
        )
        self._game = HumanGame(plan, moves)
        self._player = Player(wanted.player, wanted.player)
        self._contestant: Contestant | None = None
        self._opponent: Opponent | None = None
        self._is_preparing = True
        self._is_deserted = self._is_closed = False
        self._failures = 0  # how many times in a row a failure of the judge or the machine has prevented a reply
        self._stop = threading.Event()  # interrupts the player's turn
        self._stop_hint = threading.Event()  # ends the hint for the current position
        self._has_work = asyncio.Event()  # the game's task need not wait until its next look at the player
        self._news = asyncio.Event()  # set, and replaced, when the state has changed
        self._turn_s = 0.0  # the time of this turn until `_running_since`
        self._running_since: float | None = None  # since when the time of this turn runs; None while it stands still
        self._verdict: Verdict | None = None
        self._record: GameRecord | None = None
        # {"path": record file, "number": the game's number in it} once the game is recorded
        self._place_in_record: dict[str, Any] | None = None
        self._trouble: Texts | None = None  # the error that has ended the game or prevented its record
        self._hint: dict[str, Any] | None = None
        self._evaluation: dict[str, Any] | None = None
        self._is_evaluating = False
        self._evaluating: anyio.CancelScope | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer = asyncio.get_running_loop().call_later(DESERTED_AFTER_S, self._end_deserted)
        self._guard = asyncio.Lock()  # held while `_record_and_json` is made
        self._record_and_json: tuple[GameRecord | None, dict[str, Any]] = None, {}  # (record so far, its game_json())
        self._start_task(self._play())

    @property
    def is_over(self) -> bool:
        """Whether the game has ended or cannot go on."""
        return self._verdict is not None or self._trouble is not None

    @property
    def plies(self) -> int:
        """The number of moves made."""
        return len(self._game.moves)

    @contextlib.contextmanager
    def counting_page(self) -> Iterator[None]:
        """Count a page that shows the table, as long as the `with` block runs."""
        self.pages += 1
        self._timer.cancel()
        self._is_deserted = False
        self._has_work.set()
        self._run_clock(not (self._is_preparing or self.is_over))
        try:
            yield
        finally:
            self.pages -= 1
            if not self.pages:
                self._run_clock(False)
                self._timer = asyncio.get_running_loop().call_later(DESERTED_AFTER_S, self._end_deserted)

    async def texts(self) -> AsyncGenerator[str, None]:
        """Yield the state of the table as JSON text, now and after each change."""
        while True:
            news = self._news
            yield encoded(self._as_json(await self._game_json()))
            await news.wait()

    async def _game_json(self) -> dict[str, Any]:
        """Return game_json() of the game as it is now.

        A thread makes the JSON, once for all pages, as this may take 0.1 s. If the game has changed meanwhile, the JSON
        is made again.
        """
        async with self._guard:
            while (record := self._record or self._unfinished_record()) != self._record_and_json[0]:
                self._record_and_json = record, await self._in_thread(game_json, record, None, self._record is None)
            return self._record_and_json[1]

    def carry_out(self, command: Command) -> None:
        """Carry out a page's command. Raises Refused if the command is not possible now.

        A hint that was asked for already is not asked for again.
        """
        if self.is_over:
            raise refusal(NOT_ALLOWED, marked("the game is over"))
        if command.type == "evaluate":
            self._switch_evaluation(command.on)
        elif self._opponent is None or (command.type != "resign" and not self._is_player_ready):
            raise refusal(NOT_ALLOWED, marked("your opponent is still being started: wait until the game begins"))
        elif command.type == "resign":
            self._verdict = resignation_verdict(HUMAN)
            self._interrupt()
        elif self._game.side_to_move != HUMAN:
            raise refusal(NOT_ALLOWED, marked("it is not your turn: wait for the move of your opponent"))
        elif command.type == "move":
            move = call_or_refuse(lambda: self._game.game.read_move(command.move), ValueError, IllegalMove)
            try:
                self._game.play(move, self._turn_so_far_s)
            except IllegalMove as error:
                raise Refused(NOT_ALLOWED, recorded_in_each(str(error))) from None
            self._position_changed()
        elif command.type == "undo":
            if not self._game.undo():
                raise refusal(NOT_ALLOWED, marked("you have made no move that could be taken back"))
            self._position_changed()
        elif self._hint is None or not self._hint["thinking"]:  # the command "hint"
            self._hint = {"moves": [], "thinking": True}
            self._start_task(self._find_hint(self._hint))
            self._notify_pages()

    def close(self) -> "set[asyncio.Task[None]]":
        """Ask all tasks of the table to end, and return those that have not ended yet."""
        self._is_closed = True
        self._timer.cancel()
        self._interrupt()
        self._drop_hints()
        return set(self._tasks)

    def _end_deserted(self) -> None:
        """Let the game's task end the player's process, because no page has shown the table for DESERTED_AFTER_S s.

        When no page has shown the table for REMOVED_AFTER_S s, it is removed.
        """
        self._is_deserted = True
        self._timer = asyncio.get_running_loop().call_later(REMOVED_AFTER_S - DESERTED_AFTER_S, self._remove, self.id)
        self._drop_hints()
        self._switch_evaluation(False)
        self._interrupt()

    def _interrupt(self) -> None:
        """Interrupt the player's turn or start, and wake the game's task."""
        self._stop.set()
        self._has_work.set()

    async def _play(self) -> None:
        """Play the game and record it: start the player, ask it when it is to move, and check it when it is not."""
        try:
            while not (self.is_over or self._is_closed):
                self._has_work.clear()
                self._stop.clear()
                if self._is_deserted:
                    await self._end_player()
                    await self._has_work.wait()
                elif not self._is_player_ready:
                    await self._prepare()
                elif self._game.side_to_move == PLAYER:
                    await self._ask_player()
                else:
                    with anyio.move_on_after(LOOK_PERIOD_S):
                        await self._has_work.wait()
                    await self._check_player()
            if self._verdict is not None and not self._is_closed:
                self._record, self._place_in_record, self._trouble = await self._in_thread(
                    self._end_and_record, self._verdict
                )
        except Exception as error:
            logging.getLogger(__name__).exception("a game cannot go on")
            self._fail(CANNOT_GO_ON, error)
        finally:
            self._drop_hints()
            self._switch_evaluation(False)
            self._run_clock(False)
            await self._end_player()
            self._notify_pages()

    @property
    def _is_player_ready(self) -> bool:
        return self._opponent is not None and self._opponent.is_running and not self._is_preparing

    async def _prepare(self) -> None:
        """Compile and start the player, and begin the turn. If that fails, end the game and show the reason."""
        self._is_preparing = True
        self._notify_pages()
        try:
            if self._contestant is None:
                self._contestant = await self._in_thread(self._service.contestant, self.wanted)
            contestant = self._contestant
            self._player = Player(contestant.name, contestant.command, contestant.version)
            self._opponent = Opponent(contestant, self._stop)
            await self._in_thread(self._opponent.start, self._game)
        except Interrupted:
            await self._end_player()
            return
        except (PlayerError, *FAILURES) as error:
            self._fail(marked("your opponent cannot be started: {reason}"), error)
            return
        self._is_preparing = False
        self._begin_turn()

    async def _ask_player(self) -> None:
        """Ask the player for its turn, and play it. A forfeit of the player ends the game.

        The reply to an interrupted turn is dropped. If the judge has failed, a new process is asked, until
        MOST_ATTEMPTS in a row have failed; then, or if the machine has failed, the game cannot go on.
        """
        assert self._opponent is not None
        try:
            moves = await self._in_thread(self._opponent.ask, self._game)
        except Interrupted:
            moves = []
        except Forfeit as forfeit:
            self._verdict = self._verdict or verdict_on(forfeit)
            return
        except FAILURES as failure:
            self._failures += 1
            if isinstance(failure, JudgeFailure) and self._failures < MOST_ATTEMPTS:  # ask a new process
                await self._end_player()
            else:
                self._fail(CANNOT_GO_ON, failure)
            return
        if self._stop.is_set():
            if not self.is_over:
                await self._end_player()  # if the game goes on, a new process is asked
            return
        self._failures = 0
        self._game.add(moves)
        self._position_changed()

    async def _check_player(self) -> None:
        """Check the player if it is not to move. If it breaks a rule, it forfeits and the game ends."""
        assert self._opponent is not None
        try:
            if self._game.side_to_move == HUMAN:
                await self._in_thread(self._opponent.check)
        except Interrupted:
            pass
        except Forfeit as forfeit:
            self._verdict = self._verdict or verdict_on(forfeit)

    async def _in_thread(self, act: Callable[..., Result], *arguments: Any) -> Result:
        """Return the result of act(*arguments), which runs in one of the tables' threads."""
        return await run_sync(act, *arguments, limiter=THREADS, abandon_on_cancel=True)

    async def _end_player(self) -> None:
        if self._opponent is not None:
            await self._in_thread(self._opponent.end)

    def _end_and_record(self, verdict: Verdict) -> tuple[GameRecord, dict[str, Any] | None, Texts | None]:
        """End the player and append the game to the record file.

        Returns (the game's record, its place in the record file, an error). Either the place or the error is None; see
        TableService.append_record().
        """
        assert self._opponent is not None
        seat = self._opponent.driver.seat
        if seat.process is not None and self._opponent.is_running:
            seat.exit_status = seat.process.exit_status
        self._opponent.end()
        record = self._game.record_with(verdict, seat)
        return record, *self._service.append_record(record)

    def _position_changed(self) -> None:
        """End the game if it is over in the new position, else begin the next turn."""
        self._drop_hints()
        self._has_work.set()
        if self._game.position.over:
            self._verdict = self._verdict or self._game.verdict()
        else:
            self._turn_s, self._running_since = 0.0, None
            self._begin_turn()

    def _begin_turn(self) -> None:
        """Start the clock of a turn, and show the new position to all pages."""
        self._run_clock(self.pages > 0)
        if self._game.side_to_move == HUMAN and self._is_evaluating:
            self._evaluate()
        self._notify_pages()

    @property
    def _turn_so_far_s(self) -> float:
        """The seconds of this turn so far, without the time during which no page showed the table."""
        return self._turn_s + (0.0 if self._running_since is None else self._service.clock() - self._running_since)

    def _run_clock(self, runs: bool) -> None:
        """Let the clock of this turn run, or stop it."""
        self._turn_s, self._running_since = self._turn_so_far_s, self._service.clock() if runs else None

    def _switch_evaluation(self, is_on: bool) -> None:
        """Switch evaluations of the human's positions on or off. Raises Refused if no slot is free."""
        if is_on and not self._is_evaluating:
            hints.take_slot(self._service.slots, self)
            self._is_evaluating = True
            if self._game.side_to_move == HUMAN and not self._is_preparing:
                self._evaluate()
        elif not is_on and self._is_evaluating:
            self._is_evaluating = False
            self._end_evaluation()
            hints.release_slot(self._service.slots, self)
        self._notify_pages()

    def _evaluate(self) -> None:
        """Begin to evaluate the current position."""
        self._end_evaluation()
        self._evaluation = {"ply": self.plies, "thinking": True}
        self._evaluating = anyio.CancelScope()
        self._start_task(self._find_values(self._evaluating, self.plies))

    def _end_evaluation(self) -> None:
        """Stop the evaluation that runs, and show none."""
        if self._evaluating is not None:
            self._evaluating.cancel()
        self._evaluating = self._evaluation = None

    async def _find_values(self, scope: anyio.CancelScope, ply: int) -> None:
        """Show the values of the position after `ply` moves as the search deepens, until `scope` is cancelled."""
        game = self._game
        position = input_after_moves(self.wanted.game, game.plan.board.as_json(), [move.move for move in game.moves])
        with scope:
            try:
                async with contextlib.aclosing(analyses(self.wanted.game, position, EVALUATION_S)) as deepening:
                    async for analysis in deepening:
                        self._evaluation = {"ply": ply, "thinking": not analysis.final, **analysis.as_json()}
                        self._notify_pages()
            except Refused as refused:
                self._evaluation = {"ply": ply, "thinking": False, "error": refused.texts}
                self._notify_pages()

    async def _find_hint(self, placeholder: dict[str, Any]) -> None:
        """Ask the player for a hint, and show it in the place of `placeholder`, which says that the player thinks."""
        assert self._contestant is not None
        moves = [move.move for move in self._game.moves]
        hint = await self._in_thread(hints.hint, self._contestant, self._game.plan, moves, self._stop_hint)
        if self._hint is placeholder:  # else the position has changed
            self._hint = hint
            self._notify_pages()

    def _drop_hints(self) -> None:
        """End the hint and the evaluation of the position, which has changed or will not be shown any more."""
        self._stop_hint.set()
        self._stop_hint = threading.Event()
        self._hint = None
        self._end_evaluation()

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine as a task of the table, which close() asks to end."""
        task = asyncio.create_task(work)
        self._tasks.add(task)  # the event loop itself keeps no task alive
        task.add_done_callback(self._tasks.discard)

    def _fail(self, message: str, error: Exception) -> None:
        """End the game without a record and show the reason.

        `message` is a text of marked(). Its placeholder `reason` is replaced by the text of `error`.
        """
        self._trouble = in_each(lambda: _(message).format(reason=_error_in_words(error)))

    def _notify_pages(self) -> None:
        """Have every page that shows the table send the new state."""
        self._news.set()
        self._news = asyncio.Event()

    def _as_json(self, recorded_game: dict[str, Any]) -> dict[str, Any]:
        """Return the state of the table as JSON. `recorded_game` is the result of _game_json()."""
        game = self._game
        turn = None if self.is_over or self._is_preparing else "human" if game.side_to_move == HUMAN else "player"
        human_s = sum(move.wall_s for move in game.moves if move.side == HUMAN)
        player_s = sum(move.wall_s for move in game.moves if move.side == PLAYER)
        return {
            "type": "table",
            "id": self.id,
            "game": recorded_game,
            "human": HUMAN,
            "player": self._player.name,
            "limit_s": self.wanted.limit_s,
            "preparing": self._is_preparing and not self.is_over,
            "turn": turn,
            "clock": {
                "human_s": round(human_s, SECONDS_DIGITS),
                "player_s": round(player_s, SECONDS_DIGITS),
                "turn_s": round(self._turn_so_far_s, SECONDS_DIGITS),
            },
            "legal": [str(move) for move in game.position.legal_moves()] if turn == "human" else [],
            "can_undo": turn == "human" and game.can_undo,
            "hint": self._hint,
            "evaluating": self._is_evaluating,
            "evaluation": self._evaluation,
            "over": self._place_in_record,
            "trouble": self._trouble,
        }

    def _unfinished_record(self) -> GameRecord:
        """Return the game so far as a record of a VOID game."""
        plan = self._game.plan
        return GameRecord(
            game=plan.game,
            board=plan.board.as_json(),
            players=(Player("human", "human"), self._player),
            first=plan.first,
            moves=tuple(self._game.moves),
            winner=None,
            termination=Termination.VOID,
            at_fault=None,
            started=self._game.started,
            finished=self._game.started,
            judge_version="",
            seed=plan.seed,
            extra={"id": self._game.id, "reason": ""},
        )


def _error_in_words(error: Exception) -> str:
    """Return a text about `error` for pages. For an error that is not expected, this is only the error's type."""
    if isinstance(error, PlayerError):  # the text may have many lines from a compiler
        text = printable_lines(str(error))
        return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]} .."
    return printable(shown(str(error))) if isinstance(error, FAILURES) else type(error).__name__


class Tables:
    """The tables of a server, at most MOST, by their ids, which cannot be guessed.

    If there are so many, a new table replaces a table whose game is over and that no page shows.
    """

    def __init__(self, service: TableService) -> None:
        self._service = service
        self._tables: dict[str, Table] = {}

    def require_vacancy(self) -> None:
        """Make sure that there is room for one more table. If necessary, remove a table that is over and not shown.

        Raises Refused if there are MOST tables and none of them can be removed.
        """
        if len(self._tables) < MOST:
            return
        for table in self._tables.values():
            if table.is_over and not table.pages:
                self._remove(table.id)
                return
        raise refusal(
            CONFLICT,
            marked("{number} games are being played, which is the most at a time: finish or resign one of them first"),
            number=len(self._tables),
        )

    def new(self, wanted: AskedTable, board: Board, moves: Sequence[AnyMove], seed: int) -> Table:
        """Create a table and return it; its game begins. Raises Refused if there are too many tables."""
        self.require_vacancy()
        table = Table(self._service, wanted, board, moves, seed, self._remove)
        self._tables[table.id] = table
        return table

    def find(self, table_id: str) -> Table:
        """Return the table with this id. Raises Refused if there is none."""
        if table_id not in self._tables:
            raise refusal(NOT_FOUND, marked("the server does not have this game any more: begin another one"))
        return self._tables[table_id]

    def as_json(self) -> dict[str, Any]:
        """Return the list of tables as JSON."""
        return {
            "tables": [
                {
                    "id": table.id,
                    "game": table.wanted.game,
                    "player": table.wanted.player,
                    "plies": table.plies,
                    "is_over": table.is_over,
                }
                for table in self._tables.values()
            ]
        }

    def _remove(self, table_id: str) -> None:
        self._tables.pop(table_id).close()

    async def close(self) -> None:
        """End all tables, and wait up to JOIN_S seconds until they have ended."""
        ending = {task for table in self._tables.values() for task in table.close()}
        self._tables.clear()
        if ending:
            await asyncio.wait(ending, timeout=JOIN_S)


def random_seed() -> int:
    """Return a random seed for a game's board and player."""
    return secrets.randbelow(boards.LARGEST_SEED + 1)
