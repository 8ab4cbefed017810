"""The measuring script for matches that are followed: it runs, and its figures are possible."""

import json
import subprocess

from tests.places import REPOSITORY


def measured(seconds):
    """The figures of two parts of so many seconds."""
    words = ["--parts", "1", "--seconds", str(seconds), "--clients", "3", "--iterations", "300", "--json"]
    script = REPOSITORY / "scripts" / "bench_serve"
    return json.loads(subprocess.run([str(script), *words], capture_output=True, text=True, check=True).stdout)


def test_the_script_measures_what_it_says():
    """In parts as long as a busy machine needs for a game to go on in them."""
    for seconds in (3, 10, 40):
        found = measured(seconds)
        if found["turns_a_minute"]["ratio"] and found["delay_s"]["moves"]:
            break
    for name in ("turns_a_minute", "games_a_minute"):
        assert found[name]["without"] >= 0 and found[name]["with"] >= 0
    assert found["turns_a_minute"]["ratio"] > 0
    delay = found["delay_s"]
    assert delay["moves"] > 0 and 0 <= delay["p50"] <= delay["p99"] <= delay["most"]
    assert 0 < found["server_cores"] < 1
