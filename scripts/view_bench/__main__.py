"""How large pages of many games are, and how soon a board stands: `scripts/bench_view [--games N] [--times K]`.

For each game so many recorded games are taken from docs/results/ whose moves are reported, in the order of the
files' names, or played for this where there are none, and again from the beginning where there are fewer (a page packs
16 games together, so that copies far apart cost as much as others). `dropfour view` makes the page, and a browser
without a window opens it.

  written       seconds of the whole command
  bytes         of the page
  first board   seconds from the opening of the page until its first board stands: the median and the longest
"""

import argparse
import gzip
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from checkout import CHECKOUT
from judge.games import GAMES
from page_screenshots.browser import running_browser
from protocol.records.record import GameRecord, RecordError, append_records, read_records

RESULTS = CHECKOUT / "docs" / "results"
MOST_PLAYED = 64  # four of the page's packages
ITERATIONS = 2000
MARK = "the first board stands"  # that the page sets
SINCE_OPENING = f"() => performance.getEntriesByName({MARK!r})[0].startTime"
READY = "html[data-ready]"


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


def played(name, games, folder):
    """Quick games of the bot against itself, whose moves it reports."""
    path = folder / f"{name}-played.jsonl"
    player = f"bot --iterations {ITERATIONS}"
    words = [player, player, "--game", name, "--games", games, "--limit", 60, "--seed", 1, "--no-machine-check"]
    judge("match", *words, "--record", path)
    return read_records(path)[0]


def judge(*words):
    """A command of the judge, to its end."""
    command = [sys.executable, "-m", "judge", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(command, env=environment, check=True, **silent)


def measured(browser, name, games, times, folder):
    """The figures of one game."""
    found = list(itertools.islice(recorded(name), games)) or played(name, min(games, MOST_PLAYED), folder)
    reported = sum(move.report is not None for record in found for move in record.moves)
    record, page = folder / f"{name}.jsonl", folder / f"{name}.html"
    append_records(record, itertools.islice(itertools.cycle(found), games))
    began = time.perf_counter()
    judge("view", record, "--output", page)
    written_s = time.perf_counter() - began
    boards_s = [opened_s(browser, page) for _ in range(times)]
    return {
        "games": games,
        "different": len(found),
        "plies": sum(len(record.moves) for record in found) / len(found),
        "reports": reported / len(found),
        "record_bytes": record.stat().st_size,
        "written_s": round(written_s, 2),
        "bytes": page.stat().st_size,
        "first_board_s": {"median": round(statistics.median(boards_s), 3), "longest": round(max(boards_s), 3)},
    }


def opened_s(browser, page):
    """Seconds from opening the page, in a browser that has kept nothing, until its first board stands."""
    context = browser.new_context()
    try:
        tab = context.new_page()
        tab.goto(page.as_uri())
        tab.wait_for_selector(READY)
        return tab.evaluate(SINCE_OPENING) / 1000
    finally:
        context.close()


def positive(text):
    """A whole number of at least 1."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def main():
    """Measure every game and print what was found."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench_view", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=positive, default=1000, metavar="N", help="of each page (default: 1000)")
    parser.add_argument("--times", type=positive, default=5, metavar="K", help="each is opened (default: 5)")
    parser.add_argument("--json", action="store_true", help="print JSON, an object a line")
    options = parser.parse_args()
    try:
        with running_browser() as browser, tempfile.TemporaryDirectory() as folder:
            for name in GAMES:
                found = measured(browser, name, options.games, options.times, Path(folder))
                print(json.dumps({"game": name, **found}) if options.json else in_words(name, found), flush=True)
    except (ImportError, OSError) as error:
        print(f"bench_view: {error}", file=sys.stderr)
        return 2
    return 0


def in_words(name, found):
    """One line on a game."""
    board = found["first_board_s"]
    return (
        f"{name}: {found['games']} games ({found['different']} different, {found['plies']:.0f} plies and "
        f"{found['reports']:.0f} reports on average), "
        f"page {found['bytes'] / 1e6:.2f} MB of a record of {found['record_bytes'] / 1e6:.1f} MB, "
        f"written in {found['written_s']:.1f} s, first board {board['median']:.3f} s (longest {board['longest']:.3f} s)"
    )


if __name__ == "__main__":
    sys.exit(main())
