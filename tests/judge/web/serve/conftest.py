"""The application, in a folder of the test."""

import pytest

from tests.judge.web.serve.helpers.application import Application


@pytest.fixture
def application(tmp_path):
    """An Application with a scripted bot, `first`, to play against."""
    with Application(tmp_path) as found:
        yield found
