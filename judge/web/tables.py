"""All tables of the server: creates, finds, supervises and ends them. Only the event loop's thread may use it."""

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

MOST = 20  # at most so many tables exist at a time
ID_BYTES = 16  # enough that ids cannot be guessed
DESERTED_AFTER_S = 30.0  # if no page shows a table for so long, the process of its player is ended
REMOVED_AFTER_S = 3600.0  # if no page shows a table for so long, the table is removed
MOST_REFUSALS = 20  # at most so many refusals wait to be sent to a page
JOIN_S = 3.0  # the wait for all threads together; end_since() later ends compilers for which threads wait
NO_TABLE = marked("there is no such game any more")


class Page:
    """A page that shows a table, with the texts to be sent to it. `news` is set when there may be new texts."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._version = 0
        self._refusals: deque[Texts] = deque(maxlen=MOST_REFUSALS)
        self.news = asyncio.Event()

    def refuse(self, texts: Texts) -> None:
        """Queue the reason why a command of the page was refused."""
        self._refusals.append(texts)
        self.news.set()

    async def next(self) -> str:
        """Wait for the next text to be sent to the page, and return the text.

        It is a refusal, or the table's latest state if the page does not have that yet.
        """
        while True:
            if self._refusals:
                return encoded({"type": "refused", "error": self._refusals.popleft()})
            if self._version != self._table.version:
                self._version = self._table.version
                return self._table.as_text()
            self.news.clear()
            await self.news.wait()


class _Entry:
    """A table with the pages that show it.

    `since` is the time at which the last page left the table. If no page has left yet, it is the time at which the
    table was made.
    """

    def __init__(self, table: Table, since: float) -> None:
        self.table = table
        self.pages: set[Page] = set()
        self.since = since
        self.is_deserted = False


class Tables:
    """The tables of a server, at most MOST.

    If there are so many, a new table replaces a table whose game is over and that no page shows.
    """

    def __init__(self, service: TableService) -> None:
        self._service = service
        self._entries: dict[str, _Entry] = {}

    def require_vacancy(self) -> None:
        """Make sure that there is room for one more table. If necessary, a table is removed.

        Raises Refused if there are MOST tables and none of them can be removed.
        """
        if len(self._entries) < MOST:
            return
        for table_id, entry in list(self._entries.items()):
            if entry.table.is_over and not entry.pages:
                self._remove(table_id)
                return
        raise refusal(
            CONFLICT,
            marked("{number} games are being played, no more at a time: finish or resign one of them first"),
            number=len(self._entries),
        )

    def new(self, wanted: NewTable, seed: int) -> str:
        """Create and start a table, and return its id. Raises Refused if there are too many tables."""
        self.require_vacancy()
        table_id = secrets.token_urlsafe(ID_BYTES)
        publish = self._publisher(table_id, asyncio.get_running_loop())
        table = Table(table_id, wanted, seed, self._service, publish)
        self._entries[table_id] = _Entry(table, self._service.clock())
        table.start()
        return table_id

    def _publisher(self, table_id: str, loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
        """Return a thread-safe function that has the table's new state sent to all pages that show the table."""

        def announce() -> None:
            entry = self._entries.get(table_id)
            for page in entry.pages if entry else ():
                page.news.set()

        return lambda: _in_loop(loop, announce)

    def join(self, table_id: str) -> Page:
        """Add a new page to a table and return the page. Raises Refused if there is no such table."""
        entry = self._entries.get(table_id)
        if entry is None:
            raise refusal(NOT_FOUND, NO_TABLE)
        page = Page(entry.table)
        entry.pages.add(page)
        entry.is_deserted = False
        entry.table.put_event(Event.SOMEBODY_LOOKS)
        return page

    def leave(self, table_id: str, page: Page) -> None:
        """Remove a page from its table."""
        entry = self._entries.get(table_id)
        if entry is not None:
            entry.pages.discard(page)
            if not entry.pages:
                entry.since = self._service.clock()
                entry.table.put_event(Event.NOBODY_LOOKS)

    def request(self, table_id: str, page: Page, command: Command) -> None:
        """Pass a page's command on to the table. If the table no longer exists, the page gets a refusal."""
        entry = self._entries.get(table_id)
        if entry is None:
            page.refuse(refusal(NOT_FOUND, NO_TABLE).texts)
            return
        loop = asyncio.get_running_loop()
        entry.table.request(Request(command, lambda texts: _in_loop(loop, lambda: page.refuse(texts))))

    def as_json(self) -> dict[str, Any]:
        """Return the list of tables as JSON."""
        tables = [entry.table for entry in self._entries.values()]
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
        """Mark each table that no page has shown for some time as deserted, and remove it after a longer time.

        Call this method about once a second.
        """
        now = self._service.clock()
        for table_id, entry in list(self._entries.items()):
            if entry.pages:
                continue
            if now - entry.since >= REMOVED_AFTER_S:
                self._remove(table_id)
            elif now - entry.since >= DESERTED_AFTER_S and not entry.is_deserted:
                entry.is_deserted = True
                entry.table.put_event(Event.DESERTED)

    def _remove(self, table_id: str) -> None:
        self._entries.pop(table_id).table.close()

    def close(self) -> None:
        """End all tables, and wait up to JOIN_S seconds for their threads."""
        tables = [entry.table for entry in self._entries.values()]
        self._entries.clear()
        for table in tables:
            table.close()
        self._service.starter.close()
        give_up = self._service.clock() + JOIN_S
        for table in tables:
            table.join(max(0.0, give_up - self._service.clock()))


def random_seed() -> int:
    """Return a random seed for a game's board and player."""
    return secrets.randbelow(boards.LARGEST_SEED + 1)


def _in_loop(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    """Have act() called in the event loop's thread. Does nothing if the loop has ended."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(act)
