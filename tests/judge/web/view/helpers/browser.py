"""A real browser, a fixture that folders of such tests import, and watched for whatever a page must not do."""

import contextlib
import os

import pytest

from judge.web.record_data import Source
from judge.web.record_page import page
from page_screenshots.browser import PATIENCE_MS, running_browser

DESKTOP, PHONE = (1280, 900), (360, 740)
NARROW = "document.documentElement.scrollWidth <= innerWidth"
READY = "html[data-ready]"  # what the pages of the judge say when they can be used
CI = ("CI", "DROPFOUR_CI")  # set where the tests must not be left out


@pytest.fixture(scope="module")
def browser():
    """The browser; tests that need it are skipped where there is none, and fail under CI.

    Of a file, as Playwright's loop runs as long as it does, and other files may want one of asyncio's.
    """
    with contextlib.ExitStack() as stack:
        try:
            found = stack.enter_context(running_browser())
        except (ImportError, OSError) as error:
            leave_out(error)
        found.spare = []  # pages that no test uses: a new one takes a process and a second
        found.shared = found.new_context()
        yield found


def leave_out(error):
    """End the test that there is no browser for."""
    if any(os.environ.get(name) for name in CI):
        pytest.fail(f"no browser: {error}")
    pytest.skip(f"need a browser: {error}")


class Watched:
    """What pages did that they must not: requests but their own file, messages, errors, dialogs."""

    def __init__(self, browser, folder):
        self._browser, self._folder = browser, folder
        self._tabs = []
        self.misdeeds = []

    def open(self, records, place="", files=("games.jsonl",), reviews=(), **options):
        """A page of these records, the first with these reviews, open at a place such as "#g1m2"."""
        reviews = [*reviews, *[None] * (len(records) - len(reviews))]
        sources = [Source(0, number, *each) for number, each in enumerate(zip(records, reviews, strict=True), start=1)]
        path = self._folder / f"page {len(self._tabs)}.html"
        path.write_text("".join(page(sources, files)), "utf-8")
        own = path.as_uri()
        return self.go(own + place, lambda address: address.split("#")[0] == own, **options)

    def go(self, address, is_own, size=DESKTOP, colours="light", ready=READY):
        """The page at an address once it has `ready`; is_own(address) tells its own requests from others."""
        tab = self._browser.spare.pop() if self._browser.spare else _new_tab(self._browser)
        self._tabs.append(tab)
        tab.watched, tab.is_own = self, is_own
        width, height = size
        tab.set_viewport_size({"width": width, "height": height})
        tab.emulate_media(color_scheme=colours)
        tab.goto(address)
        tab.wait_for_selector(ready, state="attached")
        return tab

    def close(self):
        """Let go of every page, with what it has kept of its reader's choices."""
        for tab in self._tabs:
            tab.watched = None
            tab.evaluate("localStorage.clear()")
            tab.goto("about:blank")  # what the page still does, as to call a server that is gone, ends here
            self._browser.spare.append(tab)


def _new_tab(browser):
    tab = browser.shared.new_page()
    tab.set_default_timeout(PATIENCE_MS)

    def note(kind, text, tab=tab):
        if tab.watched is not None:
            tab.watched.misdeeds.append(f"{kind}: {text}")

    tab.on("request", lambda request: tab.is_own(request.url) or note("request", request.url))
    tab.on("websocket", lambda socket: tab.is_own(socket.url) or note("socket", socket.url))
    tab.on("console", lambda message: note("console", message.text))
    tab.on("pageerror", lambda error: note("error", error))
    tab.on("dialog", lambda dialog: (note("dialog", dialog.message), dialog.dismiss()))
    tab.on("popup", lambda popup: note("popup", popup.url))
    return tab


def ply_of(tab):
    return int(tab.locator(".jump").input_value())


def show(tab, game, ply):
    """Have a page show a ply of a game."""
    tab.evaluate("place => { location.hash = place; }", f"#g{game}m{ply}")
    tab.wait_for_function(
        "text => document.querySelector('.heading h2')?.textContent.startsWith(text)", arg=f"Game {game} "
    )
    tab.wait_for_function("ply => document.querySelector('.jump')?.value === ply", arg=str(ply))


def tick(tab, label):
    tab.get_by_label(label, exact=True).set_checked(True)
