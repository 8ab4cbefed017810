"""The application: its routes and its answers to requests. Everything that takes long runs in threads."""

import asyncio
import contextlib
import functools
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from judge import language
from judge.analysis import Analysis, input_of_cells
from judge.games import GAMES
from judge.games.boards import BoardOption
from judge.games.game import movers_of, moves_in
from judge.language import marked
from judge.players.players import OWN_BOT, PlayerError
from judge.terminal import printable
from judge.web import inputs, own_files, positions, tables
from judge.web.answers import (
    MALFORMED,
    NOT_FOUND,
    TOO_LARGE,
    TOO_SLOW,
    WRONG_METHOD,
    WRONG_TYPE,
    Json,
    Refused,
    encoded,
    error_of,
    made,
    refusal,
)
from judge.web.following import Followings, Listener
from judge.web.game_words import games_json
from judge.web.gate import Gate, failure
from judge.web.hints import AnalysisSlots, AnalysisThread
from judge.web.inputs import LEAST_S, MOST_S
from judge.web.opponents import Opponents
from judge.web.record_page import ASSETS as OF_VIEW
from judge.web.records import Browser, RecordsFolder, is_small, state_of
from judge.web.table import TableService
from judge.web.tables import Tables, random_seed
from judge.web.texts import Texts, translations

OF_SERVE = Path(__file__).with_name("assets") / "serve"
FOLDERS = {"view": OF_VIEW, "serve": OF_SERVE}
SHELL = OF_SERVE / "shell.html"
NAME = re.compile(r"(?:[a-z0-9_]+/){0,3}[a-z0-9_]+(?P<suffix>\.js|\.css)")
TYPES = {".js": "text/javascript", ".css": "text/css"}
CHECKED_EACH_TIME = {"cache-control": "no-cache"}  # so that browsers show the pages of a new version of the program
NOTHING_THERE = marked("there is nothing at this address")
INTEGER, TEXT = "integer", "text"
SEND_LIMIT_S = 20.0
CLOSE_CODES = 4000  # the code of a refused WebSocket is this plus the HTTP status; private codes: RFC 6455, 7.4.2
GOING_AWAY = 1001
TICK_S = 1.0
# So many summaries are made at a time. Summaries of large files take minutes and therefore have a limit of their own.
SUMMARIES, LARGE_SUMMARIES = 4, 2
BRING_UPS = 4  # threads at a time that make summaries for pages that watch
# A request's body must arrive within BODY_LIMIT_S seconds, and as many more for each BODY_PART bytes that it may have.
BODY_LIMIT_S, BODY_PART = 8.0, 100_000
CREATED = 201
JSON_TYPE, BYTES_TYPE = "application/json", "application/octet-stream"


def shell() -> Response:
    """Return the HTML that all pages share."""
    return Response(SHELL.read_bytes(), 200, CHECKED_EACH_TIME, "text/html")


def asset(folder: str, name: str) -> Response:
    """Return the JavaScript module or style sheet `name`, a path relative to the folder of assets that `folder` names.

    Raises Refused if there is no such file.
    """
    found = NAME.fullmatch(name)
    if folder not in FOLDERS or found is None:
        raise refusal(NOT_FOUND, NOTHING_THERE)
    try:
        content = (FOLDERS[folder] / name).read_bytes()
    except OSError:
        raise refusal(NOT_FOUND, NOTHING_THERE) from None
    return Response(content, 200, CHECKED_EACH_TIME, TYPES[found["suffix"]])


def start_json(version: str, records: Path, opponents: Opponents) -> dict[str, Any]:
    """Return the content of the answer to /api/start: everything that a page needs before the user chooses anything.

    `version` is the program's version, and `records` is the records folder.
    """
    error = None
    try:
        players = made(opponents.names, PlayerError)
    except Refused as refused:
        players, error = [OWN_BOT], refused.texts
    return {
        "language": language.current_language(),
        "words": translations(OF_VIEW, OF_SERVE),
        "version": version,
        "players": players,
        "players_error": error,
        **opponents.as_json(),
        "games": {
            name: {"options": list(map(_option, GAMES[name].board_options)), "stones": GAMES[name].stones, **words}
            for name, words in games_json().items()
        },
        "limits": {
            "tables": tables.MOST,
            "least_s": LEAST_S,
            "most_s": MOST_S,
            "upload_bytes": own_files.LARGEST_UPLOAD,
        },
        "records_folder": printable(str(records)),
    }


def _option(option: BoardOption) -> dict[str, Any]:
    """Return a board option as JSON for the form in which a user sets up a new game.

    If the option has the default None, its value is drawn at random unless the user gives one.
    """
    found: dict[str, Any] = {"name": option.name, "kind": TEXT if option.bounds is None else INTEGER}
    if option.bounds is not None:
        found["least"], found["most"] = option.bounds
    if option.choices:
        found["choices"] = option.choices
    return {**found, "default": option.default}


async def table(websocket: WebSocket, tables: Tables, table_id: str) -> None:
    """Serve a page that plays at a table.

    The whole state of the table is sent after each change. Commands of the page are passed on to the table.
    """
    await websocket.accept()
    try:
        page = tables.join(table_id)
    except Refused as refused:
        await _turn_away(websocket, refused)
        return

    async def send() -> None:
        while True:
            await _send(websocket, await page.next())

    async def handle(text: str) -> None:
        tables.request(table_id, page, inputs.read(text, inputs.Command))

    try:
        await _serve_socket(websocket, send, handle)
    finally:
        tables.leave(table_id, page)


async def follow(
    websocket: WebSocket, folder: RecordsFolder, followings: Followings, path: str, limiter: anyio.CapacityLimiter
) -> None:
    """Serve a page that watches a record file. Every message of the page is refused.

    First a summary of the file is sent, and then what is new. `path` is the file's path relative to the records folder.
    `limiter` limits the number of threads that wait for a summary, so that enough threads are left for other requests.
    """
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
                await anyio.to_thread.run_sync(following.bring_up, listener, limiter=limiter)

    async def handle(text: str) -> None:
        raise refusal(MALFORMED, marked("nothing is expected here"))

    try:
        await _serve_socket(websocket, send, handle)
    finally:
        followings.leave(place, listener)


async def position(websocket: WebSocket, slots: AnalysisSlots) -> None:
    """Serve a page on which a user sets up positions. While a position is analysed, its values are sent."""
    await websocket.accept()
    analyses = _PageAnalyses(slots)

    async def send() -> None:
        while True:
            await _send(websocket, await analyses.texts.get())

    async def handle(text: str) -> None:
        message: Any = inputs.Query | inputs.Stop
        await analyses.ask(inputs.read(text, message))

    try:
        await _serve_socket(websocket, send, handle)
    finally:
        with anyio.CancelScope(shield=True):
            await analyses.end()


class _PageAnalyses:
    """Analyses positions for one page, one at a time. `texts` is the queue of messages to be sent to the page."""

    def __init__(self, slots: AnalysisSlots) -> None:
        self._slots = slots
        self._thread: AnalysisThread | None = None
        self.texts: asyncio.Queue[str] = asyncio.Queue()

    async def ask(self, query: inputs.Query | inputs.Stop) -> None:
        """End the running analysis, if there is one. For a Query, start to analyse its position.

        Raises Refused if the position is wrong or no slot for an analysis is free.
        """
        await self.end()
        if isinstance(query, inputs.Stop):
            return
        game, mover = GAMES[query.game], int(query.mover)
        words = made(lambda: input_of_cells(query.game, query.size, query.cells, mover), ValueError)
        position = made(lambda: game.cells.position(query.size, query.cells, mover), ValueError)
        self._slots.take()
        loop = asyncio.get_running_loop()

        def on_result(analysis: Analysis | None, trouble: Texts | None) -> None:
            content: dict[str, Any] = {"type": "refused", "error": trouble}
            if analysis is not None:
                expected = movers_of(game, position, moves_in(game, analysis.pv))  # who makes the moves of pv
                content = {"type": "analysis", **analysis.as_json(), "expected": expected}
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self.texts.put_nowait, encoded(content))

        self._thread = AnalysisThread(self._slots, query.game, words, query.seconds, on_result, has_slot=True)
        self._thread.start()

    async def end(self) -> None:
        """End the running analysis, wait for its thread, and drop its unsent messages."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.stop()
            await run_in_threadpool(thread.join)
        while not self.texts.empty():
            self.texts.get_nowait()


async def _serve_socket(
    websocket: WebSocket, send: Callable[[], Awaitable[None]], handle: Callable[[str], Awaitable[None]]
) -> None:
    """Run send() and, at the same time, call handle() for each message of the page. Then close the socket.

    This goes on until the page closes the socket or send() ends.
    """

    async def talk(until_over: Callable[[], Awaitable[None]]) -> None:
        with contextlib.suppress(WebSocketDisconnect, TimeoutError):
            await until_over()
        talking.cancel_scope.cancel()

    async with anyio.create_task_group() as talking:
        talking.start_soon(talk, send)
        talking.start_soon(talk, lambda: _handle_messages(websocket, handle))
    with contextlib.suppress(WebSocketDisconnect, RuntimeError), anyio.move_on_after(SEND_LIMIT_S):
        await websocket.close(GOING_AWAY)


async def _handle_messages(websocket: WebSocket, handle: Callable[[str], Awaitable[None]]) -> None:
    """Call handle() for each message of the page until the page closes the socket.

    If handle() raises Refused, the reason is sent to the page.
    """
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        try:
            text = message.get("text")
            if text is None or len(text) > inputs.LARGEST_MESSAGE:
                raise refusal(
                    MALFORMED, marked("expected a text of at most {most:,} characters"), most=inputs.LARGEST_MESSAGE
                )
            await handle(text)
        except Refused as refused:
            await _send(websocket, _refusal_as_text(refused))


async def _turn_away(websocket: WebSocket, refused: Refused) -> None:
    """Send the refusal and close the socket."""
    with contextlib.suppress(WebSocketDisconnect):
        await _send(websocket, _refusal_as_text(refused))
        await websocket.close(CLOSE_CODES + refused.status)


def _refusal_as_text(refused: Refused) -> str:
    return encoded({"type": "refused", **error_of(refused)})


async def _send(websocket: WebSocket, text: str) -> None:
    with anyio.fail_after(SEND_LIMIT_S):
        await websocket.send_text(text)


@dataclass
class Server:
    """The state of one server, and its request handlers.

    `port` is the server's TCP port, and `version` is the program's version. `folder` is the records folder.
    """

    service: TableService
    port: int
    version: str
    folder: RecordsFolder = field(init=False)
    tables: Tables = field(init=False)
    followings: Followings = field(init=False)
    browser: Browser = field(default_factory=Browser)
    _for_summaries: dict[bool, anyio.CapacityLimiter] = field(init=False)  # True: small files, False: large files
    _for_watchers: anyio.CapacityLimiter = field(init=False)
    _for_imports: anyio.CapacityLimiter = field(init=False)
    _made: dict[Path, asyncio.Task[str]] = field(default_factory=dict)  # summaries that are being made

    def __post_init__(self) -> None:
        self.folder = RecordsFolder(self.service.records)
        self.tables = Tables(self.service)
        self.followings = Followings(self.service.report)

    def close(self) -> None:
        """End all followings, tables, analyses and digests."""
        self.folder.digests.close()
        self.followings.close()
        self.tables.close()
        self.service.slots.close()

    async def shell(self, request: Request) -> Response:
        """Answer the address of a page with the HTML that all pages share."""
        return await run_in_threadpool(shell)

    async def asset(self, request: Request) -> Response:
        """Answer /assets/FOLDER/NAME with a JavaScript module or a style sheet."""
        return await run_in_threadpool(asset, request.path_params["folder"], request.path_params["name"])

    async def start(self, request: Request) -> Response:
        """Answer /api/start with the result of start_json()."""

        def answer() -> Json:
            return Json(encoded(start_json(self.version, self.service.records, self.service.opponents)))

        return await run_in_threadpool(answer)

    async def records(self, request: Request) -> Response:
        """Answer /api/records with the list of record files."""
        return await run_in_threadpool(lambda: Json(self.folder.as_text()))

    async def record(self, request: Request) -> Response:
        """Answer /api/records/PATH with the summary of a record file."""
        path = request.path_params["path"]

        def look() -> tuple[Path, str | None, bool]:
            place = self.folder.find(path)
            return place, self.browser.kept_summary(place, path), is_small(place)

        place, text, is_soon_made = await run_in_threadpool(look)
        if text is None:
            making = self._made.get(place)
            if making is None:  # requests for a summary that is being made wait for it instead of making it again
                making = asyncio.create_task(self._summary(place, path, is_soon_made))
                self._made[place] = making
                making.add_done_callback(functools.partial(self._end_making, place))
            text = await asyncio.shield(making)
        return Json(text)

    def _end_making(self, place: Path, making: asyncio.Task[str]) -> None:
        self._made.pop(place, None)
        if not making.cancelled():
            making.exception()  # else asyncio would report the exception if all who have asked are gone

    async def _summary(self, place: Path, path: str, is_soon_made: bool) -> str:
        # Requests that wait must not occupy the threads of other requests.
        limiter = self._for_summaries[is_soon_made]
        return await anyio.to_thread.run_sync(self.browser.summary, place, path, limiter=limiter)

    async def game(self, request: Request) -> Response:
        """Answer /api/games/PATH?index=N with one game of a record file."""
        path, index = request.path_params["path"], inputs.index(request.query_params.get("index"))
        return await run_in_threadpool(lambda: Json(self.browser.game(self.folder.find(path), path, index)))

    async def list_tables(self, request: Request) -> Response:
        """Answer GET /api/tables with the list of tables."""
        return Json(encoded(self.tables.as_json()))

    async def new_table(self, request: Request) -> Response:
        """Answer POST /api/tables. Open a table for a new game and return the table's id."""
        asked = inputs.read(await _body_of(request), inputs.AskedTable)
        self.tables.require_vacancy()
        seed = random_seed()

        def read() -> inputs.NewTable:
            opponents = self.service.opponents
            known = made(lambda: opponents.known(asked.game), PlayerError)
            return inputs.new_table(asked, known, seed, opponents.folders)

        table_id = self.tables.new(await run_in_threadpool(read), seed)
        return Json(encoded({"id": table_id}), CREATED)

    async def put_in(self, request: Request) -> Response:
        """Answer POST /api/import?name=NAME. Put the games of the file in the body into the records folder."""
        name = inputs.upload_name(request.query_params.get("name"))
        data = await _body_of(request, BYTES_TYPE, own_files.LARGEST_UPLOAD)
        # It may take long to judge games anew. One file is imported at a time, so that other requests have threads.
        content = await anyio.to_thread.run_sync(
            lambda: own_files.put_in(self.folder, name, data), limiter=self._for_imports
        )
        return Json(encoded(content), CREATED)

    async def put_away(self, request: Request) -> Response:
        """Answer POST /api/trash. Move a record file to the trash."""
        path = inputs.record_path(inputs.read(await _body_of(request), inputs.AskedFile).path)
        return await run_in_threadpool(lambda: Json(encoded(own_files.put_away(self.folder, path))))

    async def put_back(self, request: Request) -> Response:
        """Answer POST /api/restore. Move a record file back from the trash."""
        trash = inputs.read(await _body_of(request), inputs.AskedTrash).trash
        return await run_in_threadpool(lambda: Json(encoded(own_files.put_back(self.folder, trash))))

    async def set_up(self, request: Request) -> Response:
        """Answer POST /api/position with the result of positions.set_up() for a position that the page sets up."""
        asked = inputs.read(await _body_of(request), inputs.SetUp)
        return await run_in_threadpool(lambda: Json(encoded(positions.set_up(asked))))

    async def table(self, websocket: WebSocket) -> None:
        """Serve the WebSocket /ws/tables/ID of a page that plays. See the function table()."""
        await table(websocket, self.tables, websocket.path_params["id"])

    async def follow(self, websocket: WebSocket) -> None:
        """Serve the WebSocket /ws/follow/PATH of a page that watches a record file. See the function follow()."""
        await follow(websocket, self.folder, self.followings, websocket.path_params["path"], self._for_watchers)

    async def position(self, websocket: WebSocket) -> None:
        """Serve the WebSocket /ws/position of a page that sets up positions. See the function position()."""
        await position(websocket, self.service.slots)

    @contextlib.asynccontextmanager
    async def lifespan(self, application: Starlette) -> AsyncIterator[None]:
        """Call tick() of the tables periodically while the server runs."""
        self._for_summaries = {
            True: anyio.CapacityLimiter(SUMMARIES),
            False: anyio.CapacityLimiter(LARGE_SUMMARIES),
        }
        self._for_watchers = anyio.CapacityLimiter(BRING_UPS)
        self._for_imports = anyio.CapacityLimiter(1)
        ticking = asyncio.create_task(self._tick_tables())
        try:
            yield
        finally:
            ticking.cancel()

    async def _tick_tables(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            try:
                self.tables.tick()
            except Exception as error:  # an error must not end the loop
                self.service.report(f"{type(error).__name__}: {error}")


def application(server: Server) -> ASGIApp:
    """Return the ASGI application that answers the requests to `server`. A Gate checks every request first."""
    pages = ("/", "/play/{id}", "/watch/{path:path}", "/records/{path:path}", "/position")
    routes = [
        *(Route(address, server.shell) for address in pages),
        Route("/assets/{folder}/{name:path}", server.asset),
        Route("/api/start", server.start),
        Route("/api/records", server.records),
        Route("/api/records/{path:path}", server.record),
        Route("/api/games/{path:path}", server.game),
        Route("/api/import", server.put_in, methods=["POST"]),
        Route("/api/trash", server.put_away, methods=["POST"]),
        Route("/api/restore", server.put_back, methods=["POST"]),
        Route("/api/tables", server.list_tables),
        Route("/api/tables", server.new_table, methods=["POST"]),
        Route("/api/position", server.set_up, methods=["POST"]),
        WebSocketRoute("/ws/tables/{id}", server.table),
        WebSocketRoute("/ws/follow/{path:path}", server.follow),
        WebSocketRoute("/ws/position", server.position),
    ]
    handlers: dict[Any, Any] = {Refused: _refused, HTTPException: _wrong_address, Exception: _failed}
    behind = Starlette(routes=routes, exception_handlers=handlers, lifespan=server.lifespan)
    behind.router.redirect_slashes = False
    return Gate(behind, server.port, server.service.report)


async def _body_of(request: Request, kind: str = JSON_TYPE, most: int = inputs.LARGEST_MESSAGE) -> bytes:
    """Return the request's body.

    Raises Refused if the body has more than `most` bytes or takes too long to arrive, or if its content type is not
    `kind`.
    """
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != kind:
        raise refusal(WRONG_TYPE, marked("expected the content type {expected}"), expected=kind)
    parts, length = [], 0
    limit_s = BODY_LIMIT_S * (1 + most // BODY_PART)
    try:
        with anyio.fail_after(limit_s):
            async for part in request.stream():
                parts.append(part)
                length += len(part)
                if length > most:
                    raise refusal(TOO_LARGE, marked("a message has at most {most:,} bytes"), most=most)
    except TimeoutError:
        raise refusal(TOO_SLOW, marked("the request is not complete after {limit} s"), limit=f"{limit_s:.0f}") from None
    return b"".join(parts)


async def _refused(request: Request, error: Refused) -> Response:
    return Json.of(error)


async def _failed(request: Request, error: Exception) -> Response:
    """Answer a request whose handler has raised an unexpected error. The Gate prints the error on the terminal."""
    return Json.of(failure())


async def _wrong_address(request: Request, error: HTTPException) -> Response:
    """Answer a request that Starlette itself refuses."""
    if error.status_code == WRONG_METHOD:
        return Json.of(refusal(WRONG_METHOD, marked("this address is not for {method}"), method=request.method))
    if error.status_code == NOT_FOUND:
        return Json.of(refusal(NOT_FOUND, NOTHING_THERE))
    return Json.of(refusal(MALFORMED, marked("the request is not understood")))
