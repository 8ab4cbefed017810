"""Where no browser can be had the tests that need one are skipped with the reason, and fail under CI."""

import os
import subprocess
import sys

import pytest

from tests.places import REPOSITORY

NONE = "none of chromium, chromium-browser, google-chrome is installed"
ONE_TEST = "tests/judge/pages/test_in_browser.py::test_a_board_can_be_read_out"


def outcome_of(folder, **variables):
    """What pytest prints of a test that needs a browser, where PATH is this folder."""
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "DROPFOUR_CI")}
    environment.update({"PATH": str(folder), **variables})
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n0", "-q", "-rs", ONE_TEST],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize("variable, outcome", [(None, "1 skipped"), ("CI", "1 error"), ("DROPFOUR_CI", "1 error")])
def test_a_test_without_a_browser(tmp_path, variable, outcome):
    told = outcome_of(tmp_path, **({variable: "1"} if variable else {}))
    assert told.splitlines()[-1].startswith(outcome), told
    assert f"no browser: {NONE}" in told


def test_a_test_with_a_browser_that_does_not_start(tmp_path):
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    told = outcome_of(tmp_path)
    assert told.splitlines()[-1].startswith("1 skipped"), told
    assert f"no browser: {program} does not start: " in told
    assert outcome_of(tmp_path, CI="1").splitlines()[-1].startswith("1 error")
