"""What all tests of the judge share."""

import pytest

from judge.play import sandbox


@pytest.fixture(autouse=True)
def new_notes(monkeypatch):
    """A process tells each note once, and a test is to see its own."""
    monkeypatch.setattr(sandbox, "notes", sandbox.Notes())
