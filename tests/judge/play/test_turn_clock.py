"""The mover's clock: what the machine kept from a side is given back, what the side wasted is not."""

import contextlib
import dataclasses
import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from judge.play.clock import MOST_STARTED, TurnClock, TurnUsage, thread_times, tree_times, waits_per_run
from judge.processes import rivals
from judge.processes.delays import own_wait_s
from judge.processes.process import BotProcess, end_all, pump
from tests.judge.helpers.scripted import WIDE_LIMIT_S, bot, plan, play_until_offence, wait_until

BOT = (7, 7)  # process and thread


def test_what_is_given_back():
    for waited_s, ran_s, wall_s, allowance_s in (
        (0.0, 0.1, 1.0, 0.0),  # it slept
        (0.0, 1.0, 1.0, 0.0),  # it burnt
        (0.6, 0.4, 1.0, 0.6),  # it burnt as far as it was let
        (0.6, 0.1, 1.0, 0.6),  # and slept besides
        (0.75, 2.0, 1.0, 0.0),  # eight threads on two cores crowd each other out
        (0.75, 0.8, 1.0, 0.2),  # and are crowded out by others
        (0.3, 0.0, 0.1, 0.1),  # never more than the turn
    ):
        found = TurnUsage(waited_s, ran_s, kept_s=waited_s).allowance_s(wall_s)
        assert found == pytest.approx(allowance_s), (waited_s, ran_s, wall_s)


def test_what_the_judge_waited_is_added_to_what_the_side_did():
    assert TurnUsage(0.25, 0.25, 0.25).allowance_s(1.0, 0.25) == 0.5
    assert TurnUsage(0.25, 0.25, 0.25).allowance_s(1.0, 2.0) == 0.75


def test_a_message_that_the_judge_wrote_late_is_no_fault_of_the_side():
    """Whether others explain it or not; a side that computes too long is given nothing all the same."""
    for used, wall_s, allowance_s in (
        (TurnUsage(), 2.0, 0.75),
        (TurnUsage(0.25, 0.25, 0.25), 2.0, 1.0),
        (TurnUsage(ran_s=0.5), 1.0, 0.5),
        (TurnUsage(ran_s=1.25, limit_s=1.0), 2.0, 0.0),
    ):
        assert used.allowance_s(wall_s, asked_late_s=0.75) == allowance_s, used


def test_nothing_is_given_beyond_what_others_explain():
    assert TurnUsage(9.0, 0.1, 0.5).allowance_s(1.0) == 0.5
    assert TurnUsage(9.0, 0.1).allowance_s(1.0) == 0.0
    assert TurnUsage(9.0, 0.1).allowance_s(1.0, 9.0) == 0.0


def test_nothing_is_given_to_who_has_computed_longer_than_its_limit():
    for ran_s, is_known, allowance_s in ((1.0, True, 0.5), (1.001, True, 0.0), (0.5, False, 0.0)):
        assert TurnUsage(9.0, ran_s, 0.5, 1.0, is_known).allowance_s(2.0) == allowance_s


def test_a_reason_names_no_time_that_is_unknown():
    """The bot hid how long it ran, so that it may have lacked less."""
    used = TurnUsage(0.5, 0.25, 0.5, 1.0)
    assert [used.lacked_s(wall_s) for wall_s in (2.0, 0.5)] == [0.5, 0.25]
    assert dataclasses.replace(used, is_known=False).lacked_s(2.0) == 0.0


def test_who_shares_the_cores_with_others_may_have_to_wait():
    for number, cores, factor in (
        (0, 2, 0.0),
        (1, 2, 0.0),  # one core each
        (2, 2, 1.0),  # three threads on two cores: with an equal share it waits half as long as it runs
        (4, 2, 3.0),
        (3, 4, 0.0),
        (4, 1.5, 7 / 1.5),  # a container's quota
    ):
        assert waits_per_run(number, cores) == pytest.approx(factor), (number, cores)


class Bot:
    """Stands for a bot and for the machine: threads are {(process, thread): (ran, waited)}."""

    def __init__(self, threads, ran_s=0.0):
        self.threads, self.ran_s, self.rivals, self.counts = threads, ran_s, 0, 0
        self.cpu_meter = SimpleNamespace(lost_s=0.0, ended=0)
        self.start_up = SimpleNamespace(is_watched=False)
        self.wanting, self.programs = 0, 0

    def all_pids(self):
        return [BOT[0]]

    def roots(self):
        return {BOT[0]}

    def look_at_cpu(self, pids):
        assert list(pids) == [BOT[0]]
        return self.ran_s

    def read(self, pids):
        assert list(pids) == [BOT[0]]
        return dict(self.threads)

    def count_rivals(self, roots):
        assert roots == {BOT[0]}
        self.counts += 1
        return self.rivals

    def wanting_threads(self, pid):
        assert pid == BOT[0]
        return self.wanting

    def number_in_namespace(self, pid):
        assert pid == BOT[0]
        return self.programs

    def clock(self, limit_s=1.0, is_new=False, cores=1.0):
        given = self.read, self.count_rivals, cores, self.wanting_threads, self.number_in_namespace
        return TurnClock(self, limit_s, is_new, *given)


def test_only_this_turn_counts():
    bot = Bot({BOT: (5.0, 3.0)}, 5.0)
    clock = bot.clock()
    bot.threads, bot.ran_s = {BOT: (5.25, 3.5)}, 5.25
    used = clock.usage()
    assert (used.waited_s, used.ran_s, used.limit_s, used.is_known) == (0.5, 0.25, 1.0, True)


def test_a_new_program_counts_from_its_start():
    used = Bot({BOT: (0.25, 0.5)}, 0.25).clock(is_new=True).usage()
    assert (used.waited_s, used.ran_s) == (0.5, 0.25)


def test_the_longest_wait_counts_of_threads_that_have_ended_too():
    bot = Bot({BOT: (1.0, 1.0)})
    clock = bot.clock()
    bot.threads = {BOT: (1.5, 1.25), (7, 8): (0.5, 2.0), (9, 9): (0.25, 0.0)}
    clock.usage()
    bot.threads = {}
    assert clock.usage().waited_s == 2.0


def test_others_are_looked_at_only_if_the_side_waits():
    bot = Bot({BOT: (1.0, 1.0)})
    clock = bot.clock()
    bot.rivals, bot.threads = 3, {BOT: (1.5, 1.001)}
    assert (clock.usage().kept_s, bot.counts) == (0.0, 0)
    bot.threads = {BOT: (1.5, 2.0)}
    assert (clock.usage().kept_s, bot.counts) == (1.0, 1)


def test_who_gives_the_cores_away_has_not_waited_for_them():
    """A thread waits in proportion to what it runs: here twice as long. The longest such wait counts."""
    bot = Bot({BOT: (0.0, 0.0)})
    clock = bot.clock()
    bot.rivals = 1
    bot.threads = {BOT: (0.5, 0.75), (7, 8): (0.25, 60.0), (7, 9): (0.0, 60.0)}
    assert clock.usage().kept_s == 0.75
    bot.threads = {BOT: (0.5, 9.0), (7, 8): (0.25, 60.0), (7, 9): (0.0, 60.0)}
    assert clock.usage().kept_s == 1.0


def test_the_mean_of_the_looks_counts(monkeypatch):
    monkeypatch.setattr("judge.play.clock.RIVALS_SHARE", 0)
    bot = Bot({BOT: (0.0, 0.0)})
    clock = bot.clock()
    bot.threads = {BOT: (0.25, 60.0)}
    for bot.rivals in (0, 4):
        used = clock.usage()
    assert used.kept_s == 0.25 * waits_per_run(2, 1.0)


def test_processes_whose_time_is_unknown_give_the_clock_away():
    for lost_s, ended, is_known in ((0.02, 4, True), (0.04, 0, False), (0.0, 5, False)):
        bot = Bot({BOT: (0.0, 0.0)})
        bot.cpu_meter.lost_s, bot.cpu_meter.ended = 1.0, 10
        clock = bot.clock()
        bot.cpu_meter.lost_s, bot.cpu_meter.ended = 1.0 + lost_s, 10 + ended
        assert clock.usage().is_known == is_known, (lost_s, ended)


def test_processes_of_its_start_may_end_unseen_if_somebody_waits_for_them():
    """As those of scripts that look for the program. What ends later counts, and time that nobody knows always does."""
    bot = Bot({BOT: (0.0, 0.0)})
    clock, later = bot.clock(is_new=True), bot.clock()
    bot.start_up.is_watched = True
    bot.cpu_meter.lost_s, bot.cpu_meter.ended = 0.02, 30
    assert (clock.usage().is_known, later.usage().is_known) == (True, False)
    bot.start_up.is_watched = False
    bot.cpu_meter.ended = 33
    assert clock.usage().is_known
    bot.cpu_meter.ended = 36
    assert not clock.usage().is_known
    bot.start_up.is_watched, bot.cpu_meter.lost_s = True, 0.04
    assert not clock.usage().is_known


class Starting:
    """A bot that has not read its first message, on a machine whose time a test moves.

    One of its threads has waited for 0.125 s. The others end too soon to be measured.
    """

    def __init__(self, monkeypatch, others):
        self.now = 8.0
        clock_time = SimpleNamespace(monotonic=lambda: self.now, thread_time=lambda: 0.0)
        monkeypatch.setattr("judge.play.clock.time", clock_time)
        self.bot = Bot({BOT: (0.125, 0.125)}, 0.125)
        self.bot.start_up.is_watched, self.bot.rivals, self.bot.cpu_meter.ended = True, others, 1
        self.clock = self.bot.clock(is_new=True)

    def after(self, seconds, wanting=1, at_random=True):
        """The TurnUsage so much later, by a look at a moment of the clock's choice, or else at one of the bot's."""
        self.now += seconds
        self.clock.due = self.now if at_random else self.now + 1.0
        self.bot.wanting = wanting
        return self.clock.usage()


def test_what_a_chain_of_short_processes_waits_is_given_back(monkeypatch):
    for others, wanting, kept_s in (
        (8, 1, 0.875),  # it wanted a core for a second, and had one for 0.125 s
        (8, 0, 0.125),  # it slept: what is known is what one thread has waited
        (2, 1, 0.5),  # of which others explain so much
        (0, 1, 0.0),
    ):
        starting = Starting(monkeypatch, others)
        starting.after(0.5, wanting)
        used = starting.after(0.5, wanting)
        assert (used.waited_s, used.ran_s, used.kept_s) == (0.125, 0.125, kept_s), (others, wanting)


def test_a_bot_of_which_no_process_has_ended_is_no_chain(monkeypatch):
    """All its waits are known. If it sleeps for less than a look takes, it seems to want a core all the time."""
    starting = Starting(monkeypatch, others=8)
    starting.bot.cpu_meter.ended = 0
    assert starting.after(1.0).kept_s == 0.125


def test_a_moment_that_the_bot_may_have_chosen_says_nothing_of_what_it_wants(monkeypatch):
    """Such as that of a byte on its stderr. The time until then counts by the next look."""
    starting = Starting(monkeypatch, others=8)
    assert starting.after(0.5, wanting=1, at_random=False).kept_s == 0.125
    assert starting.after(0.5, wanting=0).kept_s == 0.125
    due = starting.clock.due
    assert starting.now < due
    starting.clock.usage()
    assert starting.clock.due == due


def test_what_a_bot_does_after_its_start_counts_by_its_threads(monkeypatch):
    starting = Starting(monkeypatch, others=8)
    assert starting.after(1.0).kept_s == 0.875
    starting.bot.start_up.is_watched = False
    assert starting.after(1.0).kept_s == 0.875
    starting.bot.threads = {BOT: (0.25, 0.375)}
    assert starting.after(1.0).kept_s == 0.875 + 0.25


def test_a_start_of_very_many_programs_gains_nothing(monkeypatch):
    """Each may be too short to be measured, and nobody may wait for it."""
    starting = Starting(monkeypatch, others=8)
    for programs, is_known in ((60, True), (MOST_STARTED + 1, False), (60, False)):
        starting.bot.programs = programs
        assert starting.after(0.125).is_known == is_known


def test_only_the_turn_that_begins_with_the_process_has_a_start(monkeypatch):
    starting = Starting(monkeypatch, others=8)
    starting.clock = starting.bot.clock()
    starting.bot.threads = {BOT: (0.25, 0.25)}
    assert starting.after(1.0).kept_s == 0.125


def test_the_moments_of_looks_cannot_be_foreseen():
    pauses_s = [clock.due - time.monotonic() for clock in (Bot({}).clock() for _ in range(50))]
    assert len(set(pauses_s)) > 40 and max(pauses_s) < 0.2


def test_files_that_are_none_are_left_out(tmp_path):
    for thread, content in (("1", "1000000000 2000000000 7\n"), ("2", "nonsense"), ("3", None)):
        (tmp_path / "1" / "task" / thread).mkdir(parents=True)
        if content is not None:
            (tmp_path / "1" / "task" / thread / "schedstat").write_text(content)
    assert thread_times([1, 2], str(tmp_path)) == {(1, 1): (pytest.approx(1.0), pytest.approx(2.0))}


needs_schedstat = pytest.mark.skipif(
    not os.path.exists("/proc/self/schedstat"), reason="this system does not count how long threads wait for a core"
)


@needs_schedstat
def test_a_thread_that_has_to_wait_is_seen_to():
    """A bot and another program on one core: each waits while the other runs."""
    core = min(os.sched_getaffinity(0))
    burn = f"import os\nos.sched_setaffinity(0, [{core}])\nprint(flush=True)\nwhile True: pass"
    words = [sys.executable, "-S", "-c", burn]
    process = BotProcess(words, {}, "waiting")
    with subprocess.Popen(words, stdout=subprocess.PIPE) as other:
        try:
            other.stdout.readline()
            wait_until(lambda: pump([process], 0.01) and process.received)
            began, clock = time.monotonic(), TurnClock(process, WIDE_LIMIT_S, cores=1.0)
            used = clock.usage()
            while used.waited_s < 0.05 or not used.kept_s:  # however long that takes
                time.sleep(0.01)
                used = clock.usage()
            assert 0.0 < used.allowance_s(time.monotonic() - began) <= used.kept_s <= used.waited_s
        finally:
            other.kill()
            end_all([process], "waiting")


def test_own_threads_are_no_rivals_but_those_of_others_are(monkeypatch):
    """Also an orphan that a bot has left behind is nobody's rival."""
    burn = "import os, sys\n" + "os.fork()\n" * 2 + "print(flush=True)\nwhile True: pass"
    leave = "import os\nended, end = os.pipe()\nif os.fork(): os._exit(len(os.read(ended, 1)))\nos.setsid()\n"
    orphan = leave + "os.write(end, b'x')\n" + burn
    bots = [BotProcess([sys.executable, "-S", "-c", code], {}, "rivals") for code in (burn, burn, orphan)]
    burners = [bots[0], bots[1]]
    try:
        wait_until(lambda: pump(bots, 0.02) and all(sum(map(len, of_bot(bot))) == 4 for bot in bots))
        own = [len(bot.bot_pids()) for bot in burners]
        assert own == [4, 4]
        with busy_loops(2):
            monkeypatch.setattr(rivals, "FRESH_S", 60.0)  # one look for both

            def are_counted():
                monkeypatch.setattr(rivals, "_latest", rivals._Table())
                both, of_one = rivals.count(set()), rivals.count(burners[0].roots())
                return both - of_one >= 4 and of_one >= 4 + 2

            wait_until(are_counted)  # the loops may not have begun
    finally:
        end_all(bots, "rivals")


def of_bot(process):
    """What it has said."""
    return [data for _, data in process.received]


SHORT = "import time\nend = time.thread_time() + 0.005\nwhile time.thread_time() < end: pass"
CHAIN = f"""import os, sys
for _ in range(20):
    child = os.fork()
    if child == 0:
        exec({SHORT!r})
        os._exit(0)
    os.waitpid(child, 0)
print(flush=True)
sys.stdin.read()"""


@needs_schedstat
def test_a_start_by_many_short_programs_is_seen_to_lack_a_core():
    """All on one core, beside a program that wants it all the time."""
    core = min(os.sched_getaffinity(0))
    pin = f"import os\nos.sched_setaffinity(0, [{core}])\n"
    words = [sys.executable, "-S", "-c", f"{pin}print(flush=True)\nwhile True: pass"]
    with contextlib.ExitStack() as others:
        for _ in range(3):
            other = others.enter_context(subprocess.Popen(words, stdout=subprocess.PIPE))
            others.callback(other.kill)
            other.stdout.readline()
        for _ in range(5):  # where the test itself has no core it cannot look
            process = BotProcess([sys.executable, "-S", "-c", pin + CHAIN], {}, "chain")
            try:
                process.send(b"a message")
                clock = TurnClock(process, 1.0, is_new=True, cores=1.0)
                while not process.received:
                    pump([process], max(0.0, clock.due - time.monotonic()))
                    used = clock.usage()
                wall_s = time.monotonic() - process.spawned
            finally:
                end_all([process], "chain")
            if used.kept_s > used.waited_s:
                break
        assert used.kept_s > used.waited_s
        assert 0.0 < used.allowance_s(wall_s) <= wall_s - used.ran_s


REFILLS = """import os, select, signal
select.select([0], [], [])
os.write(os.open("/proc/self/fd/0", os.O_WRONLY), b"x" * 100)
os.read(0, 9)
print(flush=True)
signal.pause()"""


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs /proc to open a pipe again")
def test_a_bot_that_fills_its_own_input_does_not_seem_to_be_starting():
    process = BotProcess([sys.executable, "-S", "-c", REFILLS], {}, "refills")
    try:
        process.send(b"a message")
        wait_until(lambda: pump([process], 0.01) and process.received)
        pump([process], 0.0)
        assert not process.start_up.is_watched
    finally:
        end_all([process], "refills")


@needs_schedstat
def test_a_thread_knows_what_it_waited_itself():
    before = own_wait_s()
    assert 0.0 <= before <= own_wait_s() < time.monotonic()


@needs_schedstat
def test_a_child_counts_to_the_tree():
    inner = "import time\nprint(flush=True)\ntime.sleep(600)"
    outer = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {inner!r}])"
    program = subprocess.Popen([sys.executable, "-c", outer], stdout=subprocess.PIPE, start_new_session=True)
    try:
        program.stdout.readline()
        assert len({pid for pid, _ in tree_times(program.pid)}) == 2
    finally:
        os.killpg(program.pid, 9)
        program.wait()
        program.stdout.close()


@contextlib.contextmanager
def busy_loops(number):
    """So many processes that want a core all the time."""
    loops = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def played_late(players, plan, at):
    """The record of a game in which A is late at its move number `at`.

    A judge that has no core then sees the reply too late to tell, and has another try.
    """
    for _ in range(5):
        record = play_until_offence(players, plan, "A", at)
        if record.termination != "NORMAL":
            break
    return record


@pytest.mark.parametrize("loops", [0, pytest.param(4, marks=pytest.mark.slow)])
def test_a_bot_that_sleeps_before_it_reads_anything_loses_however_many_programs_start_it(loops):
    limit_s = 1.0
    players = bot("misbehave", "late_to_start", "--limit", limit_s), bot("first_legal")
    with busy_loops(loops):
        record = played_late(players, plan(limit_s, free_start=False), at=0)
    assert (record.termination in ("TIME_FORFEIT", "STALL"), record.at_fault) == (True, "A")


PRETENDING = ("late_pretending_with_workers", "late_pretending_with_unseen_workers", "late_pretending_asleep")


@pytest.mark.parametrize(
    "mode, loops",
    [
        ("late_by_a_lock", 0),
        ("late_by_work", 0),
        pytest.param("late_by_threads", 0, marks=pytest.mark.slow),
        ("late_pretending_with_workers", 0),
        *(pytest.param(mode, loops, marks=pytest.mark.slow) for mode in PRETENDING for loops in (0, 4)),
        *(
            pytest.param(mode, 4, marks=pytest.mark.slow)
            for mode in ("late", "late_by_a_lock", "late_by_work", "late_by_threads")
        ),
    ],
)
def test_a_bot_that_is_late_by_its_own_doing_loses_however_busy_the_machine_is(mode, loops):
    """Nothing is in another's place here: what the machine did not give must not make up for what the bot did.

    Nor is such a game VOID, unless the judge itself had no core.
    """
    limit_s = 1.0 if loops else 0.5
    players = bot("misbehave", mode, "--at", 1, "--limit", limit_s), bot("first_legal")
    with busy_loops(loops):
        record = played_late(players, plan(limit_s), at=1)
    assert (record.termination in ("TIME_FORFEIT", "STALL"), record.at_fault) == (True, "A")
