"""A real browser, watched for whatever a page must not do."""

from judge.pages.page import page
from judge.pages.rows import Source
from page_screenshots.browser import PATIENCE_MS

DESKTOP, PHONE = (1280, 900), (360, 740)


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


def ply_of(tab):
    return int(tab.locator(".jump").input_value())


def at_ply(tab, ply):
    """Wait until a ply is shown."""
    tab.locator(f".charts .cursor[data-ply='{ply}']").wait_for(state="attached")


def tick(tab, label):
    tab.get_by_label(label, exact=True).set_checked(True)
