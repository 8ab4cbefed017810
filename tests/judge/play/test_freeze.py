"""A side that is stopped while the other is to move: what it can do then, what it starts on, how games end."""

import threading

import pytest

from judge.play import referee
from judge.play.observer import EventSink, Observer
from judge.play.referee import Interrupted, play_game
from judge.processes import freezing
from judge.processes.freezing import Freezer
from judge.processes.process import MARKER, BotProcess, end_all
from judge.processes.start import Launch
from judge.processes.usage import thread_times
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    bot,
    plan,
    play_unless_void,
    play_until_offence,
    processes_with,
    replies_of,
    wait_until,
)
from tests.judge.helpers.virtual_table import Player, Table, legal, says, works

DELAY_S = 0.1  # of the opponent, at each of its moves
WATCHED_MOVES = 4
SHORT_LIMIT_S = 0.5
COMPUTED_S = 0.02


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A process stops when it gets a core."""
    monkeypatch.setattr(freezing, "FREEZE_LIMIT_S", PATIENCE_S)


class Watch(EventSink, Observer):
    """Adds up the processor time of A, in seconds, while B is to move, and stops the game after some moves.

    With `waits` B is asked only when A has computed for a moment.
    """

    def __init__(self, waits):
        self.waits = waits
        self.seats = {}
        self.spent_s = 0.0
        self.moves = 0
        self.stop = threading.Event()
        self.marker = None
        self._before = None

    def begun(self, game_id):
        self.marker = game_id

    def process_started(self, seat):
        self.seats[seat.side] = seat

    def thinking(self, side):
        self._before = self._look() if side == "B" else None
        if self._before is not None and self.waits:
            wait_until(lambda: self._look() > self._before + COMPUTED_S)

    def moved(self, side, position, move):
        if side == "B":
            self.spent_s += self._look() - self._before
            self.moves += 1
            if self.moves == WATCHED_MOVES:
                self.stop.set()

    def _look(self):
        return sum(ran_s for ran_s, _ in thread_times(self.seats["A"].bot.bot_pids()).values())


@pytest.mark.parametrize("freeze", [True, False])
def test_only_a_side_that_is_not_stopped_computes_on_the_others_time(freeze, monkeypatch):
    monkeypatch.setattr(referee, "IDLE_CAP_S", 0.2)
    watch = Watch(waits=not freeze)
    players = bot("ponderer"), bot("first_legal", "--delay", DELAY_S)
    with pytest.raises(Interrupted):
        play_game(players, plan(freeze=freeze), watch, watch.stop, watch)
    assert watch.moves == WATCHED_MOVES
    if freeze:
        assert watch.spent_s < 0.03
    assert processes_with(f"{MARKER}={watch.marker}") == []


def test_what_was_stopped_goes_on_and_is_stopped_again():
    process = BotProcess(Launch(("sh", "-c", "while :; do :; done")), "freezing")
    try:
        freezer = Freezer(process)
        for _ in range(2):
            freezer.freeze()
            freezer.freeze()
            assert states_of(process) == {"T"}
            freezer.thaw()
            freezer.thaw()
            assert "T" not in states_of(process)
    finally:
        end_all([process])


@pytest.mark.parametrize("thinks_s, ending", [(0.25, "NORMAL"), (0.75, "TIME_FORFEIT")])
def test_what_it_computes_out_of_turn_is_on_its_next_clock(monkeypatch, thinks_s, ending):
    """It goes on after its reply until it is asked again: while the other thinks and the judge waits for its report."""
    busy = Player(usual=lambda turn: [works(False), says(legal), works(True, 0.25)])
    slow = Player(usual=lambda turn: [says(legal, thinks_s)])
    record = Table(monkeypatch, A=busy, B=slow).play(freeze=True)
    assert record.termination == ending, record.extra


def states_of(process):
    """The states of a bot's processes, as in proc(5)."""
    found = set()
    for pid in process.bot_pids():
        with open(f"/proc/{pid}/stat") as stat:
            found.add(stat.read().rpartition(")")[2].split()[0])
    return found


@pytest.mark.parametrize(
    "mode, ending",
    [("leave_children", "NORMAL"), ("die_leaving_children", "CRASH"), ("stop_itself", "STALL")],
)
def test_endings_keep_their_names(mode, ending):
    limit_s = SHORT_LIMIT_S if ending == "STALL" else 20.0
    offender = bot("misbehave", mode, "--at", 2, "--limit", limit_s)
    record = play_until_offence((bot("first_legal"), offender), plan(limit_s, freeze=True), "B", 2)
    assert record.termination == ending, record.extra
    if ending != "NORMAL":
        assert record.at_fault == "B"
        assert replies_of(record, "B") == 2
    assert processes_with(f"{MARKER}={record.extra['id']}") == []


def test_a_stopped_side_is_woken_to_be_asked_to_end(monkeypatch):
    """B makes the last move; A is stopped then, and has something to say at its end."""
    monkeypatch.setattr("judge.processes.process.TERM_GRACE_S", 60.0)
    record = play_unless_void((bot("ponderer", "--quiet"), bot("first_legal")), plan(freeze=True))
    assert (record.termination, record.winner) == ("NORMAL", "B")
    assert record.extra["A"]["stderr_bytes"] > 0


def test_the_second_mover_starts_on_its_own_clock():
    """Without a free start, as the first mover does."""
    players = bot("first_legal"), bot("first_legal", "--startup", 0.5)
    for _ in range(5):
        record = play_unless_void(players, plan(free_start=False, freeze=True))
        if record.moves[1].cpu_s >= 0.25:  # else the judge had no core between its start and its stop
            break
    assert record.termination == "NORMAL"
    assert record.moves[1].cpu_s >= 0.25
    assert record.moves[1].wall_s >= 0.25
    assert 0.25 <= record.extra["B"]["start_up_s"] <= record.moves[1].wall_s + 1
