"""What goes over WebSockets: tables, followed files and positions, each with one task that sends and one that hears.

Whoever does not take what it is sent is let go after a while: nothing piles up for it.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect

from judge.analysis.analysis import Analysis
from judge.analysis.words import words_of_cells
from judge.language import marked
from judge.pages.languages import Texts
from judge.server import inputs
from judge.server.analyses import Deepening, Slots
from judge.server.answers import encoded, error_of
from judge.server.browsing import state_of
from judge.server.folder import RecordsFolder
from judge.server.following.followings import Followings
from judge.server.following.listener import Listener
from judge.server.refusals import MALFORMED, Refused, made, refusal
from judge.server.tables.tables import Tables

SEND_LIMIT_S = 20.0
CLOSE_CODES = 4000  # of our own, before the status that HTTP would have (RFC 6455, 7.4.2)
GOING_AWAY = 1001
NOT_TEXT = marked("expected a text of at most {most:,} characters")
NOTHING_TO_SAY = marked("nothing is expected here")


async def table(websocket: WebSocket, tables: Tables, table_id: str) -> None:
    """A page that plays: the whole state after every change; what it sends are requests."""
    await websocket.accept()
    try:
        page = tables.join(table_id)
    except Refused as refused:
        await _turn_away(websocket, refused)
        return

    async def send() -> None:
        while True:
            await _send(websocket, await page.next())

    async def hear(content: inputs.Content) -> None:
        tables.wish(table_id, page, inputs.command(content))

    try:
        await _converse(websocket, send, hear)
    finally:
        tables.leave(table_id, page)


async def follow(websocket: WebSocket, folder: RecordsFolder, followings: Followings, path: str) -> None:
    """A page that watches: a summary, and then what is new; it has nothing to say."""
    await websocket.accept()
    listener = Listener()
    try:
        place = await run_in_threadpool(folder.find, path)
        state_of(place, path)
        following = followings.follow(place, path, listener)
    except Refused as refused:
        await _turn_away(websocket, refused)
        return

    async def send() -> None:
        while not listener.is_over:
            text = await listener.next()
            if text is not None:
                await _send(websocket, text)
            elif not listener.is_over:
                await run_in_threadpool(following.bring_up, listener)

    async def hear(content: inputs.Content) -> None:
        raise refusal(MALFORMED, NOTHING_TO_SAY)

    try:
        await _converse(websocket, send, hear)
    finally:
        followings.leave(place, listener)


async def position(websocket: WebSocket, slots: Slots) -> None:
    """A page that sets positions up: their values, as they deepen; a new one takes the place of the one before."""
    await websocket.accept()
    desk = _Desk(slots)

    async def send() -> None:
        while True:
            await _send(websocket, await desk.texts.get())

    async def hear(content: inputs.Content) -> None:
        await desk.ask(inputs.query(content))

    try:
        await _converse(websocket, send, hear)
    finally:
        with anyio.CancelScope(shield=True):
            await desk.end()


class _Desk:
    """One page's analysis, one at a time; `texts` are to be sent."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._deepening: Deepening | None = None
        self.texts: asyncio.Queue[str] = asyncio.Queue()

    async def ask(self, query: inputs.Query | None) -> None:
        """Analyse the position instead of the one before; None: nothing more. Raises Refused."""
        await self.end()
        if query is None:
            return
        words = made(lambda: words_of_cells(query.game, query.size, query.cells, query.mover), ValueError)
        self._slots.take()
        loop = asyncio.get_running_loop()

        def tell(analysis: Analysis | None, trouble: Texts | None) -> None:
            content: dict[str, Any] = {"type": "refused", "error": trouble}
            if analysis is not None:
                content = {"type": "analysis", **analysis.as_json()}
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self.texts.put_nowait, encoded(content))

        self._deepening = Deepening(self._slots, query.game, words, query.seconds, tell, has_slot=True)
        self._deepening.start()

    async def end(self) -> None:
        """End what runs; nothing more comes of it."""
        deepening, self._deepening = self._deepening, None
        if deepening is not None:
            deepening.stop()
            await run_in_threadpool(deepening.join)
        while not self.texts.empty():
            self.texts.get_nowait()


async def _converse(
    websocket: WebSocket, send: Callable[[], Awaitable[None]], hear: Callable[[inputs.Content], Awaitable[None]]
) -> None:
    """Send, and hear what comes, until one of them ends: the page has gone, or is let go."""

    async def talk(until_over: Callable[[], Awaitable[None]]) -> None:
        with contextlib.suppress(WebSocketDisconnect, TimeoutError):
            await until_over()
        talking.cancel_scope.cancel()

    async with anyio.create_task_group() as talking:
        talking.start_soon(talk, send)
        talking.start_soon(talk, lambda: _listen(websocket, hear))
    with contextlib.suppress(WebSocketDisconnect, RuntimeError), anyio.move_on_after(SEND_LIMIT_S):
        await websocket.close(GOING_AWAY)


async def _listen(websocket: WebSocket, hear: Callable[[inputs.Content], Awaitable[None]]) -> None:
    """Hear every message; one that is refused is answered so, and changes nothing."""
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        try:
            text = message.get("text")
            if text is None or len(text) > inputs.LARGEST_MESSAGE:
                raise refusal(MALFORMED, NOT_TEXT, most=inputs.LARGEST_MESSAGE)
            await hear(inputs.parsed(text))
        except Refused as refused:
            await _send(websocket, _refusal_as_text(refused))


async def _turn_away(websocket: WebSocket, refused: Refused) -> None:
    """Say why there is nothing here."""
    with contextlib.suppress(WebSocketDisconnect):
        await _send(websocket, _refusal_as_text(refused))
        await websocket.close(CLOSE_CODES + refused.status)


def _refusal_as_text(refused: Refused) -> str:
    return encoded({"type": "refused", **error_of(refused)})


async def _send(websocket: WebSocket, text: str) -> None:
    with anyio.fail_after(SEND_LIMIT_S):
        await websocket.send_text(text)
