"""A human's game against a player, without its display: the moves, the player's processes, the record."""

import contextlib
import threading
import uuid
from collections.abc import Iterable, Sequence

from judge.games import GAMES
from judge.games.positions import AnyMove, Position
from judge.play.driver import Driver
from judge.play.referee import Interrupted
from judge.play.scoresheet import (
    GamePlan,
    Verdict,
    in_order,
    make_record,
    opponent,
    utc_now,
    verdict_on_board,
)
from judge.play.seat import Seat
from judge.players.players import Contestant
from judge.processes.process import pump, pump_until_idle
from judge.reasons import RESIGNED
from protocol.records.record import GameRecord, Move, Termination

HUMAN, PLAYER = "A", "B"
START_CAP_S = 5.0  # the longest wait for a player to look idle after its start, as a human waits


class HumanGame:
    """A game of this plan between a human and a player.

    `position` is the position after all of `moves`, which are objects of record.Move. `id` is unique. `begun` are the
    moves with which the game begins; their number is `opening_moves`, and undo() never takes them back. Raises
    IllegalMove if one of them is illegal.
    """

    def __init__(self, plan: GamePlan, begun: Iterable[AnyMove] = ()) -> None:
        self.game = GAMES[plan.game]
        self.plan = plan
        self.id = uuid.uuid4().hex
        self.started = utc_now()
        self.moves: list[Move] = []
        self.position: Position = self.game.new_position(plan.board)
        for move in begun:
            self.play(move, 0.0)
        self.opening_moves = len(self.moves)

    @property
    def side_to_move(self) -> str:
        """The side to move, HUMAN or PLAYER; meaningless once the game is over."""
        return in_order(self.plan.first)[self.position.to_move]

    def number_of(self, side: str) -> int:
        """Return the side's player number, 0 or 1."""
        return in_order(self.plan.first).index(side)

    def play(self, move: AnyMove, wall_s: float) -> Move:
        """Play a move of the side to move, which took `wall_s` seconds, and return it as a record.Move.

        Raises IllegalMove if the move is illegal; the game is unchanged then.
        """
        played = Move(self.side_to_move, move, round(wall_s, 3))
        self.position.play(move)
        self.moves.append(played)
        return played

    def add(self, moves: Sequence[Move]) -> None:
        """Play the moves of a player's reply. Precondition: they are legal."""
        for move in moves:
            self.position.play(move.move)
            self.moves.append(move)

    @property
    def can_undo(self) -> bool:
        """Whether the human has a move to take back."""
        return any(move.side == HUMAN for move in self.moves[self.opening_moves :])

    def undo(self) -> bool:
        """Take back the human's last move and all moves after it. Return False if `can_undo` is False."""
        if not self.can_undo:
            return False
        while self.moves.pop().side != HUMAN:
            pass
        self.position = self.new_position()
        return True

    def new_position(self) -> Position:
        """Return a new position after the moves of this game."""
        position: Position = self.game.new_position(self.plan.board)
        for move in self.moves:
            position.play(move.move)
        return position

    def verdict(self) -> Verdict:
        """Return the Verdict on the game, which ended on the board. Precondition: the game is over."""
        return verdict_on_board(self.plan, self.position)

    def record_with(self, verdict: Verdict, seat: Seat) -> GameRecord:
        """Return the record of the game with this verdict. `seat` is the player's, whose process must have ended."""
        seats = [Seat(HUMAN, Contestant("human", "human")), seat]
        record = make_record(self.id, self.plan, seats, self.moves, verdict, self.started)
        # The limit held for the player alone, not for the human.
        extra = {**record.extra, "limit_s": None, "player_limit_s": self.plan.conditions.limit_s}
        return record.changed(extra=extra)


def resignation_verdict(side: str) -> Verdict:
    """Return the Verdict on a game that the side has resigned."""
    return Verdict(Termination.RESIGNATION, opponent(side), None, RESIGNED.format(side=side))


class Opponent:
    """A process of the player. After end() it may be started again.

    `plays` is the side whose moves the process makes: PLAYER, or HUMAN for hints. In both cases a Forfeit names PLAYER.
    The methods raise JudgeFailure if the machine fails, Interrupted if `stop` is set. The time that the process takes
    to start is not on its clock. `is_running` is True from start() to end().
    """

    driver: Driver  # from start() on

    def __init__(self, contestant: Contestant, stop: threading.Event, plays: str = PLAYER) -> None:
        self.contestant, self.stop, self.plays = contestant, stop, plays
        self.is_running = False
        self._is_starting = False
        self._stack = contextlib.ExitStack()

    def start(self, game: HumanGame) -> None:
        """Start the process, and send it the opening message for the game's present position.

        Raises Forfeit if the player cannot be started.
        """
        self.driver = Driver(self.contestant, game.plan, self.stop)
        self.driver.seat.side = PLAYER
        self._stack.enter_context(self.driver)
        self.is_running = self._is_starting = True
        self.driver.position = game.new_position()
        self.driver.send(self.driver.opening(game.number_of(self.plays)))

    def end(self) -> None:
        """End the process and all its descendants."""
        self.is_running = False
        self._stack.close()

    def ask(self, game: HumanGame) -> list[Move]:
        """Ask the process for a reply in the game's present position, and return its moves, at least one.

        The game is not changed; `driver.position` becomes the position after the moves. Precondition: the process runs,
        and the side `plays` is to move. Raises Forfeit if the player breaks the rules.
        """
        driver = self.driver
        driver.position = game.new_position()
        if self._is_starting:
            pump_until_idle(driver.process, self._check_and_go_on, START_CAP_S)
            self._is_starting = False
        driver.expect_silence(0.0)
        return driver.ask_for_record(self.plays)

    def _check_and_go_on(self) -> bool:
        """Call check(), which may raise, and return False: pump_until_idle() then goes on."""
        self.check()
        return False

    def check(self) -> None:
        """Check the process while it is not to move. Raises Forfeit if it has sent anything or holds too much memory.

        An exit of the process raises nothing.
        """
        if self.stop.is_set():
            raise Interrupted
        pump([self.driver.process], 0.0)
        self.driver.seat.check_silent()
        self.driver.seat.check_memory()


class HumanSession(HumanGame):
    """A human's game together with the player's processes.

    Use it as a context manager: entering starts the player's process, leaving ends all processes. Entering raises
    Forfeit if the player cannot be started or breaks the rules before the game. Entering and every method that asks the
    player raise JudgeFailure if the machine fails.
    """

    def __init__(self, contestant: Contestant, plan: GamePlan, stop: threading.Event) -> None:
        super().__init__(plan)
        self.contestant = contestant
        self._opponent = Opponent(contestant, stop)
        self._adviser = Opponent(contestant, stop, plays=HUMAN)

    def __enter__(self) -> "HumanSession":
        self._opponent.start(self)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._opponent.end()
        finally:
            self._adviser.end()

    def answer(self) -> list[Move]:
        """Ask the player, play its reply, and return the moves of the reply, at least one.

        Raises Forfeit if the player breaks the rules.
        """
        moves = self._opponent.ask(self)
        self.add(moves)
        return moves

    def hint(self) -> tuple[list[AnyMove], Position]:
        """Ask a second process of the player what it would play for the human; return (moves, the position after them).

        Raises Forfeit if that process breaks the rules.
        """
        if not self._adviser.is_running:
            self._adviser.start(self)
        moves = [move.move for move in self._adviser.ask(self)]
        return moves, self._adviser.driver.position

    def record(self, verdict: Verdict) -> GameRecord:
        """Return the record of the game with this verdict. Precondition: all processes of the game have ended."""
        seat = self._opponent.driver.seat
        seat.exit_status = seat.bot.exit_status
        return self.record_with(verdict, seat)

    def in_words(self, moves: Sequence[AnyMove], position: Position) -> str:
        """Return a text that names the moves of one reply; `position` is the position after them."""
        return ", ".join([*map(str, moves[:-1]), self.game.move_in_words(position)])
