"""`scripts/measure pages`: how large pages of many games are, and how soon a board stands in a browser.

For each game so many recorded games are taken from docs/results/ whose moves are reported, in the order of the files'
names, or played for this where there are none, and again from the beginning where there are fewer (a page packs 16
games together, so that copies far apart cost as much as others).
"""

import argparse
import gzip
import itertools
import statistics
import sys
import tempfile
import time
from pathlib import Path

from judge.games import GAMES
from judge.interface import run_match
from judge.web.record_data import Source
from judge.web.record_page import page
from measurement.kept import RESULTS
from option_types import count
from page_screenshots.browser import running_browser
from protocol.records.record import GameRecord, RecordError, in_lines

MOST_PLAYED = 64  # four of the page's packages
ITERATIONS = 2000
MARK = "the first board stands"  # that the page sets
SINCE_OPENING = f"() => performance.getEntriesByName({MARK!r})[0].startTime"


def recorded(name):
    """The records of a game in docs/results/ with reports of its moves."""
    for path in sorted(RESULTS.glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).splitlines():
            try:
                record = GameRecord.from_json(line)
            except RecordError:  # a line of another kind
                break
            if record.game == name and any(move.report for move in record.moves):
                yield record


def played(name, games):
    """Quick games of the bot against itself, whose moves it reports."""
    player = f"bot --iterations {ITERATIONS}"
    return [game.record for game in run_match(player, player, games, game=name, limit_s=60.0, seed=1).games]


def measured(browser, name, games, times, folder):
    """A line on the page of one game."""
    found = list(itertools.islice(recorded(name), games)) or played(name, min(games, MOST_PLAYED))
    records = list(itertools.islice(itertools.cycle(found), games))
    began = time.perf_counter()
    content = "".join(page([Source(0, number, record) for number, record in enumerate(records, 1)], [f"{name}.jsonl"]))
    written_s = time.perf_counter() - began
    path = folder / f"{name}.html"
    path.write_text(content, "utf-8")
    boards_s = [opened_s(browser, path) for _ in range(times)]
    plies = sum(len(record.moves) for record in found) / len(found)
    reports = sum(move.report is not None for record in found for move in record.moves) / len(found)
    return (
        f"{name}: {games} games ({len(found)} different, {plies:.0f} plies and {reports:.0f} reports on average), "
        f"page {path.stat().st_size / 1e6:.2f} MB of a record of {len(in_lines(records)) / 1e6:.1f} MB, "
        f"made in {written_s:.1f} s, first board {statistics.median(boards_s):.3f} s (longest {max(boards_s):.3f} s)"
    )


def opened_s(browser, page):
    """Seconds from opening the page, in a browser that has kept nothing, until its first board stands."""
    context = browser.new_context()
    try:
        tab = context.new_page()
        tab.goto(page.as_uri())
        tab.wait_for_selector("html[data-ready]")
        return tab.evaluate(SINCE_OPENING) / 1000
    finally:
        context.close()


def main(words):
    """Measure every game and print what was found; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="scripts/measure pages", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=count, default=1000, metavar="N", help="of each page (default: 1000)")
    parser.add_argument("--times", type=count, default=5, metavar="K", help="each is opened (default: 5)")
    options = parser.parse_args(words)
    try:
        with running_browser() as browser, tempfile.TemporaryDirectory() as folder:
            for name in GAMES:
                print(measured(browser, name, options.games, options.times, Path(folder)), flush=True)
    except (ImportError, OSError) as error:
        print(f"pages: error: {error}", file=sys.stderr)
        return 2
    return 0
