"""One table: a game of a human against a player, in a thread of its own, which alone touches it.

Pages put messages in; after each change all that there is to show is published. The player's process runs while the
game goes on and somebody looks; it is started anew, and told of the game as it stands, when somebody comes back.
"""

import threading
from collections.abc import Callable
from typing import Any

from judge.games.positions import IllegalMove
from judge.language import _, marked, shown
from judge.pages.languages import in_each, recorded_in_each
from judge.play.referee import Interrupted
from judge.play.scoresheet import Verdict
from judge.play.seat import Forfeit
from judge.players.players import Contestant, PlayerError
from judge.processes.start import JudgeFailure
from judge.runs.schedule import AGAIN
from judge.server import inputs
from judge.server.answers import encoded
from judge.server.inputs import Command, NewTable
from judge.server.refusals import CONFLICT, NOT_ALLOWED, Refused, made, refusal
from judge.server.tables.advice import Advice
from judge.server.tables.house import House
from judge.server.tables.inbox import Inbox
from judge.server.tables.messages import Advised, Event, Message, Wish
from judge.server.tables.state import SECONDS_DIGITS, State
from judge.server.tables.stopwatch import Stopwatch
from judge.sitting.game import HUMAN, PLAYER, HumanGame, resigned, verdict_on
from judge.sitting.opponent import Opponent
from judge.terminal import printable
from protocol.records.record import Player

LOOK_PERIOD_S = 1.0  # between two looks at a player that is not to move
IS_OVER = marked("the game is over")
NOT_YOUR_TURN = marked("it is not your turn")
NOT_READY = marked("the player is not ready yet")
NOTHING_TO_TAKE_BACK = marked("there is no move of yours to take back")
TOO_FAST = marked("too many messages at a time")
NOT_STARTED = marked("the player cannot be started: {reason}")
CANNOT_GO_ON = marked("the game cannot go on: {reason}")
FAILURES = (Forfeit, JudgeFailure, OSError)


class Table:
    """A table with this id; publish() is called in its thread when there is a new `version` of what it shows."""

    def __init__(self, table_id: str, wanted: NewTable, seed: int, house: House, publish: Callable[[], None]) -> None:
        self.id, self.wanted = table_id, wanted
        self._house, self._publish = house, publish
        self._inbox = Inbox[Message]()
        self._game = HumanGame(house.plan(wanted, seed), wanted.moves)
        self._conditions = house.conditions(wanted, seed, self._inbox.stop)
        self._state = State(table_id, Player(wanted.player, wanted.player), wanted.limit_s)
        self._watch = Stopwatch(house.clock)
        self._contestant: Contestant | None = None
        self._opponent: Opponent | None = None
        self._advice = Advice(house.slots, self._conditions, self._inbox.put)
        self._is_deserted = False
        self._spoilt = 0  # how often in a row the machine kept the player from a reply
        self.version = 0
        self._content: dict[str, Any] = {}
        self._show()
        self._thread = threading.Thread(target=self._run, name="table", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._house.starter.start(self._thread)

    def close(self) -> None:
        """End the game and all that runs for it soon."""
        self._inbox.close()

    def join(self, timeout_s: float) -> None:
        """Wait until nothing of it is left, but no longer. Precondition: start() and close() were called."""
        self._thread.join(timeout_s)

    @property
    def is_over(self) -> bool:
        """Whether nothing can be done at it any more."""
        return self._state.is_settled

    @property
    def plies(self) -> int:
        """How many moves were made."""
        return len(self._game.moves)

    def as_text(self) -> str:
        """The state as JSON; any thread may ask."""
        content = self._content
        clock = {**content["clock"], "turn_s": round(self._watch.seconds, SECONDS_DIGITS)}
        return encoded({**content, "clock": clock})

    def wish(self, wish: Wish) -> None:
        """A page's message; what has to wait for one's turn is refused at once, not kept until then."""
        kind = wish.command.kind
        if self._inbox.is_asking and kind in (inputs.MOVE, inputs.UNDO, inputs.HINT):
            wish.refuse(refusal(NOT_ALLOWED, NOT_YOUR_TURN).texts)
        elif self._inbox.is_full:
            wish.refuse(refusal(CONFLICT, TOO_FAST).texts)
        else:
            self._inbox.put(wish, is_urgent=kind == inputs.RESIGN)

    def tell(self, event: Event) -> None:
        """Something happens around it."""
        self._inbox.put(event, is_urgent=event is Event.DESERTED)

    def _run(self) -> None:
        try:
            while not self._inbox.is_closed:
                item = self._inbox.take(self._patience_s())
                if item is not None:
                    self._take(item)
                elif not self._inbox.is_closed:
                    self._go_on()
        except Exception as error:
            self._house.tell(f"{type(error).__name__}: {error}")
            self._stop_with(CANNOT_GO_ON, error)
        finally:
            self._end_all()
            self._advice.close()

    def _patience_s(self) -> float | None:
        """How long may be waited for somebody; None: for ever."""
        if self._state.is_settled or self._is_deserted:
            return None
        return LOOK_PERIOD_S if self._is_ready and self._game.side_to_move == HUMAN else 0.0

    @property
    def _is_ready(self) -> bool:
        return self._opponent is not None and self._opponent.is_running

    def _go_on(self) -> None:
        if self._state.is_settled or self._is_deserted:
            return
        if not self._is_ready:
            self._prepare()
        elif self._game.side_to_move == PLAYER:
            self._ask_player()
        else:
            self._look()

    def _take(self, item: Message) -> None:
        if isinstance(item, Wish):
            try:
                self._obey(item.command)
            except Refused as refused:
                item.refuse(refused.texts)
        elif isinstance(item, Advised):
            if self._advice.take(item, self._state):
                self._show()
        elif item is Event.DESERTED:
            self._is_deserted = True
            self._end_all()
        elif item is Event.NOBODY_LOOKS:
            self._watch.rest()
        else:
            self._is_deserted = False
            self._run_watch()

    def _obey(self, command: Command) -> None:
        """Do what a page asks for. Raises Refused."""
        if self._state.is_settled:
            raise refusal(NOT_ALLOWED, IS_OVER)
        if command.kind == inputs.EVALUATE:
            self._advice.switch(command.is_on, self._game, self._state)
            self._show()
            return
        if self._opponent is None or (command.kind != inputs.RESIGN and not self._is_ready):
            raise refusal(NOT_ALLOWED, NOT_READY)
        if command.kind == inputs.RESIGN:
            self._finish(resigned(HUMAN))
            return
        if self._game.side_to_move != HUMAN:
            raise refusal(NOT_ALLOWED, NOT_YOUR_TURN)
        if command.kind == inputs.MOVE:
            self._move(command.text)
        elif command.kind == inputs.UNDO:
            if not self._game.undo():
                raise refusal(NOT_ALLOWED, NOTHING_TO_TAKE_BACK)
            self._position_changed()
        elif self._contestant is not None:
            self._advice.hint(self._contestant, self._game, self._state)
            self._show()

    def _move(self, text: str) -> None:
        move = made(lambda: self._game.game.read_move(text), ValueError, IllegalMove)
        try:
            self._game.play(move, self._watch.seconds)
        except IllegalMove as error:
            raise Refused(NOT_ALLOWED, recorded_in_each(str(error))) from None
        self._position_changed()

    def _prepare(self) -> None:
        """Have the player ready, or say why it cannot be."""
        self._state.is_preparing = True
        self._show()
        try:
            if self._contestant is None:
                self._contestant = self._house.contestant(self.wanted.player, self.wanted.game, self.wanted.limit_s)
                ready = self._contestant
                self._state.player = Player(ready.name, ready.command, ready.version)
            self._opponent = Opponent(self._contestant, self._conditions)
            self._opponent.start(self._game)
        except (PlayerError, *FAILURES) as error:
            self._stop_with(NOT_STARTED, error)
            return
        self._state.is_preparing = False
        self._go_on_with_turn()

    def _ask_player(self) -> None:
        if self._opponent is None or not self._inbox.begin_asking():
            return
        try:
            moves = self._opponent.ask(self._game)
        except Interrupted:  # its reply would come too late: it is asked anew by another process
            self._end_all()
            return
        except Forfeit as forfeit:
            self._finish(verdict_on(forfeit))
            return
        except FAILURES as failure:
            self._spoilt += 1
            if isinstance(failure, JudgeFailure) and self._spoilt <= AGAIN:  # the machine's fault: asked anew as well
                self._end_all()
            else:
                self._stop_with(CANNOT_GO_ON, failure)
            return
        finally:
            self._inbox.end_asking()
        self._spoilt = 0
        self._game.add(moves)
        self._position_changed()

    def _look(self) -> None:
        """See what the player does while it is not to move."""
        try:
            if self._opponent is not None:
                self._opponent.look()
        except Interrupted:
            pass
        except Forfeit as forfeit:
            self._finish(verdict_on(forfeit))

    def _position_changed(self) -> None:
        self._advice.drop(self._state)
        if self._game.position.over:
            self._finish(self._game.verdict())
        else:
            self._watch.reset()
            self._go_on_with_turn()

    def _go_on_with_turn(self) -> None:
        self._run_watch()
        if self._game.side_to_move == HUMAN:
            self._advice.evaluate(self._game, self._state)
        self._show()

    def _run_watch(self) -> None:
        if not self._state.is_settled and not self._state.is_preparing:
            self._watch.run()

    def _finish(self, verdict: Verdict) -> None:
        """The game has ended: nothing runs for it any more, and it is recorded."""
        assert self._opponent is not None
        seat = self._opponent.trial.seat
        ended = seat.process.exit_status if seat.process is not None and self._opponent.is_running else None
        self._end_all()
        record = self._game.recorded(verdict, seat, ended)
        self._state.over, self._state.trouble = self._house.keep(record)
        self._state.record = record
        self._show()

    def _stop_with(self, message: str, error: Exception) -> None:
        """The game cannot go on, and is not recorded."""
        self._end_all()
        self._state.trouble = in_each(lambda: _(message).format(reason=_reason_of(error)))
        self._show()

    def _end_all(self) -> None:
        """End every process of the table."""
        self._watch.rest()
        self._advice.end(self._state)
        if self._opponent is not None:
            self._opponent.end()

    def _show(self) -> None:
        self._state.is_evaluating = self._advice.is_on
        self._content = self._state.as_json(self._game)
        self.version += 1
        self._publish()


def _reason_of(error: Exception) -> str:
    """What a page is told of it; of a failure of ours it is the kind alone."""
    if isinstance(error, PlayerError):
        return printable(str(error))
    return printable(shown(str(error))) if isinstance(error, FAILURES) else type(error).__name__
