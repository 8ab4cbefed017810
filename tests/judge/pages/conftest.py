"""A browser for the tests of pages: one for all of them."""

import contextlib
import os

import pytest

from page_screenshots.browser import running_browser
from tests.judge.pages.helpers.browser import Watched

CI = ("CI", "DROPFOUR_CI")  # set where the tests must not be left out


@pytest.fixture(scope="package")
def browser():
    """The browser; tests that need it are skipped where there is none, and fail under CI."""
    with contextlib.ExitStack() as stack:
        try:
            found = stack.enter_context(running_browser())
        except (ImportError, OSError) as error:
            if any(os.environ.get(name) for name in CI):
                pytest.fail(f"no browser: {error}")
            pytest.skip(f"no browser: {error}")
        yield found


@pytest.fixture
def pages(browser, tmp_path):
    """Opens pages, as Watched.open; the test fails if one of them did what it must not."""
    watched = Watched(browser, tmp_path)
    try:
        yield watched
        assert watched.misdeeds == []
    finally:
        watched.close()
