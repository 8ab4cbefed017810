"""The pictures of `dropfour view`: which there are, and how each is taken."""

import gzip
import tempfile
from pathlib import Path
from typing import NamedTuple

from checkout import CHECKOUT
from judge.web.record_data import Source
from judge.web.record_page import page
from page_screenshots.camera import take
from protocol.records.record import read_records

RESULTS = CHECKOUT / "docs" / "results"
DESKTOP, PHONE = (1280, 860), (390, 844)
MOST = 40  # games of each file


class Shot(NamedTuple):
    """A picture: its file's name, the records shown, the place in the page, colours, the window, what is ticked."""

    name: str
    records: str  # a pattern for files in docs/results
    place: str
    colours: str
    window: tuple[int, int]
    ticks: tuple[str, ...] = ()


MATCH = "match_default_seed003-mcts_0.5s"
REVERSI = "match_reversi_default_seed002-alphabeta-combined_0.3s"
SHOTS = (
    Shot("view-match.png", MATCH, "#g13m23", "light", (1280, 1100), ("threats", "expected moves")),
    Shot("view-reversi.png", REVERSI, "#g1m40", "dark", DESKTOP, ("legal moves",)),
    Shot("view-phone.png", MATCH, "#g13m37", "dark", PHONE),
    Shot("view-phone-dots.png", "match_dots_default_seed004-uct_0.3s", "#g2m30", "light", PHONE, ("chains",)),
    Shot("view-crosstable.png", "match_reversi_seed002-*", "#statistics", "light", (1280, 800)),
)


def sources_of(pattern):
    """The games of the files that a pattern names, and the files' names."""
    sources, names = [], []
    with tempfile.TemporaryDirectory() as folder:
        for index, path in enumerate(sorted(RESULTS.glob(f"{pattern}.jsonl.gz"))):
            unpacked = Path(folder) / path.stem
            unpacked.write_bytes(gzip.decompress(path.read_bytes()))
            records = read_records(unpacked)[0]
            sources += [Source(index, number, record) for number, record in enumerate(records[:MOST], start=1)]
            names.append(path.stem)
    return sources, names


def taken(browser, shot, folder):
    """Take a picture and write it into the folder; its path."""
    sources, names = sources_of(shot.records)
    with tempfile.TemporaryDirectory() as workshop:
        html = Path(workshop) / "page.html"
        html.write_text("".join(page(sources, names)), "utf-8")

        def lead(tab):
            tab.goto(html.as_uri() + shot.place)
            tab.wait_for_selector("html[data-ready]", state="attached")
            for label in shot.ticks:
                tab.get_by_label(label, exact=True).set_checked(True)
            tab.evaluate("document.fonts.ready")

        return take(browser, folder / shot.name, shot.window, shot.colours, lead)
