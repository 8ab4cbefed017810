"""What a human is told on demand: the player's hint, and what our bot thinks of each move. Both are of one position."""

import itertools
from collections.abc import Callable
from typing import Any

from judge.analysis.analysis import Analysis
from judge.analysis.words import words_of
from judge.checks.trial import Conditions
from judge.pages.languages import Texts
from judge.players.players import Contestant
from judge.server.analyses import Deepening, Slots
from judge.server.tables.hint import Hint
from judge.server.tables.messages import Advised
from judge.server.tables.state import State
from judge.sitting.game import HUMAN, HumanGame

EVALUATION_S = 30.0  # of our bot's time for a position


class Advice:
    """For one table. put() takes what comes; it is called in other threads.

    While evaluations are switched on, the table has one of the server's slots.
    """

    def __init__(self, slots: Slots, conditions: Conditions, put: Callable[[Advised], object]) -> None:
        self._slots, self._conditions, self._put = slots, conditions, put
        self._tickets = itertools.count(1)
        self._hint: tuple[int, Hint] | None = None
        self._evaluation: tuple[int, Deepening] | None = None
        self._ended: list[Hint | Deepening] = []  # asked to end
        self._is_on = False

    @property
    def is_on(self) -> bool:
        """Whether positions are evaluated."""
        return self._is_on

    def hint(self, contestant: Contestant, game: HumanGame, state: State) -> None:
        """Ask for a hint, unless one is on its way."""
        if self._hint is not None and state.hint is not None and state.hint["thinking"]:
            return
        ticket = next(self._tickets)

        def tell(moves: list[str], trouble: Texts | None) -> None:
            self._put(Advised(ticket, moves=moves, trouble=trouble))

        hint = Hint(contestant, self._conditions, game, tell)
        self._hint = ticket, hint
        state.hint = {"moves": [], "thinking": True}
        hint.start()

    def switch(self, is_on: bool, game: HumanGame, state: State) -> None:
        """Begin or end to evaluate positions. Raises Refused where too many are evaluated."""
        if is_on and not self._is_on:
            self._slots.take()
            self._is_on = True
            if game.side_to_move == HUMAN and not state.is_preparing:
                self.evaluate(game, state)
        elif not is_on:
            self._end_evaluation(state)

    def evaluate(self, game: HumanGame, state: State) -> None:
        """Evaluate the position, if positions are evaluated at all."""
        if not self._is_on:
            return
        ticket = next(self._tickets)

        def tell(analysis: Analysis | None, trouble: Texts | None) -> None:
            self._put(Advised(ticket, analysis=analysis, trouble=trouble))

        moves = [move.move for move in game.moves]
        words = words_of(game.plan.game, game.plan.board.as_json(), moves)
        deepening = Deepening(self._slots, game.plan.game, words, EVALUATION_S, tell)
        self._evaluation = ticket, deepening
        state.evaluation = {"ply": len(moves), "thinking": True}
        deepening.start()

    def take(self, news: Advised, state: State) -> bool:
        """Take in what has come; False where it is of a position before."""
        if self._hint is not None and news.ticket == self._hint[0]:
            state.hint = {"moves": news.moves or [], "thinking": False, **_error_of(news)}
            self._ended.append(self._hint[1])
            self._hint = None
            return True
        if self._evaluation is not None and news.ticket == self._evaluation[0] and state.evaluation is not None:
            is_thinking = news.analysis is not None and not news.analysis.final
            found = {} if news.analysis is None else news.analysis.as_json()
            state.evaluation = {"ply": state.evaluation["ply"], "thinking": is_thinking, **found, **_error_of(news)}
            return True
        return False

    def drop(self, state: State) -> None:
        """The position is another one: what was asked of the one before is not wanted any more."""
        for asked in (self._hint, self._evaluation):
            if asked is not None:
                asked[1].stop()
                self._ended.append(asked[1])
        self._hint = self._evaluation = state.hint = state.evaluation = None
        self._ended = [each for each in self._ended if not each.has_ended]

    def _end_evaluation(self, state: State) -> None:
        if self._evaluation is not None:
            self._evaluation[1].stop()
            self._ended.append(self._evaluation[1])
        self._evaluation = state.evaluation = None
        if self._is_on:
            self._is_on = False
            self._slots.give_back()

    def end(self, state: State) -> None:
        """Advise no more, until somebody asks again."""
        self.drop(state)
        self._end_evaluation(state)

    def close(self) -> None:
        """Wait until nothing of it is left. Precondition: end() was called."""
        for each in self._ended:
            each.join()


def _error_of(news: Advised) -> dict[str, Any]:
    return {} if news.trouble is None else {"error": news.trouble}
