"""The parts of a session one by one: budgets, the process's start, the log's bounds, the inbox, and which search plays.

Clocks and kernels are the tests' own.
"""

import io
import os
import threading
import time
import types

import pytest

from bot.backends.compiled import KernelsUnavailable
from bot.games import adapter_of
from bot.search.engine import Decision, Engine
from bot.shell import guard as guard_module
from bot.shell.guard import END, Budget, Deadline, Guard, Inbox, process_start
from bot.shell.player import EngineUnavailable, Log, Player
from bot.shell.session import random_seed

ADAPTER = adapter_of("connect_four")
OPEN = ADAPTER.bench_positions()[0]


def test_a_budget_leaves_the_margin_and_half_of_it_to_the_guard():
    budget = Budget(3.0, 0.4)
    assert (budget.soft, budget.hard) == pytest.approx((2.6, 2.8))
    assert (Budget(2.0, 0.5).soft, Budget(2.0, 0.6).soft) == pytest.approx((1.5, 1.5))  # at most a quarter
    assert (Budget(2.0, 0.0).soft, Budget(2.0, 0.0).hard) == (2.0, 2.0)
    deadline = budget.deadline(10.0)
    assert (deadline.started, deadline.soft, deadline.hard) == pytest.approx((10.0, 12.6, 12.8))
    assert [deadline.remaining(now) for now in (10.0, 12.6, 99.0)] == pytest.approx([2.6, 0.0, 0.0])


@pytest.mark.parametrize("limit, margin", [(0.0, 0.1), (-1.0, 0.1), (float("nan"), 0.1), (1.0, -0.1)])
def test_budgets_that_are_none(limit, margin):
    with pytest.raises(ValueError, match="must be"):
        Budget(limit, margin)


def test_seeds_differ_and_fit_56_bits():
    seeds = {random_seed() for _ in range(50)}
    assert len(seeds) == 50 and min(seeds) >= 0 and 1 << 48 < max(seeds) < 1 << 56


@pytest.mark.parametrize(
    "age_s, since_s",
    [(5.0, 5.0), (60.9, 60.9), (61.1, 1.0), (0.5, 1.0)],
    ids=["a while ago", "long ago", "too long ago", "after the first statement"],
)
def test_the_process_began_before_its_first_statement_and_less_than_a_minute(monkeypatch, age_s, since_s):
    """The first statement was a second ago; the system says how old the process is."""
    ticks = 100 * os.sysconf("SC_CLK_TCK")
    stat = b"7 (a name) with)) S " + b" ".join(b"%d" % number for number in range(18)) + b" %d 9" % ticks
    monkeypatch.setattr(guard_module, "open", lambda *words: io.BytesIO(stat), raising=False)
    monkeypatch.setattr(time, "clock_gettime", lambda _clock: 100.0 + age_s)
    monkeypatch.setattr(guard_module, "FIRST_STATEMENT_S", 499.0)
    assert process_start(lambda: 500.0) == pytest.approx(500.0 - since_s)


def test_where_the_system_does_not_say_it_began_with_its_first_statement(monkeypatch):
    def refuse(*words):
        raise PermissionError(13, "refused")

    monkeypatch.setattr(guard_module, "FIRST_STATEMENT_S", 499.0)
    for opened in (refuse, lambda *words: io.BytesIO(b"7 (a) S"), lambda *words: io.BytesIO(b"7 (a) " + b"x " * 30)):
        monkeypatch.setattr(guard_module, "open", opened, raising=False)
        assert process_start(lambda: 500.0) == 499.0


def test_the_log_says_so_much_and_no_more():
    with open(os.memfd_create("stderr"), "w+b") as stderr:
        log = Log(stderr.fileno())
        for _ in range(48):
            log.info("x" * 1023)
        log.info("")
        log.report("two\nlines, and long: " + "y" * 2000)
        for _ in range(100):
            log.report("z" * 990)
        log.report("w" * 50)  # what still fits is said
        stderr.seek(0)
        lines = stderr.read().split(b"\n")
    assert lines[:48] == [b"x" * 1023] * 48  # 48 KB
    said = lines[48:-1]
    assert said[0].startswith(b"dropfour: two | lines, and long: yyy") and len(said[0]) == 10 + 1000
    assert said[1:8] == [b"dropfour: " + b"z" * 990] * 7
    assert said[8:] == [b"dropfour: " + b"w" * 50]
    assert sum(map(len, said)) + len(said) <= 8 * 1024


def test_a_log_that_nobody_reads_is_no_fault():
    reading, writing = os.pipe()
    os.close(reading)
    Log(writing).report("lost")
    os.close(writing)
    Log(writing).info("lost too")


class Lines:
    """A decoder of lines; a blank one says nothing. `ended`: whether the end of the input came."""

    def __init__(self):
        self._data, self.ended = b"", False

    def feed(self, data):
        self._data = (self._data + data).lstrip(b"\n")

    def next_message(self):
        line, found, rest = self._data.partition(b"\n")
        self._data = rest.lstrip(b"\n") if found else self._data
        return line if found else None

    def end(self):
        self.ended = True

    @property
    def partial(self):
        return bool(self._data)


@pytest.fixture
def inbox():
    """An Inbox with send(bytes), close() and its clock's `now`."""
    reading, writing = os.pipe()
    decoder = Lines()
    found = Inbox(decoder, reading, lambda: found.now)
    found.now, found.send, found.close = 1.0, lambda data: os.write(writing, data), lambda: os.close(writing)
    yield found
    os.close(reading)


def test_a_messages_time_is_that_of_its_first_byte(inbox):
    inbox.send(b"one")
    assert inbox.next_message_at_hand() is None and inbox.arrival() == 1.0
    assert inbox.first_read == 1.0 and inbox.has_started_message()
    inbox.now = 2.0
    inbox.send(b"\ntwo\nthr")
    assert inbox.next_message() == (b"one", 1.0)
    assert inbox.next_message_at_hand() == (b"two", 2.0)  # it came with the latest read
    inbox.now = 3.0
    inbox.send(b"ee\n\n")
    assert inbox.next_message() == (b"three", 2.0)
    assert inbox.arrival() is None and not inbox.has_started_message() and not inbox.has_bytes(0)
    inbox.close()
    assert inbox.next_message()[0] is END


def test_what_the_guard_has_seen_counts_from_then(inbox):
    inbox.send(b"one\n")
    for now in (5.0, 6.0):  # noted once
        inbox.now = now
        inbox.note_arrival()
    inbox.now = 7.0
    assert inbox.next_message() == (b"one", 5.0)
    inbox.send(b"\n\n")  # blanks have no time
    assert inbox.next_message_at_hand() is None and inbox.arrival() is None
    assert inbox.first_read == 7.0


def test_bytes_that_come_while_they_are_waited_for_were_not_waiting(inbox, monkeypatch):
    monkeypatch.setattr(inbox, "has_bytes", lambda timeout_s: False)
    inbox.send(b"one\n")
    assert inbox.next_message() == (b"one", 1.0) and inbox.first_read is None


def test_pipes_that_do_not_wait_are_waited_for(inbox):
    os.set_blocking(inbox._descriptor, False)
    threading.Timer(0.1, inbox.send, (b"one\n",)).start()
    assert inbox.next_message() == (b"one", 1.0)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    payload = b"more than a pipe holds" * 20_000
    sender = threading.Thread(target=Guard(inbox, None, None, None, writing).send, args=(payload,))
    sender.start()
    with os.fdopen(reading, "rb") as judge:
        assert judge.read(len(payload)) == payload
    sender.join()
    os.close(writing)


def test_the_end_of_the_input_is_seen_when_all_is_read(inbox):
    inbox.send(b"one\n")
    inbox.close()
    assert not inbox.has_ended()
    assert inbox.next_message() == (b"one", 1.0)
    assert inbox.has_ended() and inbox.has_bytes(0)
    assert inbox.next_message_at_hand()[0] is END and inbox._decoder.ended


class Kernels:
    """Kernels that are what a test says: native or not, ready or not; `asked`: what was asked of them."""

    def __init__(self, native=False, ready=True, available=True, failed=False, fault=None):
        self.native, self.is_ready, self.is_available, self.failed, self.fault = native, ready, available, failed, fault
        self.asked = []

    def may_be_native(self):
        return self.native

    def load_s(self):
        return 0.4

    def ready(self):
        return self.is_ready

    def available(self):
        return self.is_available

    def has_failed_to_compile(self):
        return self.failed

    def start_compiling(self):
        self.asked.append("compile")

    def stop_compiling(self):
        self.asked.append("stop")

    def load(self):
        self.asked.append("load")
        if self.fault is not None:
            raise self.fault
        return types.SimpleNamespace(name="an engine", reason="a reason")

    obtain = load


class Scripted(Engine):
    """An engine that answers with `move`, or raises it."""

    warning = ""

    def __init__(self, move=0, best=None, known=True):
        self.move, self.best, self.known, self.budgets = move, best, known, []

    def knows(self, position):
        return self.known

    def think(self, position, budget_s=None, iterations=None):
        self.budgets.append(iterations if budget_s is None else budget_s)
        if isinstance(self.move, Exception):
            raise self.move
        return Decision(self.move, 0.0, None, None, [self.move], 1, 1, 1, 0.0)

    def best_so_far(self):
        if isinstance(self.best, Exception):
            raise self.best
        return self.best


class Trial:
    """A Player of kernels and an engine; `said`: what it has told, `made`: the engines, `now`: its clock."""

    def __init__(self, kernels, engine=None, **others):
        self.said, self.made, self.now, self.kernels = [], [], 0.0, kernels
        self.engine = engine or Scripted()
        adapter = types.SimpleNamespace(**vars(ADAPTER))
        adapter.make_engine = lambda *words: self.made.append(words) or self.engine
        plain = Decision(9, 0.0, None, None, [9], 0, 0, 1, 0.0)
        adapter.PlainSearch = lambda seed: types.SimpleNamespace(think=lambda *words: plain)
        log = types.SimpleNamespace(report=self.said.append)
        self.player = Player(adapter, "settings", kernels, 300, 7, log, clock=lambda: self.now, **others)

    def think(self, soft=3.0):
        """The column played in a turn: 9 is the plain search's."""
        deadline = Deadline(0.0, soft, soft)
        self.player.prepare(deadline=deadline)
        return self.player.think(OPEN, deadline).move


def test_an_engine_is_loaded_once_and_told_of():
    trial = Trial(Kernels(native=True))
    trial.engine.warning = "a warning"
    trial.player.prepare()
    assert (trial.think(), trial.think()) == (0, 0)
    assert (trial.said, trial.kernels.asked) == (["engine an engine (a reason)", "a warning"], ["load"])
    assert len(trial.made) == 1 and trial.made[0][1:] == ("settings", 300, 7)
    trial.now = 1.0
    trial.think()
    assert trial.engine.budgets == [3.0, 3.0, 2.0]
    trial.player.close()
    assert trial.kernels.asked[-1] == "stop"


def test_an_engine_that_does_not_know_the_position_gives_way_to_another():
    trial = Trial(Kernels(native=True), Scripted(known=False))
    trial.think()
    assert [words[4:] for words in trial.made] == [(), (OPEN,)]


@pytest.mark.parametrize("native", [True, False])
def test_an_engine_is_loaded_in_a_turn_where_it_takes_less_than_two_thirds_of_the_time(native):
    trial = Trial(Kernels(native=native))
    assert trial.think(soft=0.6) == 9 and trial.kernels.asked == []  # 1.5 times what loading takes
    assert trial.think(soft=0.61) == 0 and trial.kernels.asked == ["load"]


def test_numba_compiles_beside_the_game_and_takes_over():
    trial = Trial(Kernels(ready=False))
    assert (trial.think(), trial.think()) == (9, 9)
    assert trial.kernels.asked == ["compile"] * 2  # which begins once
    trial.kernels.is_ready = True
    assert trial.think() == 0
    python = "engine python (numba compiles the kernels beside the game)"
    assert trial.said == [python, "engine an engine (a reason)"]


def test_numba_after_a_native_engine_that_cannot_be_had():
    trial = Trial(Kernels(native=True, ready=False, fault=KernelsUnavailable("not here")))

    def refused_once():
        trial.kernels.native = False
        raise KernelsUnavailable("not here")

    trial.kernels.load = refused_once
    assert trial.think() == 9
    assert trial.said == ["engine python (not here; numba compiles the kernels beside the game)"]


def test_what_fails_to_compile_is_said_once():
    trial = Trial(Kernels(ready=False, failed=True))
    assert (trial.think(), trial.think()) == (9, 9)
    assert len(trial.said) == 1 and trial.said[0].startswith("the kernels could not be compiled: ")
    assert trial.kernels.asked == []


def test_without_numba_the_plain_search_plays():
    trial = Trial(Kernels(ready=False, available=False))
    assert trial.think() == 9 and trial.kernels.asked == [] and trial.said == []
    trial = Trial(None)
    assert trial.think() == 9 and trial.said == ["engine python (asked for)"]
    trial.player.close()


def test_a_patient_player_leaves_numba_alone_until_its_first_turn_is_answered():
    trial = Trial(Kernels(), patient=True)
    trial.player.prepare()
    assert trial.think() == 9 and trial.kernels.asked == []
    assert trial.think() == 0 and trial.kernels.asked == ["load"]
    native = Trial(Kernels(native=True), patient=True)
    assert native.think() == 0


def test_an_engine_that_fails_twice_is_not_tried_again():
    trial = Trial(Kernels(native=True), Scripted(ValueError("no number")))
    assert (trial.think(), trial.think(), trial.think()) == (9, 9, 9)
    trouble = ["engine an engine (a reason)", "engine error: ValueError: no number"]
    assert trial.said[:2] == trouble and trial.kernels.asked == ["load"] * 2
    assert trial.said[-1] == "engine python (the engine has failed)"


def test_an_illegal_move_is_a_failure_too():
    trial = Trial(Kernels(native=True), Scripted(-7))
    assert trial.think() == 9 and "the engine chose -7, which is no legal move" in trial.said
    trial.engine.move = 2
    assert trial.think() == 2


def test_a_move_at_once_is_the_engines_best_or_a_safe_one():
    trial = Trial(Kernels(native=True), Scripted(best=3))
    safe = ADAPTER.safe_move(OPEN)
    assert trial.player.move_now(OPEN) == safe  # before there is an engine
    trial.think()
    for best, move in ((3, 3), (None, safe), (-7, safe), (IndexError("in pieces"), safe)):
        trial.engine.best = best
        assert trial.player.move_now(OPEN) == move, best
    assert trial.said[-1] == "engine error while the guard asked: IndexError: in pieces"


def test_without_a_clock_it_is_the_engine_or_nothing():
    trial = Trial(Kernels())
    with pytest.raises(EngineUnavailable, match="^the engine has not been prepared$"):
        trial.player.think_counted(OPEN, 50)
    trial.player.prepare(compile_here=True)
    assert trial.player.think_counted(OPEN, 50).move == 0 and trial.engine.budgets == [50]
    words = "^the engine cannot be had: "
    with pytest.raises(EngineUnavailable, match=words + "no kernels were asked for$"):
        Trial(None).player.prepare(compile_here=True)
    with pytest.raises(EngineUnavailable, match=words + "KernelsUnavailable: not here$"):
        Trial(Kernels(fault=KernelsUnavailable("not here"))).player.prepare(compile_here=True)
