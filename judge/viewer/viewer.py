"""The interactive view: the alternate screen, redrawn at every key and whenever the terminal changes."""

import os
import signal
import sys

from rich.console import Console, Group
from rich.live import Live

from judge import terminal
from judge.viewer.browser import Browser
from judge.viewer.keyboard import Ended, Keyboard, single_keys, stop_here
from judge.viewer.layout import GameView
from judge.viewer.positions import RecordedPositions

NO_TERMINALS = ("", "dumb", "unknown")
USUAL_SIZE = (80, 24)  # of a terminal that does not know its own


def is_possible(console: Console) -> bool:
    """Whether keys can be read and screens drawn: stdin and stdout are terminals that can do more than print lines."""
    return (
        os.environ.get("TERM", "").lower() not in NO_TERMINALS
        and console.is_interactive
        and console.is_terminal
        and sys.stdin.isatty()
        and sys.stdout.isatty()
    )


def view(positions: RecordedPositions, title: str) -> None:
    """Show the game until the reader leaves. The terminal is as before then, and after any exception.

    Raises SystemExit with the status of a program ended by that signal for SIGTERM and SIGHUP.
    """
    console = terminal.console()  # its own: it is told the terminal's size
    shown, browser = GameView(positions, title, console), Browser(positions.last)
    try:
        with single_keys(sys.stdin.fileno()) as keyboard:
            _run(shown, browser, keyboard, console)
    except Ended as end:
        if end.signal is not None:
            raise SystemExit(128 + end.signal) from None


def _run(shown: GameView, browser: Browser, keyboard: Keyboard, console: Console) -> None:
    with Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False) as live:
        while True:
            _draw(shown, browser, live)
            for event in keyboard.wait():
                if event == signal.SIGTSTP:
                    live.stop()
                    keyboard.give_back()
                    stop_here()
                    keyboard.take()
                    live.start()
                elif event == signal.SIGINT:
                    raise KeyboardInterrupt
                elif event in (signal.SIGTERM, signal.SIGHUP):
                    raise Ended(event)
                elif isinstance(event, str) and not browser.press(event):
                    return


def _draw(shown: GameView, browser: Browser, live: Live) -> None:
    width, height = os.get_terminal_size(sys.stdout.fileno())
    width, height = width or USUAL_SIZE[0], height or USUAL_SIZE[1]
    live.console.size = (width, height)
    live.update(Group(*shown.lines(browser, width, height)), refresh=True)
