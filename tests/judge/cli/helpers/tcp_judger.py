"""A judger at a TCP port of this machine, as a bot that joins one has it: a function in a thread."""

import contextlib
import socket
import threading

from protocol.games import connect_four

PATIENCE_S = 60.0
READ_BYTES = 4096
OPENING = connect_four.encode_opening(connect_four.Opening(9, 9, (0, 8)), "saiblo")
FIRST_TURN = connect_four.encode_turn(connect_four.Turn(None, (9,) * 9, (0,) * 81), "saiblo")
REPLY = connect_four.encode_reply((8, 0), "saiblo")  # of first_legal.py


class TcpJudger:
    """`port` is where it waits; `found` is what talk(connection) returned, or raised."""

    def __init__(self, talk):
        self.found = None
        self._talk = talk
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(PATIENCE_S)
        self.port = self._server.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def _serve(self):
        try:
            connection, _ = self._server.accept()
            with connection:
                connection.settimeout(PATIENCE_S)
                self.found = self._talk(connection)
        except OSError as error:
            self.found = error

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.close()

    def result(self):
        """What talk() has come to."""
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        if isinstance(self.found, OSError):
            raise self.found
        return self.found


def read(connection, number):
    """So many bytes of the bot's."""
    data = b""
    while len(data) < number and (more := connection.recv(number - len(data))):
        data += more
    return data


def read_to_end(connection):
    """All that the bot still sends, until its connection is closed."""
    data = b""
    while more := connection.recv(READ_BYTES):
        data += more
    return data


def ask(connection):
    """Send a first turn, and return the reply."""
    connection.sendall(OPENING + FIRST_TURN)
    return read(connection, len(REPLY))


@contextlib.contextmanager
def unused_port():
    """A port at which nobody listens, and nobody else will."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]
