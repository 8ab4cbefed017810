"""Records with presets' names of before: they go on under the new ones."""

from protocol.records.record import read_records
from tests.judge.helpers.scripted import WIDE_LIMIT_S, run_judge


def test_a_match_begun_under_a_presets_old_name_goes_on_under_its_new_one(tmp_path):
    words = ("--games", 2, "--seed", 7, "--limit", WIDE_LIMIT_S, "--record", tmp_path / "match.jsonl")
    quick = "--iterations 20"
    begun = run_judge(tmp_path, "match", f"bot:seed000-v3 {quick}", f"bot:slice1 {quick}", *words)
    assert begun.returncode == 0, begun.stderr
    more = ("--games", 4, *words[2:], "--resume")
    done = run_judge(tmp_path, "match", f"bot:uct-proofs {quick}", f"bot:puct-basic {quick}", *more)
    assert done.returncode == 0, done.stderr
    assert [record.extra["index"] for record in read_records(tmp_path / "match.jsonl")[0]] == [0, 1, 2, 3]
    refused = run_judge(tmp_path, "match", f"bot:uct-forced {quick}", f"bot:puct-basic {quick}", *more)
    assert refused.returncode == 2
    assert "has A bot:seed000-v3" in refused.stderr
