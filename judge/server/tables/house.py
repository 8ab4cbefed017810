"""What all tables of a server share: where games are kept, which players there are, and under what limits they play."""

import dataclasses
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from judge.checks.trial import Conditions
from judge.language import _
from judge.pages.languages import Texts, in_each
from judge.play.scoresheet import GamePlan
from judge.play.start_trial import require_programs
from judge.play.walls import Sandbox
from judge.players import players
from judge.players.players import OWN_BOT, Contestant, PlayerError, read
from judge.runs import record_file
from judge.server.analyses import Slots
from judge.server.inputs import NewTable
from judge.server.priority import Starter
from judge.sitting.game import HUMAN, PLAYER
from judge.terminal import printable
from protocol.records.record import GameRecord

RECORD = "serve.jsonl"  # below the records folder


@dataclasses.dataclass(frozen=True)
class House:
    """What tables need: `starter` starts their threads; tell(line) is told of failures; clock() gives seconds."""

    records: Path
    players: Path | None
    memory_limit_bytes: int | None
    sandbox: Sandbox
    starter: Starter
    tell: Callable[[str], None]
    slots: Slots = dataclasses.field(default_factory=Slots)
    clock: Callable[[], float] = time.monotonic
    _one_at_a_time: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def names(self) -> list[str]:
        """Who can be played against. Raises PlayerError where the players file is wrong."""
        return players.names_known(self.players)

    def contestant(self, name: str, game: str, limit_s: float) -> Contestant:
        """The player of this name, ready to be started; it may have to be compiled first. Raises PlayerError.

        A name is looked up in the players file as it is now, and is never taken for a command.
        """
        with self._one_at_a_time:
            named = read(self.players)
            if name != OWN_BOT and name not in named:
                raise PlayerError(_("the players file names no {name!r} any more").format(name=name))
            player = players.contestant(name, named, game)
            require_programs([player], limit_s, [*named, OWN_BOT])
        return dataclasses.replace(player, name=printable(player.name))

    def plan(self, wanted: NewTable, seed: int) -> GamePlan:
        """The game that a page wants."""
        return GamePlan(
            board=wanted.board,
            limit_s=wanted.limit_s,
            seed=seed,
            first=HUMAN if wanted.is_human_first else PLAYER,
            free_start=True,
            memory_limit_bytes=self.memory_limit_bytes,
            sandbox=self.sandbox,
            game=wanted.game,
        )

    def conditions(self, wanted: NewTable, seed: int, stop: threading.Event) -> Conditions:
        """What its player is held to, until `stop` is set."""
        limits = wanted.limit_s, self.memory_limit_bytes
        return Conditions(*limits, seed, stop, wanted.game, sandbox=self.sandbox)

    def keep(self, record: GameRecord) -> tuple[dict[str, Any] | None, Texts | None]:
        """Record a game: (where it is, None), or (None, why it is not there)."""
        path = self.records / RECORD
        trouble = record_file.append(path, record)
        if trouble:
            return None, in_each(lambda: trouble)
        number = record_file.numbers_in_file(path).get(record.extra["id"])
        return {"path": RECORD, "number": number}, None
