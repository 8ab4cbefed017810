"""The messages to the thread of a table, and the state that pages of the table show.

A message is a command of a page, an event, or the result of a hint or evaluation. After each change pages get the whole
state as JSON.
"""

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from judge.analysis import Analysis
from judge.play.human_game import HUMAN, PLAYER, HumanGame
from judge.web.inputs import Command
from judge.web.record_data import game_json
from judge.web.texts import Texts
from protocol.records.record import GameRecord, Player, Termination

SECONDS_DIGITS = 3


@dataclass(frozen=True)
class Request:
    """A page's command. If the command is refused, refuse() is called with the reason in each language."""

    command: Command
    refuse: Callable[[Texts], None]


class Event(enum.Enum):
    """Events about the pages that show a table."""

    SOMEBODY_LOOKS = enum.auto()
    NOBODY_LOOKS = enum.auto()
    DESERTED = enum.auto()  # no page has shown the table for DESERTED_AFTER_S seconds


@dataclass(frozen=True)
class ThreadResult:
    """The result of a request to a thread. `ticket` is the number of the request.

    The result is a hint in `moves`, an evaluation in `analysis`, or an error in `trouble`.
    """

    ticket: int
    moves: list[str] | None = None
    analysis: Analysis | None = None
    trouble: Texts | None = None


Message = Request | Event | ThreadResult


@dataclass
class State:
    """The state of a table, except the game itself.

    `record` is None until the game is over. `trouble` is the error that has ended the game, or that has prevented it
    from being recorded. `hint` and `evaluation` are JSON objects for pages, or None.
    """

    table_id: str
    player: Player
    limit_s: float
    is_preparing: bool = True
    record: GameRecord | None = None
    over: dict[str, Any] | None = None  # path of the record file and number of the game, once it is recorded
    trouble: Texts | None = None
    hint: dict[str, Any] | None = None
    evaluation: dict[str, Any] | None = None
    is_evaluating: bool = False

    def as_json(self, game: HumanGame) -> dict[str, Any]:
        """Return the state and the game as JSON.

        The time of the current turn is 0 in it. The table fills in the time when it sends the JSON.
        """
        turn = self._turn(game)
        spent = {side: sum(move.wall_s for move in game.moves if move.side == side) for side in (HUMAN, PLAYER)}
        return {
            "type": "table",
            "id": self.table_id,
            "game": game_json(self.record or self._unfinished(game), is_running=self.record is None),
            "human": HUMAN,
            "player": self.player.name,
            "limit_s": self.limit_s,
            "preparing": self.is_preparing and not self.is_settled,
            "turn": turn,
            "clock": {
                "human_s": round(spent[HUMAN], SECONDS_DIGITS),
                "player_s": round(spent[PLAYER], SECONDS_DIGITS),
                "turn_s": 0.0,
            },
            "legal": [str(move) for move in game.position.legal_moves()] if turn == "human" else [],
            "can_undo": turn == "human" and game.can_undo,
            "hint": self.hint,
            "evaluating": self.is_evaluating,
            "evaluation": self.evaluation,
            "over": self.over,
            "trouble": self.trouble,
        }

    @property
    def is_settled(self) -> bool:
        """Whether the game has ended or cannot go on."""
        return self.record is not None or self.trouble is not None

    def _turn(self, game: HumanGame) -> str | None:
        if self.is_settled or self.is_preparing:
            return None
        return "human" if game.side_to_move == HUMAN else "player"

    def _unfinished(self, game: HumanGame) -> GameRecord:
        """Return the game so far as a record of a VOID game."""
        return GameRecord(
            game=game.plan.game,
            board=game.plan.board.as_json(),
            players=(Player("human", "human"), self.player),
            first=game.plan.first,
            moves=tuple(game.moves),
            winner=None,
            termination=Termination.VOID,
            at_fault=None,
            started=game.started,
            finished=game.started,
            judge_version="",
            seed=game.plan.seed,
            extra={"id": game.id, "reason": ""},
        )
