"""A browser for the tests of pages."""

import pytest

from tests.judge.web.view.helpers.browser import Watched, browser

__all__ = ["browser", "pages"]


@pytest.fixture
def pages(browser, tmp_path):
    """Opens pages, as Watched.open; the test fails if one of them did what it must not."""
    watched = Watched(browser, tmp_path)
    try:
        yield watched
        assert watched.misdeeds == []
    finally:
        watched.close()
