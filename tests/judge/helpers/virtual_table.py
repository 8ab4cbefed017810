"""Games and checks in no time: scripted players in place of processes, a clock that only waiting moves.

A Player says what it does in answer to its turns: acts of says(), ends() and the like, each so many seconds after the
turn has come. A Table stands for the machine: it plays a game, or has a player checked, by the real referee, turns,
seats and trials, whose pump(), clocks and processes are its own. Limits and moments that are sums of powers of two are
met to the instant.
"""

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

from judge.checks import checks, games, trial
from judge.games import DEFAULT_GAME
from judge.games.reversi.rules import cells_to_play
from judge.play import clock, driver, referee, seat
from judge.play.clock import TurnUsage
from judge.play.sandbox import OFF, Sandbox
from judge.play.scoresheet import GamePlan
from judge.players.players import Contestant
from judge.processes.process import Prints, Recorder, StderrLog
from judge.processes.start import StartUp
from judge.processes.usage import TICK_S
from protocol.games import connect_four, reversi
from tests.judge.helpers.scripted import BOARDS, with_conditions

BEGIN_S = 2.0**20  # far from the real clock of a machine that has just started
NEVER = float("inf")
MOST_LOOKS = 10**6  # more are a loop without end
WAKING = ("say", "end", "close", "log")


@dataclass(frozen=True)
class Act:
    """Something that a process does `after_s` seconds after its turn has come."""

    kind: str
    value: object
    after_s: float


def says(data, after_s=0.25):
    """Write to stdout; data: bytes, or a function from the Turn to them."""
    return Act("say", data, after_s)


def logs(data, after_s=0.25):
    """Write to stderr."""
    return Act("log", data, after_s)


def ends(status=0, after_s=0.25):
    """End, by a signal if the status is negative."""
    return Act("end", status, after_s)


def ends_behind_open_pipes(status=0, after_s=0.25):
    """End, with a child that holds the pipes open: nothing wakes the judge up."""
    return Act("quiet end", status, after_s)


def closes(after_s=0.25):
    """Close stdout."""
    return Act("close", None, after_s)


def holds(number, after_s=0.25):
    """Hold so many bytes of memory."""
    return Act("hold", number, after_s)


def works(does=True, after_s=0.0):
    """Begin to compute, or stop."""
    return Act("work", does, after_s)


def waits_for_a_core(does=True, after_s=0.0):
    """Want a core and have none, or no longer."""
    return Act("wait", does, after_s)


def legal(turn):
    """The first legal cell, as a reply."""
    return turn.reply(turn.cells[0])


class Turn:
    """What a player has been asked: its number from 0, the legal cells, how many columns the board has, the move before
    where the message tells it.
    """

    def __init__(self, number, cells, columns, last, encode):
        self.number, self.cells, self.columns, self.last, self._encode = number, cells, columns, last, encode

    def reply(self, cell):
        """The bytes that name this cell."""
        return self._encode(cell, "saiblo")


@dataclass
class Player:
    """answers: {turn's number: acts}; other turns are answered by `usual`, a function from the Turn to acts.

    starts_s is computed before anything else is done; at_start are acts from the start on, at_end those after the end
    of the input. used(elapsed_s) is what the machine says of a turn. `refused` is raised in place of a start.
    """

    answers: dict = field(default_factory=dict)
    usual: Callable = lambda turn: [says(legal)]
    starts_s: float = 0.0
    at_start: tuple = ()
    at_end: tuple = (ends(0, 0.0),)
    used: Callable = lambda elapsed_s: TurnUsage()
    refused: Exception | None = None
    threads: int = 1
    children: int = 0
    game: str = DEFAULT_GAME


class Process:
    """What Seat, referee and Trial use of a BotProcess."""

    numbers = itertools.count(10**7)
    is_sandboxed = True  # so that its children are asked for here

    def __init__(self, table, launch, marker, sandbox, drain_stderr, memory_limit_bytes):
        self.memory_limit_bytes = memory_limit_bytes
        self.table, self.argv, self.marker = table, launch.argv, marker
        self.player = table.players[launch.argv[0]]
        if self.player.refused is not None:
            raise self.player.refused
        self.pid, self.spawned = next(self.numbers), table.now
        self.sent_at, self.why_not_started = self.spawned, ""
        self.stderr_log, self.prints, self.recorder = StderrLog(), Prints(), Recorder()
        self.start_up = StartUp(self.spawned)
        self.received, self.closed, self.exit_status = [], False, None
        self.drains_stderr, self.peak_rss_bytes, self.held, self.sent = drain_stderr, 0, 0, b""
        self.stdin = SimpleNamespace(close=lambda: self._do(self.player.at_end), closed=False)
        self.frozen = self.has_closed = self.waits_for_a_core = False
        self._cpu_s, self._works_since, self._events, self._order = 0.0, None, [], itertools.count()
        self._pending, self._log, self._end, self._is_quiet = b"", b"", None, False
        self._turns, self._decoder = 0, connect_four.MessageDecoder("saiblo")
        self._ready = self.spawned + self.player.starts_s
        if self.player.starts_s:
            self._do((works(), works(False, self.player.starts_s)), self.spawned)
        self._do(self.player.at_start)
        table.processes.append(self)

    def send(self, data):
        """A message: whatever is a turn in it is answered."""
        self.recorder.sent(data)
        self.sent += data
        self.start_up.written += len(data)
        self.sent_at = self.table.now
        for asked in self._turns_in(data):
            turn = Turn(self._turns, *asked)
            self._turns += 1
            acts = self.player.answers.get(turn.number)
            self._do(self.player.usual(turn) if acts is None else acts, turn=turn)

    def _turns_in(self, data):
        if self.player.game == DEFAULT_GAME:
            self._decoder.feed(data)
            while message := self._decoder.next_message():
                if isinstance(message, connect_four.Turn):
                    cells = [(top - 1, column) for column, top in enumerate(message.tops) if top > 0]
                    yield cells, len(message.tops), message.last, connect_four.encode_reply
        elif self.player.game == "reversi":
            if data.startswith(b"#"):
                side, *digits = (int(digit) for digit in data.strip(b"#").decode())
                size = round(len(digits) ** 0.5)
                owners = [None if digit == 2 else digit for digit in digits]
                board = [owners[start : start + size] for start in range(0, size * size, size)]
                yield cells_to_play(board, side), size, None, reversi.encode_reply
        elif data and b"name?" not in data and b"quit" not in data:
            yield [], None, None, None

    def _do(self, acts, begin_s=None, turn=None):
        began = max(self.table.now, self._ready) if begin_s is None else begin_s
        for act in acts:
            value = act.value(turn) if callable(act.value) else act.value
            self._events.append((began + act.after_s, next(self._order), act.kind, value))
        self._events.sort(key=lambda event: event[:2])

    def happen(self, now):
        """Everything that is to happen until now."""
        while self._events and self._events[0][0] <= now and not self.frozen:
            moment, _, kind, value = self._events.pop(0)
            if self._end is not None:
                continue
            if kind == "say" and not self.has_closed:
                self._pending += value
            elif kind == "log":
                self._log += value
            elif kind == "close":
                self.has_closed = True
            elif kind == "hold":
                self.held = value
            elif kind == "work":
                self._stop_working(moment)
                self._works_since = moment if value else None
            elif kind == "wait":
                self.waits_for_a_core = value
            elif kind in ("end", "quiet end"):
                self._stop_working(moment)
                self._end, self._is_quiet = value, kind == "quiet end"

    def _stop_working(self, moment):
        if self._works_since is not None:
            self._cpu_s += moment - self._works_since
            self._works_since = None

    def wakes_at(self):
        """The next moment at which the judge hears of it."""
        if self._pending or (self.has_closed and not self.closed) or (self._log and self.drains_stderr):
            return self.table.now
        if self._end is not None and self.exit_status is None and not self._is_quiet:
            return self.table.now
        if self.frozen:
            return NEVER
        waking = WAKING if self.drains_stderr else WAKING[:-1]
        return next((moment for moment, _, kind, _ in self._events if kind in waking), NEVER)

    def look(self, now):
        """What pump() does with a process."""
        self.read_stdout(now)
        if self.drains_stderr:
            self.read_stderr()
        if self.start_up.is_watched and self.start_up.written and now >= self._ready:
            self.start_up.is_watched = False
            self.start_up.set_ready(now)
        if self._end is not None and self.exit_status is None:
            self.read_stdout(now)
            self.exit_status, self.closed = self._end, True

    def read_stdout(self, now):
        if self._pending:
            self.recorder.received(now, self._pending)
            self.received.append((now, self._pending))
            self._pending = b""
        elif self.has_closed:
            self.closed = True

    def read_stderr(self):
        self.stderr_log.feed(self._log)
        self._log = b""

    def read_prints(self):
        pass

    def has_ended(self):
        self.happen(self.table.now)
        return self._end is not None

    def sample(self):
        self.happen(self.table.now)
        return self.cpu_s

    @property
    def cpu_s(self):
        return self._cpu_s + (0.0 if self._works_since is None else self.table.now - self._works_since)

    @property
    def is_asleep(self):
        return self._works_since is None and not self.waits_for_a_core

    def memory(self):
        self.happen(self.table.now)
        self.table.spent_s += self.table.look_costs_s
        self.table.looks.append(self.table.now)
        self.peak_rss_bytes = max(self.peak_rss_bytes, self.held)
        return self.held

    def hold_end(self):
        pass

    let_end = hold_end

    def measure_cpu(self, pids):
        return self.sample()

    def bot_pids(self):
        return [self.pid, *(-self.pid - number for number in range(self.player.children))]


class Table:
    """players: {"A": Player, "B": Player}; `now` is the time. sleeps: (from, until) at which the judge does not run.

    `thawed` and `frozen` are (moment, side) of each; own_wait(now): how long the judge's thread has waited for a core.
    spent_s: how long it has run.
    """

    def __init__(self, monkeypatch, **players):
        self.players = {side: players.get(side) or Player() for side in "AB"}
        self.now, self.sleeps, self.processes, self.looks = BEGIN_S, [], [], []
        self.frozen, self.thawed, self.ended = [], [], []
        self.spent_s = self.look_costs_s = 0.0
        self.own_wait = lambda now: 0.0
        self._looks_left = MOST_LOOKS
        for module in (referee, clock, seat, driver, trial, checks, games):
            monkeypatch.setattr(module, "time", self)
        for module in (referee, clock, seat, driver):
            monkeypatch.setattr(module, "pump", self.pump)
        for module in (referee, driver):
            monkeypatch.setattr(module, "end_all", self.end_all)
            monkeypatch.setattr(module, "TurnClock", self.turn_clock)
        asleep = SimpleNamespace(is_asleep=self.is_asleep, is_dead=lambda pid: False, TICK_S=TICK_S)
        for module in (referee, trial):
            monkeypatch.setattr(module, "usage", asleep)
        monkeypatch.setattr(driver, "thread_times", self.thread_times)
        monkeypatch.setattr(clock, "own_wait_s", lambda: self.own_wait(self.now))
        monkeypatch.setattr(seat, "BotProcess", lambda *words: Process(self, *words))
        monkeypatch.setattr(seat, "Freezer", self.freezer)

    def play(self, observer=None, stop=None, events=None, **plan):
        """The GameRecord of a game of A against B; the plan has a limit of 1 s, a free start and no sandbox unless told
        otherwise.
        """
        game = plan.setdefault("game", DEFAULT_GAME)
        for player in self.players.values():
            player.game = game
        plan = {"board": BOARDS[game], "limit_s": 1.0, "seed": 1, "free_start": True, "sandbox": Sandbox(OFF), **plan}
        contestants = [Contestant(side, side) for side in "AB"]
        return referee.play_game(contestants, GamePlan(**with_conditions(**plan)), observer, stop, events)

    def conditions(self, limit_s=1.0, memory_limit_bytes=10**9, **others):
        """Of checks of player A."""
        play = {"limit_s": limit_s, "memory_limit_bytes": memory_limit_bytes, "sandbox": Sandbox(OFF), **others}
        others = with_conditions(**play)
        return trial.CheckConditions(others.pop("conditions"), 1, threading.Event(), self.players["A"].game, **others)

    def monotonic(self):
        return self.now

    def thread_time(self):
        return self.spent_s

    def sleep(self, seconds):
        self.now += seconds
        for process in self.processes:
            process.happen(self.now)

    def pump(self, processes, timeout_s, others=()):
        """As traffic.pump, but that no time passes elsewhere."""
        self._looks_left -= 1
        assert self._looks_left, "the judge looks without end"
        wake = min([self.now + max(0.0, timeout_s), *(process.wakes_at() for process in processes)])
        for begin, end in self.sleeps:
            if begin <= wake < end:
                wake = end
        self.now = max(self.now, wake)
        for process in self.processes:
            process.happen(self.now)
        now = self.now
        for process in processes:
            process.look(now)
        return now

    def end_all(self, processes):
        assert not any(process.frozen for process in processes)
        self.ended += processes
        for process in processes:
            process.read_stderr()
            process.exit_status = -15 if process.exit_status is None else process.exit_status
        return 0

    def process_of(self, pid):
        return next(process for process in self.processes if process.pid == pid)

    def turn_clock(self, process, limit_s, is_new=False):
        began = process.spawned if is_new else self.now
        ran_before_s = 0.0 if is_new else process.sample()
        return SimpleNamespace(
            usage=lambda: process.player.used(self.now - began), due=NEVER, ran_before_s=ran_before_s
        )

    def is_asleep(self, pid):
        return self.process_of(pid).is_asleep

    def thread_times(self, pids):
        pid = next(iter(pids))
        process = self.process_of(pid)
        others = {(pid, number): (0.0, 0.0) for number in range(1, process.player.threads)}
        return {(pid, 0): (process.sample(), 0.0), **others}

    def freezer(self, process):
        side = process.argv[0]

        def freeze():
            if not process.frozen and process.exit_status is None:
                process.frozen = True
                self.frozen.append((self.now, side))

        def thaw():
            if process.frozen:
                process.frozen = False
                self.thawed.append((self.now, side))

        return SimpleNamespace(freeze=freeze, thaw=thaw)
