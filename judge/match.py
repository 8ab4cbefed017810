"""`python -m judge match A B`: many games on paired boards, and which player is the stronger."""

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import datetime, timezone
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.text import Text

from judge import arguments, boards, report
from judge.commands import replay_command
from judge.interruption import stop_event
from judge.players import contestant
from judge.referee import Interrupted, play_game
from judge.scoresheet import GamePlan
from protocol.record import Termination, append_record


def schedule(games, seed, limit_s, free_start):
    """The GamePlans of a match: two games on each board, A first and then B; the last pair may lack one."""
    return [
        GamePlan(
            board=boards.draw_board(seed, index // 2),
            limit_s=limit_s,
            seed=seed,
            first="AB"[index % 2],
            pair=index // 2,
            index=index,
            free_start=free_start,
        )
        for index in range(games)
    ]


def play_match(contestants, plans, jobs, stop, on_record):
    """Play the plans, `jobs` at a time, and return the records in the order of the plans.

    on_record(records so far) is called in this thread after every game, with the latest one last.
    When `stop` is set the games still running are discarded and what was played is returned.
    """
    records = []
    with ThreadPoolExecutor(jobs) as pool:
        games = [pool.submit(play_game, contestants, plan, None, stop) for plan in plans]
        try:
            for game in as_completed(games):
                try:
                    records.append(game.result())
                except Interrupted:
                    continue
                on_record(records)
        finally:
            stop.set()  # a failure here must not leave the other games running to their end
    return sorted(records, key=lambda record: record.extra["index"])


class Progress:
    """The running score: a line that redraws itself on a terminal, else a line per game. Writes to stderr."""

    def __init__(self, scheduled):
        self.scheduled = scheduled
        self.console = Console(stderr=True, highlight=False)
        self.live = Live(console=self.console, auto_refresh=False, transient=True)

    def __enter__(self):
        if self.console.is_terminal:
            self.live.start()
            self.show([])
        return self

    def __exit__(self, *_):
        self.live.stop()

    def show(self, records):
        """Tell the score after these records."""
        line = report.running_score(records, self.scheduled)
        if self.console.is_terminal:
            self.live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)
        else:
            print(f"{line}  {_ending(records[-1])}", file=sys.stderr, flush=True)


def _ending(record):
    fault = f" by {record.at_fault}" if record.at_fault else ""
    return f"(game {record.extra['index'] + 1}: {record.termination.value}{fault}, {len(record.moves)} plies)"


def main(words):
    """Run the command with its words; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m judge match",
        description="Play games in pairs: each board twice, with the first move swapped. "
        + arguments.PLAYERS_HELP,
        epilog=arguments.EXIT_HELP + " A match with a VOID game in it exits with 3.",
    )
    parser.add_argument("A")
    parser.add_argument("B")
    parser.add_argument("--games", type=arguments.count, required=True, metavar="N")
    parser.add_argument(
        "--jobs", type=arguments.count, default=1, metavar="J", help="games at a time (default: 1)"
    )
    arguments.add_game_options(parser)
    parser.add_argument(
        "--record", type=arguments.record_file, metavar="FILE", help="default: records/match-TIME.jsonl"
    )
    options = parser.parse_args(words)
    seed = arguments.seed_or_random(options)
    now = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    path = options.record or Path("records") / f"match-{now}-{os.getpid()}.jsonl"
    players = (contestant(options.A), contestant(options.B))
    plans = schedule(options.games, seed, options.limit, options.free_start)
    _announce(options, seed, path)
    with stop_event() as stop, Progress(options.games) as progress:

        def keep(records):
            append_record(path, records[-1])
            progress.show(records)

        records = play_match(players, plans, options.jobs, stop, keep)
    _conclude(records, options, seed, path)
    return 3 if any(record.termination is Termination.VOID for record in records) else 0


def _announce(options, seed, path):
    print(
        f"A: {options.A}\nB: {options.B}\nseed {seed}, limit {options.limit:g} s, records in {path}",
        flush=True,
    )
    if options.jobs > (os.cpu_count() or 1):
        print(
            f"note: {options.jobs} games at a time share {os.cpu_count()} cores; times will suffer",
            flush=True,
        )


def _conclude(records, options, seed, path):
    console = Console(highlight=False)
    if len(records) < options.games:
        console.print(f"stopped: {len(records)} of {options.games} games were played")
    for table in report.tables(records) if records else []:
        console.print(table)
    if records:
        console.print(f"replay: {replay_command(path, 1)}", soft_wrap=True, markup=False)
    if options.json:
        outcome = {**report.summary(records), "seed": seed, "record": str(path)}
        print(json.dumps(outcome, allow_nan=False), flush=True)
