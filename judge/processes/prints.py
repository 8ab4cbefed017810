"""What a strategy library prints beside its replies: a pipe of its own, all of it counted, its beginning kept."""

import contextlib
import os
from collections.abc import Iterator

from judge.language import recorded
from judge.processes.walls.descriptors import with_high_number
from protocol.strategy_library import PRINTS

KEPT_BYTES = 256
READ_BYTES = 64 * 1024
FRAME_BEGINS = b"\0"  # as its length is below 2 ** 24
# As JSON has it.
STDERR_IS_FOR_TEXT = recorded("stdout is for replies alone, other text belongs on stderr")
PRINTS_ARE_KEPT_APART = recorded(
    "harmless here, but built with the platform's main() and uploaded, that text lands between the replies"
)
READS = 16  # at most, running: no flood holds up the judge


class Prints:
    """`total` counts the bytes, `first` keeps 256; `descriptor` is to be read, None while there is no pipe."""

    def __init__(self) -> None:
        self.total = 0
        self.first = b""
        self.descriptor: int | None = None

    @contextlib.contextmanager
    def pipe(self) -> Iterator[dict[str, str]]:
        """Make the pipe for a host that is started inside this context.

        Yields the variable that tells it the descriptor, which is to be passed on. Raises OSError where the system has
        no descriptor left.
        """
        self.descriptor, low = os.pipe()
        passed_on = with_high_number(low)
        os.set_blocking(self.descriptor, False)
        try:
            yield {PRINTS: str(passed_on)}
        except BaseException:
            self.close()
            raise
        finally:
            os.close(passed_on)

    def read(self) -> None:
        """Take what has come; at its end the pipe is closed."""
        for _ in range(READS):
            if self.descriptor is None:
                return
            data = b""
            try:
                data = os.read(self.descriptor, READ_BYTES)
            except BlockingIOError:
                return
            except OSError:
                pass  # as its end
            self.total += len(data)
            self.first += data[: KEPT_BYTES - len(self.first)]
            if not data:
                self.close()

    def close(self) -> None:
        """Stop reading."""
        if self.descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(self.descriptor)
            self.descriptor = None

    def text(self) -> str:
        """What was kept, as text."""
        return decoded(self.first)


def is_print(heard: bytes) -> bool:
    """Whether bytes that were no reply are something printed, rather than a reply that went wrong or was cut off."""
    return bool(heard) and not heard.startswith(FRAME_BEGINS)


def decoded(heard: bytes) -> str:
    """Bytes of a bot as text."""
    return heard.decode("utf-8", "backslashreplace")
