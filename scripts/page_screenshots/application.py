"""The pictures of `dropfour serve`: a game, a match that runs and a position, each on a desk and on a phone."""

import contextlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from checkout import CHECKOUT
from page_screenshots.camera import take

DESKTOP, PHONE = (1280, 900), (390, 844)
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/")
RECORD = "default-against-mcts.jsonl"
MATCH = ("sprt", "bot", "bot:mcts", "--elo0", "0", "--elo1", "30", "--limit", "0.3", "--seed", "7")
FEWEST_PAIRS = 6  # of the match, which are points of its curve
MATCH_MS = 300_000  # until there are so many
# Positions as addresses have them: connect four after 8 moves, dots and boxes after 14.
CONNECT_FOUR = "#connect_four/9x10/0/" + "." * 24 + "%23" + "." * 65 + "/4,4,5,6,3,2,5,5"
DOTS = "#dots/5x5/0/" + "." * 85 + "/AAA,BFE,ACC,BDB,AFD,BBA,AEE,BAD,ABE,BCC,ADA,BEB,AAD,BBE"


class Shot(NamedTuple):
    """A picture: its file's name, what leads a page to what is shown, colours, the window."""

    name: str
    lead: Callable[[Any, str], None]
    colours: str
    window: tuple[int, int]


def play(tab, address, game, board, moves):
    """A game against our bot: some moves, and what the next ones are worth."""
    tab.goto(address)
    form = tab.locator(".new-game form")
    form.get_by_label("which game").select_option(game)
    form.get_by_label("opponent").first.select_option("bot")
    for label, value in board.items():
        form.get_by_label(label).first.fill(value)
    form.get_by_label("limit").fill("1")
    form.get_by_role("button", name="Play").click()
    for number, cell in enumerate(moves):
        tab.locator(".board .allowed").first.wait_for()
        tab.locator(cell).click()
        tab.wait_for_function("n => document.querySelectorAll('.moves li').length > n", arg=2 * number + 1)
    tab.locator(".board .allowed").first.wait_for()
    tab.get_by_role("button", name="what each of your moves is worth").click()
    tab.wait_for_function("() => document.querySelectorAll('.board .value').length > 3")
    tab.wait_for_timeout(4000)


def connect_four(tab, address):
    """Connect four: four moves in the middle."""
    cells = [f".board [data-row='0'][data-col='{column}']" for column in (4, 5, 5, 3)]
    play(tab, address, "connect_four", {"rows": "9", "columns": "10", "forbidden cell": "2,6"}, cells)


def reversi(tab, address):
    """Reversi, where somebody who knows no better takes the first place."""
    play(tab, address, "reversi", {}, [".board .allowed >> nth=0"] * 3)


def watch(tab, address):
    """The match that runs."""
    tab.goto(f"{address}watch/{RECORD}")
    tab.wait_for_function(
        "n => document.querySelector('.llr .curve')?.dataset.points >= n", arg=FEWEST_PAIRS, timeout=MATCH_MS
    )
    tab.wait_for_function(
        "() => [...document.querySelectorAll('.live-game:not(.ended)')].filter((game) => "
        "game.querySelectorAll('.taken').length > 12).length > 1",
        timeout=MATCH_MS,
    )


def position(tab, address, place):
    """A position, and what its moves are worth."""
    tab.goto(f"{address}position{place}")
    tab.get_by_role("button", name="Show what the moves are worth").click()
    tab.wait_for_function("() => document.querySelectorAll('.board .value').length > 3")
    tab.wait_for_timeout(7000)


SHOTS = (
    Shot("serve-game.png", connect_four, "light", DESKTOP),
    Shot("serve-game-phone.png", reversi, "dark", PHONE),
    Shot("serve-position.png", lambda tab, address: position(tab, address, DOTS), "light", DESKTOP),
    Shot("serve-position-phone.png", lambda tab, address: position(tab, address, CONNECT_FOUR), "dark", PHONE),
    Shot("serve-watch.png", watch, "dark", DESKTOP),
    Shot("serve-watch-phone.png", watch, "light", PHONE),
)


def take_all(browser, folder):
    """Take every picture and write it into the folder; yields their paths."""
    with tempfile.TemporaryDirectory() as records, _serving(Path(records)) as address:
        for shot in SHOTS[:4]:
            yield _take(browser, shot, address, folder)
        with _running([*MATCH, "--record", str(Path(records) / RECORD), "--jobs", "2", "--no-machine-check"]):
            for shot in SHOTS[4:]:
                yield _take(browser, shot, address, folder)


def _take(browser, shot, address, folder):
    def lead(tab):
        shot.lead(tab, address)
        tab.evaluate("scrollTo(0, 0)")

    return take(browser, folder / shot.name, shot.window, shot.colours, lead)


@contextlib.contextmanager
def _serving(records):
    with _running(["serve", "--port", "0", "--records", str(records)], stdout=subprocess.PIPE, text=True) as process:
        yield ADDRESS.search(process.stdout.readline())[0]


@contextlib.contextmanager
def _running(words, **options):
    """The judge with these words, until the block ends."""
    process = subprocess.Popen([sys.executable, "-m", "judge", *words], cwd=CHECKOUT, **options)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()
