"""The application: its routes and its answers to requests. What takes long runs in threads."""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from anyio import CancelScope
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from judge import language
from judge.analysis import input_of_cells
from judge.games import GAMES
from judge.games.boards import Board, BoardOption
from judge.games.game import movers_of, moves_in
from judge.games.positions import AnyMove
from judge.language import marked
from judge.players.players import OWN_BOT, PlayerError
from judge.terminal import printable
from judge.web import inputs, own_files, positions
from judge.web.answers import (
    FAILED,
    MALFORMED,
    NOT_FOUND,
    WRONG_METHOD,
    Json,
    Refused,
    call_or_refuse,
    encoded,
    refusal,
)
from judge.web.following import Readers
from judge.web.game_words import games_json
from judge.web.gate import Gate
from judge.web.hints import analyses, release_slot, take_slot
from judge.web.records import GameReader, RecordsFolder, refuse_large_file
from judge.web.tables import Tables, TableService, random_seed
from judge.web.texts import marked_in_each, translations

ASSETS = Path(__file__).with_name("assets")
SHELL = ASSETS / "serve" / "shell.html"  # the HTML that all pages share
CLOSE_CODES = 4000  # the code of a refused WebSocket is this plus the HTTP status; private codes: RFC 6455, 7.4.2
GOING_AWAY = 1001
CREATED = 201


def start_json(service: TableService) -> dict[str, Any]:
    """Return, as JSON, the answer to /api/start: everything that a page needs before the user chooses anything."""
    error = None
    try:
        players = call_or_refuse(service.opponents.names, PlayerError)
    except Refused as refused:
        players, error = [OWN_BOT], refused.texts
    return {
        "language": language.current_language(),
        "words": translations(ASSETS / "view", ASSETS / "serve"),
        "players": players,
        "players_error": error,
        **service.opponents.as_json(),
        "games": {
            name: {"options": list(map(_option_json, GAMES[name].board_options)), **words}
            for name, words in games_json().items()
        },
        "limits": {
            "least_s": inputs.LEAST_S,
            "most_s": inputs.MOST_S,
            "upload_bytes": own_files.LARGEST_UPLOAD,
        },
        "records_folder": printable(str(service.records)),
    }


def _option_json(option: BoardOption) -> dict[str, Any]:
    """Return a board option as JSON for the form in which a user begins a new game.

    If `default` is None, the option's value is drawn at random unless the user gives one.
    """
    return {
        "name": option.name,
        "title": marked_in_each(option.title),
        "bounds": option.bounds,
        "choices": option.choices,
        "example": option.example,
        "default": option.default,
    }


class Server:
    """The state of one server, and its answers.

    The methods that answer a request and are no coroutines run in threads.
    """

    def __init__(self, service: TableService) -> None:
        self.service = service
        self.folder = RecordsFolder(service.records)
        self.tables = Tables(service)
        self.readers = Readers()
        self._games = GameReader()

    @contextlib.asynccontextmanager
    async def lifespan(self, application: Starlette) -> AsyncIterator[None]:
        """End all tables when the server ends."""
        yield
        await self.tables.close()

    def start(self, request: Request) -> Response:
        """Answer /api/start with the result of start_json()."""
        return Json(encoded(start_json(self.service)))

    def records(self, request: Request) -> Response:
        """Answer /api/records with the list of record files."""
        return Json(self.folder.as_text())

    async def record(self, request: Request) -> Response:
        """Answer /api/records/PATH with the summary of a record file."""
        path = request.path_params["path"]
        place = await run_in_threadpool(self._readable, path)
        reader = self.readers.of(place, path)
        with reader.counting_page():
            return Json(await reader.record())

    def _readable(self, path: str) -> Path:
        """Return the absolute path of a record file. Raises Refused if it does not exist or is too large."""
        place = self.folder.find(path)
        refuse_large_file(place, path)
        return place

    def game(self, request: Request) -> Response:
        """Answer /api/games/PATH?index=N with one game of a record file."""
        path = request.path_params["path"]
        asked = inputs.read_query(request.query_params, inputs.AskedGame)
        return Json(self._games.game(self.folder.find(path), path, asked.index))

    async def list_tables(self, request: Request) -> Response:
        """Answer GET /api/tables with the list of tables."""
        return Json(encoded(self.tables.as_json()))

    async def new_table(self, request: Request) -> Response:
        """Answer POST /api/tables. Open a table for a new game and return the table's id."""
        asked = inputs.read(await request.body(), inputs.AskedTable)
        self.tables.require_vacancy()
        seed = random_seed()

        def read_board_and_moves() -> tuple[Board, tuple[AnyMove, ...]]:
            opponents = call_or_refuse(lambda: self.service.opponents.known(asked.game), PlayerError)
            return inputs.new_table(asked, opponents, seed, self.service.opponents.folders)

        board, moves = await run_in_threadpool(read_board_and_moves)
        table = self.tables.new(asked, board, moves, seed)
        return Json(encoded({"id": table.id}), CREATED)

    async def import_file(self, request: Request) -> Response:
        """Answer POST /api/import?name=NAME. Put the games of the file in the body into the records folder."""
        name, data = inputs.read_query(request.query_params, inputs.AskedImport).name, await request.body()
        return await run_in_threadpool(lambda: Json(encoded(own_files.import_file(self.folder, name, data)), CREATED))

    async def move_to_trash(self, request: Request) -> Response:
        """Answer POST /api/trash. Move a record file to the trash."""
        path = inputs.read(await request.body(), inputs.AskedFile).path
        return await run_in_threadpool(lambda: Json(encoded(own_files.move_to_trash(self.folder, path))))

    async def move_back(self, request: Request) -> Response:
        """Answer POST /api/restore. Move a record file back from the trash."""
        trash = inputs.read(await request.body(), inputs.AskedTrash).trash
        return await run_in_threadpool(lambda: Json(encoded(own_files.move_back(self.folder, trash))))

    async def set_up(self, request: Request) -> Response:
        """Answer POST /api/position with the result of positions.set_up() for a position that the page sets up."""
        asked = inputs.read(await request.body(), inputs.SetUp)
        return await run_in_threadpool(lambda: Json(encoded(positions.set_up(asked))))

    async def table(self, websocket: WebSocket) -> None:
        """Serve the WebSocket /ws/tables/ID of a page that plays.

        The whole state of the table is sent after each change. Commands of the page are passed on to the table.
        """
        await websocket.accept()
        table = self.tables.find(websocket.path_params["id"])

        async def handle(text: str) -> None:
            table.carry_out(inputs.read(text, inputs.Command))

        with table.counting_page():
            await _send_and_listen(websocket, table.texts(), handle)

    async def follow(self, websocket: WebSocket) -> None:
        """Serve the WebSocket /ws/follow/PATH of a page that watches a record file.

        First a summary of the file is sent, and then what is new in it. Every message of the page is refused.
        """
        await websocket.accept()
        path = websocket.path_params["path"]
        reader = self.readers.of(await run_in_threadpool(self._readable, path), path)

        async def handle(text: str) -> None:
            raise refusal(MALFORMED, marked("the server takes no messages from a page that watches a record"))

        with reader.counting_page():
            await _send_and_listen(websocket, reader.texts(), handle)

    async def position(self, websocket: WebSocket) -> None:
        """Serve the WebSocket /ws/position of a page on which a user sets up positions.

        While a position is analysed, the analyses are sent. The analysis of a new position replaces the one before. If
        no slot is free for a new position, a refusal is sent.
        """
        await websocket.accept()
        slots = self.service.slots
        latest = CancelScope()  # around the analysis of the latest position

        async def analyse(scope: CancelScope, query: inputs.Query) -> None:
            with scope:
                try:
                    await _send_analyses(websocket, query)
                except Refused as refused:
                    await _send(websocket, _refusal_as_text(refused))
                finally:
                    release_slot(slots, scope)

        async def handle(text: str) -> None:
            nonlocal latest
            either: Any = inputs.Query | inputs.Stop
            message = inputs.read(text, either)
            latest.cancel()
            release_slot(slots, latest)
            if isinstance(message, inputs.Query):
                latest = CancelScope()
                take_slot(slots, latest)
                analysing.start_soon(analyse, latest, message)

        async with anyio.create_task_group() as analysing:
            await _listen(websocket, handle)
            latest.cancel()


async def _send_analyses(websocket: WebSocket, query: inputs.Query) -> None:
    """Send the page the analyses of a position as the search deepens.

    Raises Refused if the position is wrong or cannot be analysed.
    """
    game, mover = GAMES[query.game], int(query.mover)
    bot_input = call_or_refuse(lambda: input_of_cells(query.game, query.size, query.cells, mover), ValueError)
    position = call_or_refuse(lambda: game.cells.position(query.size, query.cells, mover), ValueError)
    async with contextlib.aclosing(analyses(query.game, bot_input, query.seconds)) as deepening:
        async for analysis in deepening:
            expected = movers_of(game, position, moves_in(game, analysis.pv))  # who makes the moves of pv
            await _send(websocket, encoded({"type": "analysis", **analysis.as_json(), "expected": expected}))


async def _listen(websocket: WebSocket, handle: Callable[[str], Awaitable[None]]) -> None:
    """Call handle() for each message of the page until the page closes the socket.

    If handle() raises Refused, the reason is sent to the page.
    """
    while (message := await websocket.receive())["type"] != "websocket.disconnect":
        try:
            await handle(message.get("text") or "")
        except Refused as refused:
            await _send(websocket, _refusal_as_text(refused))


async def _send(websocket: WebSocket, text: str) -> None:
    """Send the page a text. If the page has gone, send nothing."""
    if websocket.application_state is WebSocketState.CONNECTED:
        with contextlib.suppress(WebSocketDisconnect):
            await websocket.send_text(text)


async def _send_and_listen(
    websocket: WebSocket, texts: AsyncGenerator[str, None], handle: Callable[[str], Awaitable[None]]
) -> None:
    """Send the page all texts and, at the same time, call handle() for each message of the page.

    This goes on until the page closes the socket, or until there are no more texts, and then the socket is closed.
    """

    async def send() -> None:
        async with contextlib.aclosing(texts):
            async for text in texts:
                await _send(websocket, text)
        await _close(websocket, GOING_AWAY)

    async with anyio.create_task_group() as sending:
        sending.start_soon(send)
        await _listen(websocket, handle)
        sending.cancel_scope.cancel()


async def _close(websocket: WebSocket, code: int) -> None:
    """Close a socket with a code (RFC 6455), unless the page has closed it already."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the page has gone
        await websocket.close(code)


def _refusal_as_text(refused: Refused) -> str:
    """Return the message of a socket that tells a page the reason of a refusal."""
    return encoded({"type": "refused", "error": refused.texts})


def application(server: Server, port: int) -> ASGIApp:
    """Return the ASGI application that answers the requests to `server`. A Gate checks every request first.

    `port` is the server's TCP port.
    """
    pages = ("/", "/play/{id}", "/watch/{path:path}", "/records/{path:path}", "/position")
    routes = [
        *(Route(address, lambda request: FileResponse(SHELL)) for address in pages),
        Mount("/assets", StaticFiles(directory=ASSETS)),
        Route("/api/start", server.start),
        Route("/api/records", server.records),
        Route("/api/records/{path:path}", server.record),
        Route("/api/games/{path:path}", server.game),
        Route("/api/import", server.import_file, methods=["POST"], max_body_size=own_files.LARGEST_UPLOAD),
        Route("/api/trash", server.move_to_trash, methods=["POST"]),
        Route("/api/restore", server.move_back, methods=["POST"]),
        Route("/api/tables", server.list_tables),
        Route("/api/tables", server.new_table, methods=["POST"]),
        Route("/api/position", server.set_up, methods=["POST"]),
        WebSocketRoute("/ws/tables/{id}", server.table),
        WebSocketRoute("/ws/follow/{path:path}", server.follow),
        WebSocketRoute("/ws/position", server.position),
    ]
    handlers: dict[Any, Any] = {
        Refused: _answer_refused,
        HTTPException: _answer_http_exception,
        ClientDisconnect: lambda request, error: Response(),  # nobody reads it
        Exception: _answer_failed,
    }
    checked_application = Starlette(
        routes=routes,
        exception_handlers=handlers,
        lifespan=server.lifespan,
        max_body_size=inputs.LARGEST_MESSAGE,
    )
    checked_application.router.redirect_slashes = False
    return Gate(checked_application, port)


async def _answer_refused(connection: Request | WebSocket, error: Refused) -> Response | None:
    """Answer a refused request; or send the reason on a refused socket, close the socket, and return None."""
    if isinstance(connection, Request):
        return Json.of(error)
    await _send(connection, _refusal_as_text(error))
    await _close(connection, CLOSE_CODES + error.status)
    return None


async def _answer_failed(request: Request, error: Exception) -> Response:
    """Answer a request whose handler has raised an unexpected error, which uvicorn logs."""
    return Json.of(
        refusal(
            FAILED,
            marked("the server failed to answer this request: the terminal of `dropfour serve` shows the reason"),
        )
    )


async def _answer_http_exception(request: Request, error: HTTPException) -> Response:
    """Answer a request that Starlette itself refuses."""
    if error.status_code == WRONG_METHOD:
        return Json.of(
            refusal(WRONG_METHOD, marked("this address does not take {method} requests"), method=request.method)
        )
    if error.status_code == NOT_FOUND:
        return Json.of(refusal(NOT_FOUND, marked("there is nothing at this address: go to the start page")))
    return Json.of(
        refusal(error.status_code, marked("the server does not understand this request: load the page again"))
    )
