"""One game between a human, side A, and a player's process, side B, for whoever asks one after the other."""

from collections.abc import Sequence

from judge.checks.trial import Conditions
from judge.games.positions import AnyMove, Position
from judge.play.scoresheet import GamePlan, Verdict
from judge.players.players import Contestant
from judge.sitting.game import HUMAN, HumanGame
from judge.sitting.opponent import Opponent
from protocol.records.record import GameRecord, Move


class Sitting(HumanGame):
    """A game with its player; use as a context manager, which starts the player.

    Raises Forfeit where the player cannot be started, or breaks the rules before the game; JudgeFailure where the
    machine fails, here and in all that asks the player.
    """

    def __init__(self, contestant: Contestant, conditions: Conditions, plan: GamePlan) -> None:
        super().__init__(plan)
        self.contestant = contestant
        self._opponent = Opponent(contestant, conditions)
        self._adviser = Opponent(contestant, conditions, plays=HUMAN)

    def __enter__(self) -> "Sitting":
        self._opponent.start(self)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._opponent.end()
        finally:
            self._adviser.end()

    def answer(self) -> list[Move]:
        """Ask the player; its moves, several where one reply held them. Raises Forfeit if it breaks the rules."""
        found = self._opponent.ask(self)
        self.add(found)
        return found

    def hint(self) -> tuple[list[AnyMove], Position]:
        """What another process of the player would do in the human's place: its moves, and the position after them.

        Raises Forfeit if that breaks the rules.
        """
        if not self._adviser.is_running:
            self._adviser.start(self)
        moves = [move.move for move in self._adviser.ask(self)]
        return moves, self._adviser.trial.position

    def record(self, verdict: Verdict) -> GameRecord:
        """The record of the game that has ended so. Precondition: no process of it is left."""
        seat = self._opponent.trial.seat
        return self.recorded(verdict, seat, seat.bot.exit_status)

    def in_words(self, moves: Sequence[AnyMove], position: Position) -> str:
        """The moves of one reply, which led to the position."""
        return ", ".join([*map(str, moves[:-1]), self.game.move_in_words(position)])
