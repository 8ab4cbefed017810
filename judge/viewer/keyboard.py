"""A terminal that gives single keys and tells of signals, and that is left as it was found, whatever happens."""

import contextlib
import os
import select
import signal
import termios
import tty
from collections.abc import Iterator
from types import FrameType

from judge.viewer.keys import KeyReader

ESCAPE_S = 0.1  # after so long without more a lone ESC is a key
# An interrupt, too, is taken between two pictures: in the midst of one it may be lost in what is being drawn.
HANDLED = (signal.SIGINT, signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT, signal.SIGTERM, signal.SIGHUP)
_BLOCK = 1024


class Ended(Exception):
    """The terminal has gone, or somebody asks the program to end; `signal` is that signal's number, else None."""

    def __init__(self, number: int | None = None) -> None:
        super().__init__(number)
        self.signal = number


class Keyboard:
    """Keys of the terminal behind a descriptor, one at a time and unseen. From single_keys()."""

    def __init__(self, descriptor: int, signals: int) -> None:
        self._descriptor, self._signals = descriptor, signals
        self._saved = termios.tcgetattr(descriptor)
        self._reader = KeyReader()

    def wait(self) -> list[str | signal.Signals]:
        """The keys that come next, and signals (HANDLED) as themselves. Raises Ended where no key can come any more."""
        timeout = ESCAPE_S if self._reader.is_open else None
        ready, _, _ = select.select([self._descriptor, self._signals], [], [], timeout)
        found: list[str | signal.Signals] = []
        if self._signals in ready:
            found += [signal.Signals(number) for number in os.read(self._signals, _BLOCK)]
        if self._descriptor in ready:
            data = self._read()
            if not data:
                raise Ended
            found += self._reader.feed(data)
        return found if ready else [*self._reader.end()]

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, _BLOCK)
        except OSError:
            return b""  # a terminal that was closed

    def take(self) -> None:
        """Have keys come at once and without echo."""
        tty.setcbreak(self._descriptor, termios.TCSADRAIN)

    def give_back(self) -> None:
        """Leave the terminal as it was."""
        with contextlib.suppress(termios.error):  # it may have gone
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._saved)


@contextlib.contextmanager
def single_keys(descriptor: int) -> Iterator[Keyboard]:
    """A Keyboard on a terminal's descriptor. Use from the main thread; afterwards all is as it was."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    keyboard = Keyboard(descriptor, reading)
    wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    previous = {number: signal.signal(number, _note) for number in HANDLED}
    try:
        keyboard.take()
        yield keyboard
    finally:
        keyboard.give_back()
        for number, handler in previous.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup)
        os.close(reading)
        os.close(writing)


def _note(number: int, frame: FrameType | None) -> None:
    """The number goes into the pipe of set_wakeup_fd: all that this handler is for."""


def stop_here() -> None:
    """Stop this process as Ctrl-Z does where nothing handles it; returns once it is continued."""
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        os.kill(os.getpid(), signal.SIGTSTP)
    finally:
        signal.signal(signal.SIGTSTP, before)
