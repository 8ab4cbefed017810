"""The measuring script for the judge's own cost: it runs, and its figures are possible."""

import json
import subprocess

from tests.judge.helpers.scripted import REPOSITORY


def test_the_script_measures_what_it_says():
    words = ["--turns", "100", "--games", "2", "--json"]
    script = REPOSITORY / "scripts" / "bench_judge"
    done = subprocess.run([str(script), *words], capture_output=True, text=True, check=True, timeout=60)
    found = json.loads(done.stdout)
    assert 0 < found["stamp_us_p50"] <= found["stamp_us_p99"]
    for jobs in (1, 2):
        # A turn's way there and back cannot be shorter than the way back alone.
        assert found["stamp_us_p50"] / 1e3 < found[f"charged_ms_p50_jobs_{jobs}"] < 100
        assert found[f"games_per_s_jobs_{jobs}"] > 0
