"""Pages that watch, as far as the server can tell: they take every message, and note when moves come."""

import asyncio
import re
import threading
import time

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

# Found without reading the whole message, which would cost what a real page spends elsewhere.
MOVED = re.compile(r'"type": "moved", "id": "(\w+)", "from": (\d+), "moves": \[([^]]*)\]')
LARGEST = 2**26  # of a summary, in bytes


class Clients:
    """So many of them, in a thread of their own; use as a context manager, entered when all have their summary.

    `arrivals` are ((a game's id, ply from 1), seconds of time.monotonic()) of each move at each client.
    """

    def __init__(self, number, address, path):
        self._number, self._path = number, path
        self._address = address
        self.arrivals = []
        self._left = number
        self._are_ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    def __enter__(self):
        self._thread.start()
        if not self._are_ready.wait(60):
            raise TimeoutError("the clients are not told anything")
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._is_over.set)
        self._thread.join()

    async def _run(self):
        self._loop, self._is_over = asyncio.get_running_loop(), asyncio.Event()
        watching = [asyncio.create_task(self._watch()) for _ in range(self._number)]
        await self._is_over.wait()
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)

    async def _watch(self):
        origin = f"http://{self._address}"
        address = f"ws://{self._address}/ws/follow/{self._path}"
        async with connect(address, origin=origin, compression=None, max_size=LARGEST) as connection:
            await connection.recv()
            self._left -= 1
            if not self._left:
                self._are_ready.set()
            try:
                async for text in connection:
                    self._note(text)
            except ConnectionClosed:
                pass

    def _note(self, text):
        found = MOVED.match(text, 1)
        if found:
            now, first = time.monotonic(), int(found[2]) + 1
            plies = found[3].count(",") + 1
            self.arrivals += [((found[1], ply), now) for ply in range(first, first + plies)]
