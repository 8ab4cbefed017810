"""A human's game as it stands: position, moves, what can be taken back, how it ended. It starts nothing."""

import dataclasses
import uuid
from collections.abc import Iterable, Sequence

from judge.games import GAMES
from judge.games.positions import AnyMove, Position
from judge.play.scoresheet import RESIGNED, WON, GamePlan, Seated, Verdict, in_order, opponent, utc_now, write_up
from judge.play.seat import Forfeit
from judge.players.players import Contestant
from protocol.records.record import GameRecord, Move, Termination

HUMAN, PLAYER = "A", "B"


@dataclasses.dataclass(frozen=True)
class HumanSeat:
    """The human's place at the board."""

    side: str = HUMAN
    contestant: Contestant = Contestant("human", "human")
    process: None = None
    last_heard: bytes = b""
    waits_s: list[float] = dataclasses.field(default_factory=list)
    overtime_s: dict[int, float] = dataclasses.field(default_factory=dict)


class HumanGame:
    """A game of the plan: `position` is the one after all of `moves` (record.Move).

    `begun` are moves that the game begins with and that nobody takes back; `id` tells it from others. Raises
    IllegalMove where one of them is none.
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
        self.given = len(self.moves)

    @property
    def side_to_move(self) -> str:
        """HUMAN or PLAYER; of no meaning once the game is over."""
        return in_order(self.plan.first)[self.position.to_move]

    def number_of(self, side: str) -> int:
        """The side's number by the rules, 0 or 1."""
        return in_order(self.plan.first).index(side)

    def play(self, move: AnyMove, wall_s: float) -> Move:
        """Make a move of the side to move, which has taken so long. Raises IllegalMove, ValueError."""
        made = Move(self.side_to_move, move, round(wall_s, 3))
        self.position.play(move)
        self.moves.append(made)
        return made

    def add(self, moves: Sequence[Move]) -> None:
        """Make moves that the player has replied. Precondition: they are legal."""
        for move in moves:
            self.position.play(move.move)
            self.moves.append(move)

    @property
    def can_undo(self) -> bool:
        """Whether there is a move of the human's to take back."""
        return any(move.side == HUMAN for move in self.moves[self.given :])

    def undo(self) -> bool:
        """Take back the human's last move and all after it; False where there is none."""
        if not self.can_undo:
            return False
        while self.moves.pop().side != HUMAN:
            pass
        self.position = self.position_again()
        return True

    def position_again(self) -> Position:
        """Another position of the same moves."""
        position: Position = self.game.new_position(self.plan.board)
        for move in self.moves:
            position.play(move.move)
        return position

    def verdict(self) -> Verdict:
        """How the game has ended on the board. Precondition: it is over."""
        ending = self.game.ending(self.position)
        if self.position.winner is None:
            return Verdict(Termination.NORMAL, None, None, ending)
        winner = in_order(self.plan.first)[self.position.winner]
        return Verdict(Termination.NORMAL, winner, None, WON.format(side=winner, ending=ending))

    def recorded(self, verdict: Verdict, seat: Seated, exit_status: int | None) -> GameRecord:
        """The record of the game, which has ended so; `seat` is the player's, whose process has ended by now.

        exit_status: of that process at the moment of the verdict, None where it still ran.
        """
        seats: list[Seated] = [HumanSeat(), seat]
        record = write_up(self.id, self.plan, seats, self.moves, verdict, self.started, {PLAYER: exit_status})
        # The limit was the player's alone.
        extra = {**record.extra, "limit_s": None, "player_limit_s": self.plan.limit_s}
        return dataclasses.replace(record, extra=extra)


def verdict_on(forfeit: Forfeit) -> Verdict:
    """How a game has ended whose player broke the rules."""
    return Verdict(forfeit.termination, opponent(forfeit.side), forfeit.side, str(forfeit))


def resigned(side: str) -> Verdict:
    """How a game has ended that the side has given up."""
    return Verdict(Termination.RESIGNATION, opponent(side), None, RESIGNED.format(side=side))
