"""A real browser, watched for whatever a page must not do."""

import contextlib
import os
import shutil

from judge.pages.page import page
from judge.pages.rows import Source

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 60_000
DESKTOP, PHONE = (1280, 900), (360, 740)


@contextlib.contextmanager
def running_browser():
    """A browser of Playwright's. Raises ImportError or OSError where there is none, playwright's Error if it fails."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        raise OSError(f"none of {', '.join(PROGRAMS)} is installed (on Debian: apt install chromium)")
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=flags, timeout=PATIENCE_MS)
        try:
            yield browser
        finally:
            browser.close()


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
        width, height = size
        self._contexts.append(self._browser.new_context(viewport={"width": width, "height": height}, **context))
        tab = self._contexts[-1].new_page()
        tab.set_default_timeout(PATIENCE_MS)
        own = path.as_uri()
        tab.on("request", lambda request: request.url.split("#")[0] == own or self._note("request", request.url))
        tab.on("console", lambda message: self._note("console", message.text))
        tab.on("pageerror", lambda error: self._note("error", error))
        tab.on("dialog", lambda dialog: (self._note("dialog", dialog.message), dialog.dismiss()))
        tab.on("popup", lambda popup: self._note("popup", popup.url))
        tab.goto(own + place)
        tab.wait_for_selector("html[data-ready]", state="attached")
        return tab

    def _note(self, kind, text):
        self.misdeeds.append(f"{kind}: {text}")

    def close(self):
        """Close every page."""
        for context in self._contexts:
            context.close()
