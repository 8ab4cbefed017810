"""A browser, and the application as a process, for the tests of its pages."""

import pytest

from tests.judge.pages.helpers.browser import Watched, browser
from tests.judge.server.pages.helpers.site import Site

__all__ = ["browser", "served", "tabs", "watched"]


@pytest.fixture
def served(tmp_path):
    """The application, with records and players of its own."""
    with Site(tmp_path) as found:
        yield found


@pytest.fixture
def watched(browser, tmp_path):
    """Watches pages; the test fails if one of them did what it must not."""
    found = Watched(browser, tmp_path)
    try:
        yield found
        assert found.misdeeds == []
    finally:
        found.close()


@pytest.fixture
def tabs(watched, served):
    """Opens pages of the application."""
    return lambda place="/", **options: watched.go(served.address + place, served.is_own, **options)
