"""Where there is no browser the tests that need one are skipped with the reason, and fail under CI."""

import os
import subprocess
import sys

import pytest

from tests.places import REPOSITORY

ONE_TEST = "tests/judge/pages/test_in_browser.py::test_a_board_can_be_read_out"


@pytest.mark.parametrize("variable, outcome", [(None, "1 skipped"), ("CI", "1 error"), ("DROPFOUR_CI", "1 error")])
def test_a_test_without_a_browser(tmp_path, variable, outcome):
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "DROPFOUR_CI")}
    environment.update({"PATH": str(tmp_path), **({variable: "1"} if variable else {})})
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n0", "-q", "-rs", ONE_TEST],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1].startswith(outcome), done.stdout + done.stderr
    assert "no browser: none of chromium, chromium-browser, google-chrome is installed" in done.stdout
