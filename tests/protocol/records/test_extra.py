"""What of `extra` is read by reports is of the kinds that they expect."""

import json

import pytest

from protocol.records.record import GameRecord, RecordError
from tests.protocol.records.examples import VERSION_1_LINE, record

WRONG = [
    ({"A": []}, "extra.A: expected an object"),
    ({"A": {"waits_s": 1}}, "extra.A.waits_s: expected a list"),
    ({"A": {"waits_s": [0.5, "x"]}}, "extra.A.waits_s[1]: expected a finite number of seconds"),
    ({"B": {"overtime_s": []}}, "extra.B.overtime_s: expected an object"),
    ({"B": {"overtime_s": {"3": -1}}}, "extra.B.overtime_s['3']: expected a finite number of seconds"),
    ({"B": {"stderr": None}}, "extra.B.stderr: expected a string"),
    ({"B": {"peak_rss_bytes": 2**64}}, "extra.B.peak_rss_bytes: expected an integer of at least 0"),
    ({"B": {"peak_rss_bytes": 2**63}}, "extra.B.peak_rss_bytes: expected an integer of at least 0"),
    ({"B": {"peak_rss_bytes": 0.5}}, "extra.B.peak_rss_bytes: expected an integer of at least 0"),
    ({"A": {"exit_status": "0"}}, "extra.A.exit_status: expected an integer"),
    ({"A": {"cpu_s": 10**10}}, "extra.A.cpu_s: expected a finite number of seconds, not negative, at most 1000000000"),
    ({"A": {"cpu_s": None}}, "extra.A.cpu_s: expected a finite number of seconds"),
    ({"limit_s": "3"}, "extra.limit_s: expected a finite number of seconds"),
    ({"index": 10**40}, "extra.index: expected an integer of at least 0"),
    ({"index": -1}, "extra.index: expected an integer of at least 0"),
    ({"index": True}, "extra.index: expected an integer of at least 0"),
    ({"reason": ["x"]}, "extra.reason: expected a string"),
    ({"id": 5}, "extra.id: expected a string"),
    ({"schedule": "pairs"}, "extra.schedule: expected an object"),
]


def line_with(extra, line=None):
    return json.dumps({**json.loads(line or record().to_json()), "extra": extra})


def test_a_wrong_entry_is_named():
    for extra, message in WRONG:
        for line in (None, VERSION_1_LINE):
            with pytest.raises(RecordError) as refused:
                GameRecord.from_json(line_with(extra, line))
            assert str(refused.value).startswith(message)


def test_what_nobody_reads_may_be_anything_and_what_is_known_goes_to_its_limits():
    greatest = {"peak_rss_bytes": 2**63 - 1, "cpu_s": 10**9, "exit_status": None, "start_up_s": None}
    for extra in (
        {"A": {"mine": [1]}, "B": {}, "limit_s": None, "mine": {"waits_s": "x"}, "waits_s": 3},
        {"A": greatest, "index": 0, "player_limit_s": None},
    ):
        assert GameRecord.from_json(line_with(extra)).extra == extra


def test_names_in_errors_have_nothing_to_obey():
    with pytest.raises(RecordError) as refused:
        GameRecord.from_json(json.dumps({**json.loads(record().to_json()), "\x1b[2J\n\u202e" + "x" * 1000: 1}))
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 200
