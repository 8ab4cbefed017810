"""Ctrl-C at the moment in which a command says that it begins to play, and two signals at a time."""

import io
import signal
import sys
import threading

import pytest

from judge.__main__ import main
from judge.runs.interruption import stop_event
from tests.judge.helpers.scripted import command

PLAYER = command("first_legal")


class InterruptedAtTheSeed(io.StringIO):
    """An output whose reader presses Ctrl-C once the seed is told."""

    def write(self, text):
        if "seed " in text and "seed " not in self.getvalue():
            signal.raise_signal(signal.SIGINT)
        return super().write(text)


@pytest.mark.parametrize("ignored", [True, False])
@pytest.mark.parametrize(
    "words, status",
    [
        (("match", PLAYER, PLAYER, "--games", "4"), 0),
        (("sprt", PLAYER, PLAYER, "--elo0", "0", "--elo1", "5", "--games", "4"), 0),
        (("batch", PLAYER, "--against", PLAYER), 0),
        (("play", PLAYER, PLAYER), 130),
    ],
)
def test_what_is_announced_can_be_stopped(tmp_path, monkeypatch, words, status, ignored):
    """A shell starts what runs in its background with SIGINT ignored; the judge hears it all the same."""
    record, output = tmp_path / "games.jsonl", InterruptedAtTheSeed()
    monkeypatch.setattr(sys, "stdout", output)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)
    try:
        assert main([*words, "--record", str(record)]) == status
    finally:
        signal.signal(signal.SIGINT, before)
    assert "seed " in output.getvalue()
    assert not record.exists()


def test_a_signal_while_the_last_one_is_heard_waits_for_no_lock(monkeypatch):
    class HeardTwice(threading.Event):
        def set(self):
            with self._cond:  # as set() itself does
                signal.raise_signal(signal.SIGTERM)
            super().set()

    monkeypatch.setattr(threading, "Event", HeardTwice)
    with stop_event() as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()
