"""All tables of the server: made, found, looked after while nobody looks, and ended. For the event loop's thread."""

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import Callable
from typing import Any

from judge.games import boards
from judge.language import marked
from judge.web.answers import CONFLICT, NOT_FOUND, encoded, refusal
from judge.web.inputs import Command, NewTable
from judge.web.table import Table, TableService
from judge.web.table_state import Event, Request
from judge.web.texts import Texts

MOST = 20
ID_BYTES = 16  # nobody guesses them
DESERTED_AFTER_S = 30.0  # without a page: then the player ends
REMOVED_AFTER_S = 3600.0
MOST_REFUSALS = 20  # that wait for a page
JOIN_S = 3.0  # for all threads together: one that compiles a player is ended in another way
NO_TABLE = marked("there is no such game any more")
TOO_MANY = marked("{number} games are being played, no more at a time: finish or resign one of them first")


class Page:
    """A page that shows a table: what it is still to be sent."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._version = 0
        self._refusals: deque[Texts] = deque(maxlen=MOST_REFUSALS)
        self.news = asyncio.Event()

    def refuse(self, texts: Texts) -> None:
        """Tell it that what it asked for is not done."""
        self._refusals.append(texts)
        self.news.set()

    async def next(self) -> str:
        """The next text: why something was refused, or the latest state."""
        while True:
            if self._refusals:
                return encoded({"type": "refused", "error": self._refusals.popleft()})
            if self._version != self._table.version:
                self._version = self._table.version
                return self._table.as_text()
            self.news.clear()
            await self.news.wait()


class _Seated:
    """A table with its pages; since: when the last of them has gone, or the table was made."""

    def __init__(self, table: Table, since: float) -> None:
        self.table = table
        self.pages: set[Page] = set()
        self.since = since
        self.is_deserted = False


class Tables:
    """At most MOST at a time; those whose game is over give way to new ones."""

    def __init__(self, service: TableService) -> None:
        self._house = service
        self._found: dict[str, _Seated] = {}

    def require_room(self) -> None:
        """Raise Refused where there can be no more tables."""
        if len(self._found) < MOST:
            return
        for table_id, seated in list(self._found.items()):
            if seated.table.is_over and not seated.pages:
                self._remove(table_id)
                return
        raise refusal(CONFLICT, TOO_MANY, number=len(self._found))

    def new(self, wanted: NewTable, seed: int) -> str:
        """Make a table; its id. Raises Refused where there are too many."""
        self.require_room()
        table_id = secrets.token_urlsafe(ID_BYTES)
        publish = self._publisher(table_id, asyncio.get_running_loop())
        table = Table(table_id, wanted, seed, self._house, publish)
        self._found[table_id] = _Seated(table, self._house.clock())
        table.start()
        return table_id

    def _publisher(self, table_id: str, loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
        """What has the table's pages look at it anew; for any thread."""

        def announce() -> None:
            seated = self._found.get(table_id)
            for page in seated.pages if seated else ():
                page.news.set()

        return lambda: _in_loop(loop, announce)

    def join(self, table_id: str) -> Page:
        """A page comes to look. Raises Refused where there is no such table."""
        seated = self._found.get(table_id)
        if seated is None:
            raise refusal(NOT_FOUND, NO_TABLE)
        page = Page(seated.table)
        seated.pages.add(page)
        seated.is_deserted = False
        seated.table.tell(Event.SOMEBODY_LOOKS)
        return page

    def leave(self, table_id: str, page: Page) -> None:
        """The page has gone."""
        seated = self._found.get(table_id)
        if seated is not None:
            seated.pages.discard(page)
            if not seated.pages:
                seated.since = self._house.clock()
                seated.table.tell(Event.NOBODY_LOOKS)

    def request(self, table_id: str, page: Page, command: Command) -> None:
        """A page's message to its table."""
        seated = self._found.get(table_id)
        if seated is None:
            page.refuse(refusal(NOT_FOUND, NO_TABLE).texts)
            return
        loop = asyncio.get_running_loop()
        seated.table.request(Request(command, lambda texts: _in_loop(loop, lambda: page.refuse(texts))))

    def as_json(self) -> dict[str, Any]:
        """The list of tables."""
        tables = [seated.table for seated in self._found.values()]
        return {
            "tables": [
                {
                    "id": table.id,
                    "game": table.wanted.game,
                    "player": table.wanted.player,
                    "plies": table.plies,
                    "is_over": table.is_over,
                }
                for table in tables
            ]
        }

    def tick(self) -> None:
        """Look after tables at which nobody looks; to be called every second or so."""
        now = self._house.clock()
        for table_id, seated in list(self._found.items()):
            if seated.pages:
                continue
            if now - seated.since >= REMOVED_AFTER_S:
                self._remove(table_id)
            elif now - seated.since >= DESERTED_AFTER_S and not seated.is_deserted:
                seated.is_deserted = True
                seated.table.tell(Event.DESERTED)

    def _remove(self, table_id: str) -> None:
        self._found.pop(table_id).table.close()

    def close(self) -> None:
        """End all games; returns when their players have ended, as far as that can be waited for."""
        tables = [seated.table for seated in self._found.values()]
        self._found.clear()
        for table in tables:
            table.close()
        self._house.starter.close()
        give_up = self._house.clock() + JOIN_S
        for table in tables:
            table.join(max(0.0, give_up - self._house.clock()))


def random_seed() -> int:
    """A seed for a game's board and player."""
    return secrets.randbelow(boards.LARGEST_SEED + 1)


def _in_loop(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    """Have it done in the event loop's thread, if that still runs."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(act)
