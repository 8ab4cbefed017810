"""What the player would do in the human's place: another process of it, asked once in a thread of its own."""

import dataclasses
import threading
from collections.abc import Callable

from judge.checks.trial import Conditions
from judge.language import _, marked, shown
from judge.pages.languages import Texts, in_each
from judge.play.referee import Interrupted
from judge.play.seat import Forfeit
from judge.players.players import Contestant
from judge.processes.start import JudgeFailure
from judge.sitting.game import HUMAN, HumanGame
from judge.sitting.opponent import Opponent

NO_HINT = marked("there is no hint: {reason}")

Tell = Callable[[list[str], Texts | None], None]  # moves, or why there are none


class Hint:
    """One question, from start() on; tell() is called in its thread with the answer, unless stop() came before."""

    def __init__(self, contestant: Contestant, conditions: Conditions, game: HumanGame, tell: Tell) -> None:
        self._stop = threading.Event()
        self._opponent = Opponent(contestant, dataclasses.replace(conditions, stop=self._stop), plays=HUMAN)
        self._game = HumanGame(game.plan, [move.move for move in game.moves])
        self._tell = tell
        self._thread = threading.Thread(target=self._run, name="hint", daemon=True)

    def start(self) -> None:
        """Ask."""
        self._thread.start()

    def stop(self) -> None:
        """The answer is not wanted any more."""
        self._stop.set()

    @property
    def has_ended(self) -> bool:
        """Whether nothing of it is left. Precondition: start() was called."""
        return not self._thread.is_alive()

    def join(self) -> None:
        """Wait until nothing of it is left. Precondition: start() was called."""
        self._thread.join()

    def _run(self) -> None:
        moves: list[str] = []
        trouble: Texts | None = None
        try:
            self._opponent.start(self._game)
            moves = [str(move.move) for move in self._opponent.ask(self._game)]
        except Interrupted:
            return
        except (Forfeit, JudgeFailure, OSError) as error:
            reason = str(error)
            trouble = in_each(lambda: _(NO_HINT).format(reason=shown(reason)))
        finally:
            self._opponent.end()
        if not self._stop.is_set():
            self._tell(moves, trouble)
