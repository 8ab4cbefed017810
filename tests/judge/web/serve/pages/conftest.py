"""A browser, and the application as a process, for the tests of its pages."""

import pytest

from tests.judge.web.serve.pages.helpers.site import Site
from tests.judge.web.view.helpers.browser import Watched, browser

__all__ = ["browser", "served", "tabs", "watched"]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The application, with records and players of its own, for all tests of a file."""
    with Site(tmp_path_factory.mktemp("served")) as found:
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
