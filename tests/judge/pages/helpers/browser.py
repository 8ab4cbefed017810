"""A real browser, a fixture that folders of such tests import, and watched for whatever a page must not do."""

import contextlib
import os

import pytest

from judge.pages.page import page
from judge.pages.rows import Source
from page_screenshots.browser import PATIENCE_MS, running_browser

DESKTOP, PHONE = (1280, 900), (360, 740)
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
            if any(os.environ.get(name) for name in CI):
                pytest.fail(f"no browser: {error}")
            pytest.skip(f"no browser: {error}")
        yield found


class Watched:
    """What pages did that they must not: requests but their own file, messages, errors, dialogs."""

    def __init__(self, browser, folder):
        self._browser, self._folder = browser, folder
        self._contexts = []
        self.misdeeds = []

    def open(self, records, place="", files=("games.jsonl",), size=DESKTOP, first=0, **context):
        """A page of these records, open at a place such as "#g1m2"."""
        sources = [Source(0, number, record) for number, record in enumerate(records, start=1)]
        path = self._folder / f"page {len(self._contexts)}.html"
        path.write_text("".join(page(sources, files, first)), "utf-8")
        return self.visit(path, place, size, **context)

    def visit(self, path, place="", size=DESKTOP, **context):
        """A page that is there already."""
        own = path.as_uri()
        return self.go(own + place, lambda address: address.split("#")[0] == own, size, **context)

    def go(self, address, is_own, size=DESKTOP, **context):
        """The page at an address; is_own(address) tells its own requests from others."""
        width, height = size
        self._contexts.append(self._browser.new_context(viewport={"width": width, "height": height}, **context))
        tab = self._contexts[-1].new_page()
        tab.set_default_timeout(PATIENCE_MS)
        tab.on("request", lambda request: is_own(request.url) or self._note("request", request.url))
        tab.on("websocket", lambda socket: is_own(socket.url) or self._note("socket", socket.url))
        tab.on("console", lambda message: self._note("console", message.text))
        tab.on("pageerror", lambda error: self._note("error", error))
        tab.on("dialog", lambda dialog: (self._note("dialog", dialog.message), dialog.dismiss()))
        tab.on("popup", lambda popup: self._note("popup", popup.url))
        tab.goto(address)
        tab.wait_for_selector("html[data-ready]", state="attached")
        return tab

    def _note(self, kind, text):
        self.misdeeds.append(f"{kind}: {text}")

    def close(self):
        """Close every page."""
        for context in self._contexts:
            context.close()


def ply_of(tab):
    return int(tab.locator(".jump").input_value())


def at_ply(tab, ply):
    """Wait until a ply is shown."""
    tab.locator(f".charts .cursor[data-ply='{ply}']").wait_for(state="attached")


def tick(tab, label):
    tab.get_by_label(label, exact=True).set_checked(True)
