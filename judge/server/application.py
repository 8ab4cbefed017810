"""The application: what is at which address. Everything that takes long happens in threads."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
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
from starlette.websockets import WebSocket

from judge.language import marked
from judge.players.players import PlayerError
from judge.server import inputs, sockets, static
from judge.server.answers import Json, encoded
from judge.server.browsing import Browser
from judge.server.folder import RecordsFolder
from judge.server.following.followings import Followings
from judge.server.gate import Gate, failure, hosts
from judge.server.refusals import MALFORMED, NOT_FOUND, TOO_LARGE, WRONG_METHOD, WRONG_TYPE, Refused, made, refusal
from judge.server.start import start_json
from judge.server.tables.house import House
from judge.server.tables.tables import Tables, random_seed

TICK_S = 1.0
SUMMARIES = 2  # threads that may wait for one
CREATED = 201
JSON_TYPE = "application/json"
TOO_LONG = marked("a message has at most {most:,} bytes")
NO_JSON_TYPE = marked("expected the content type {expected}")
NO_METHOD = marked("this address is not for {method}")
NOT_UNDERSTOOD = marked("the request is not understood")


@dataclass
class Server:
    """One server's parts; `port` is the one it listens at, `version` its program's."""

    house: House
    port: int
    version: str
    folder: RecordsFolder = field(init=False)
    tables: Tables = field(init=False)
    followings: Followings = field(init=False)
    browser: Browser = field(default_factory=Browser)
    _for_summaries: anyio.CapacityLimiter = field(init=False)

    def __post_init__(self) -> None:
        self.folder = RecordsFolder(self.house.records)
        self.tables = Tables(self.house)
        self.followings = Followings(self.house.tell)

    def close(self) -> None:
        """End everything that runs for it."""
        self.followings.close()
        self.tables.close()
        self.house.slots.close()

    async def shell(self, request: Request) -> Response:
        """The page of every address that is no other."""
        return await run_in_threadpool(static.shell)

    async def asset(self, request: Request) -> Response:
        """A module or a style."""
        return await run_in_threadpool(static.asset, request.path_params["room"], request.path_params["name"])

    async def start(self, request: Request) -> Response:
        """/api/start."""

        def answer() -> Json:
            return Json(encoded(start_json(self.version, self.house.records, self.house.names)))

        return await run_in_threadpool(answer)

    async def records(self, request: Request) -> Response:
        """/api/records."""
        return await run_in_threadpool(lambda: Json(self.folder.as_text()))

    async def record(self, request: Request) -> Response:
        """/api/records/PATH."""
        path = request.path_params["path"]
        # They wait for each other, and the other threads are for others.
        text = await anyio.to_thread.run_sync(
            lambda: self.browser.summary(self.folder.find(path), path), limiter=self._for_summaries
        )
        return Json(text)

    async def game(self, request: Request) -> Response:
        """/api/games/PATH?index=N."""
        path, index = request.path_params["path"], inputs.index(request.query_params.get("index"))
        return await run_in_threadpool(lambda: Json(self.browser.game(self.folder.find(path), path, index)))

    async def list_tables(self, request: Request) -> Response:
        """GET /api/tables."""
        return Json(encoded(self.tables.as_json()))

    async def new_table(self, request: Request) -> Response:
        """POST /api/tables."""
        content = inputs.parsed(await _body_of(request))
        self.tables.require_room()
        seed = random_seed()

        def read() -> inputs.NewTable:
            return inputs.new_table(content, made(self.house.names, PlayerError), seed)

        table_id = self.tables.new(await run_in_threadpool(read), seed)
        return Json(encoded({"id": table_id}), CREATED)

    async def table(self, websocket: WebSocket) -> None:
        """/ws/tables/ID."""
        await sockets.table(websocket, self.tables, websocket.path_params["id"])

    async def follow(self, websocket: WebSocket) -> None:
        """/ws/follow/PATH."""
        await sockets.follow(websocket, self.folder, self.followings, websocket.path_params["path"])

    async def position(self, websocket: WebSocket) -> None:
        """/ws/position."""
        await sockets.position(websocket, self.house.slots)

    @contextlib.asynccontextmanager
    async def lifespan(self, application: Starlette) -> AsyncIterator[None]:
        """Look after tables while the server runs."""
        self._for_summaries = anyio.CapacityLimiter(SUMMARIES)
        looking_after = asyncio.create_task(self._look_after())
        try:
            yield
        finally:
            looking_after.cancel()

    async def _look_after(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            try:
                self.tables.tick()
            except Exception as error:  # the other tables are looked after all the same
                self.house.tell(f"{type(error).__name__}: {error}")


def application(server: Server) -> ASGIApp:
    """The ASGI application of a server, behind its gate."""
    pages = ("/", "/play/{id}", "/watch/{path:path}", "/records/{path:path}", "/position")
    routes = [
        *(Route(address, server.shell) for address in pages),
        Route("/assets/{room}/{name:path}", server.asset),
        Route("/api/start", server.start),
        Route("/api/records", server.records),
        Route("/api/records/{path:path}", server.record),
        Route("/api/games/{path:path}", server.game),
        Route("/api/tables", server.list_tables),
        Route("/api/tables", server.new_table, methods=["POST"]),
        WebSocketRoute("/ws/tables/{id}", server.table),
        WebSocketRoute("/ws/follow/{path:path}", server.follow),
        WebSocketRoute("/ws/position", server.position),
    ]
    handlers: dict[Any, Any] = {Refused: _refused, HTTPException: _wrong_address, Exception: _failed}
    behind = Starlette(routes=routes, exception_handlers=handlers, lifespan=server.lifespan)
    behind.router.redirect_slashes = False
    return Gate(behind, hosts(server.port), server.house.tell)


async def _body_of(request: Request) -> bytes:
    """What was sent. Raises Refused for what is too long, or no JSON by its type."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != JSON_TYPE:
        raise refusal(WRONG_TYPE, NO_JSON_TYPE, expected=JSON_TYPE)
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > inputs.LARGEST_MESSAGE:
            raise refusal(TOO_LARGE, TOO_LONG, most=inputs.LARGEST_MESSAGE)
    return data


async def _refused(request: Request, error: Refused) -> Response:
    return Json.of(error)


async def _failed(request: Request, error: Exception) -> Response:
    """The gate tells the terminal why."""
    return Json.of(failure())


async def _wrong_address(request: Request, error: HTTPException) -> Response:
    """What Starlette itself refuses."""
    if error.status_code == WRONG_METHOD:
        return Json.of(refusal(WRONG_METHOD, NO_METHOD, method=request.method))
    if error.status_code == NOT_FOUND:
        return Json.of(refusal(NOT_FOUND, static.NOTHING_THERE))
    return Json.of(refusal(MALFORMED, NOT_UNDERSTOOD))
