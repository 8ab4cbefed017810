"""Whatever a bot writes to stderr: the game has its record, which is strict JSON, and the terminal nothing to obey."""

import json
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from judge.play.screen import move_in_words
from judge.processes.process import StderrLog
from judge.viewer import curve
from protocol.records.record import GameRecord, Move, read_records
from tests.judge.helpers.alterations import ODD_TEXTS, ODD_VALUES, faults_of
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command, run_judge
from tests.protocol.records.examples import record

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(ODD_TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
VALUES = JSON.map(json.dumps) | st.sampled_from(ODD_VALUES)
NAMES = ("value", "depth", "iterations", "proven", "guard", "\x1b[31m", "\ud800")
REPORTS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5).map(
    lambda entries: "{" + ", ".join(f"{json.dumps(name)}: {value}" for name, value in entries.items()) + "}"
)
LINES = REPORTS.map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=60)


def in_records(value):
    """Whether JSON's reader anywhere takes it, and no number in it is odd."""
    text = json.dumps(value, allow_nan=False)
    text.encode("utf-8")
    return "\\ud800" not in text and "9" * 65 not in text


@given(st.lists(LINES, max_size=4), st.integers(1, 40))
@settings(max_examples=15)
def test_what_is_taken_for_a_report_can_be_kept_and_shown(lines, piece):
    log, data = StderrLog(), b"\n".join(lines) + b"\n"
    for start in range(0, len(data), piece):
        log.feed(data[start : start + piece])
    report = log.report()
    kept = record(moves=(Move("B", 4, 0.1, 0.1, report),), extra={"A": {"stderr": log.text()}})
    assert GameRecord.from_json(kept.to_json()) == kept
    assert report is None or in_records(report)
    assert faults_of(move_in_words(1, "B", "column 4", kept.moves[0])) == []
    assert len(curve([0.5, None], "A", 1, 10)) == 2


def odd_lines(count):
    """So many lines, most of them almost reports."""
    chance = random.Random(count)
    lines = [
        ", ".join(f"{json.dumps(name)}: {chance.choice(ODD_VALUES)}" for name in chance.sample(NAMES[:5], 3)).join("{}")
        for _ in range(count)
    ]
    lines += [f'{{"value": {value}}}' for value in ODD_VALUES]
    lines += [json.dumps({"value": 0.5, "proven": text, "note": text}) for text in ODD_TEXTS]
    return [line.encode("utf-8", "surrogatepass") for line in lines] + [b"\xff\xfe\x00{", b"\x1b[2J" * 10]


def test_a_game_of_chatterers_is_recorded(tmp_path):
    (tmp_path / "lines").write_bytes(b"\n".join(odd_lines(40)))
    chatter = command("chatter", tmp_path / "lines")
    done = run_judge(
        tmp_path, "play", chatter, chatter, "--limit", WIDE_LIMIT_S, "--free-start", "--record", "r", "--json"
    )
    assert done.returncode == 0, done
    assert "nothing more is shown" not in done.stderr
    replayed = run_judge(tmp_path, "replay", "r")
    assert replayed.returncode == 0
    assert faults_of(done.stdout + done.stderr + replayed.stdout) == []
    ((kept,), torn) = read_records(tmp_path / "r")
    assert torn == []
    reports = [move.report for move in kept.moves if move.report]
    assert reports
    assert all(map(in_records, reports))
