"""One run of `python -m judge` with a record of its own, and what is kept of it."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from checkout import CHECKOUT
from stopping import STOPPING_SIGNALS
from strength_suite.json_lines import SuiteError, renamed

INTERRUPTED, REFUSED = 130, 2  # exit statuses


@dataclass(frozen=True)
class JudgedRun:
    """A match or batch to play.

    name: of its files; kind: "match" or "batch"; words: the judge's, but for the record's, --jobs and --json;
    games: how many are planned; asked: JSON object for the report; folder: where the judge runs.
    """

    name: str
    kind: str
    words: tuple
    games: int
    asked: dict
    folder: Path = CHECKOUT


def play_runs(runs, store, options):
    """Play JudgedRuns one after another and export each, stopped ones too; returns the exit status.

    options: of the command line, --jobs, --oversubscribe and --resume.
    Raises SuiteError where a run has records already and is not to be resumed, before anything is played.
    """
    for run in runs:
        record = store.record(run.name)
        if not options.resume and record.exists() and record.stat().st_size:
            raise SuiteError(f"{record} holds games already: --resume continues, removing it begins anew")
    worst = 0
    for number, run in enumerate(runs, start=1):
        print(f"[{number}/{len(runs)}] {run.name}", flush=True)
        if options.resume and _is_done(run, store):
            print("    done already", flush=True)
            continue
        status = _play(run, store, options)
        worst = max(worst, status)
        if status == INTERRUPTED:
            print("stopped; the same command with --resume goes on", file=sys.stderr)
            return status
    return worst


def _is_done(run, store):
    info = store.info(run.name)
    return info is not None and info["complete"] and renamed(info["asked"]) == renamed(run.asked)


def _play(run, store, options):
    """The judge's exit status of the run, INTERRUPTED if it was stopped; what it has played is exported."""
    record = store.record(run.name).resolve()
    record.parent.mkdir(parents=True, exist_ok=True)
    # The judge runs in the folder of the samples, where `python -m` would look for it first.
    command = [sys.executable, str(CHECKOUT / "scripts" / "run_module.py"), "judge", run.kind, *run.words]
    command += ["--record", str(record), "--resume", "--jobs", str(options.jobs), "--json"]
    command += ["--oversubscribe"] if options.oversubscribe else []
    status, output, stopped = _run_to_its_end(command, run.folder)
    summary = _summary(output)
    if summary is not None:
        judged = summary["games"] if run.kind == "match" else summary["judged"]
        if judged:
            complete = judged == run.games
            store.export(run.name, run.kind, complete, run.asked, summary, _versions(record))
        print(f"    {in_words(summary)}", flush=True)
    elif status == REFUSED:
        raise SuiteError(f"the judge refused {run.name}, see above")
    elif not stopped:
        raise SuiteError(f"the judge ended with status {status} and without a result for {run.name}, see above")
    return INTERRUPTED if stopped else status


def _versions(record):
    """What the judge calls the versions of the bots in a record file, as it is in all of its games."""
    with open(record, encoding="ascii") as file:
        players = json.loads(file.readline())["players"]
    return ", ".join(sorted({player["version"] for player in players if player["version"]}))


def in_words(summary):
    """A run's score in one line."""
    return f"{summary['wins']} won, {summary['draws']} drawn, {summary['losses']} lost"


def _summary(output):
    """The JSON object at the end of the judge's output without the paths in it, None if there is none."""
    last = output.rstrip().rpartition("\n")[2]
    if not last.startswith("{"):
        return None
    summary = json.loads(last)
    for name in ("record", "compete"):
        summary.pop(name, None)
    return summary


def _run_to_its_end(command, folder):
    """(exit status, stdout, whether it was stopped) of a judge, which a signal to stop reaches once.

    It has a session of its own: a terminal's Ctrl-C would reach it beside what is passed on here, and of two
    the second cuts its summary off.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(CHECKOUT), os.environ.get("PYTHONPATH")])),
    }
    stopped = False
    judge = None

    def stop(*_):
        nonlocal stopped
        if judge is not None and not stopped:
            judge.send_signal(signal.SIGINT)
        stopped = True

    previous = {number: signal.signal(number, stop) for number in STOPPING_SIGNALS}
    try:
        judge = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        if stopped:
            judge.send_signal(signal.SIGINT)
        output, _ = judge.communicate()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    return judge.returncode, output, stopped
