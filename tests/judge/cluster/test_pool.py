"""A run's pairs on workers that are threads of this process: what is sent, what comes back, and what may go wrong."""

import asyncio
import concurrent.futures
import contextlib
import dataclasses
import pickle
import re
import threading
import types
from pathlib import Path

import pytest
from distributed import Reschedule
from distributed.scheduler import KilledWorker
from hypothesis import given
from hypothesis import strategies as st

from judge.cli import playing
from judge.cluster import connection, pool, worker
from judge.cluster.connection import ClusterError
from judge.cluster.payloads import COMMAND, Payload
from judge.cluster.pool import SPARE, Pool
from judge.cluster.worker import PlayersPlugin, WorkerRun, play_pair, scheduled_game, tasks_of
from judge.games import DEFAULT_GAME
from judge.machine.facts import cpu_level
from judge.play.referee import Interrupted
from judge.play.sandbox import Sandbox
from judge.play.scoresheet import Conditions
from judge.players.players import Contestant, PlayerError
from judge.runs.config import ClusterConfig, RunConfig
from judge.runs.schedule import ScheduledGame, paired_games, play_all
from tests.judge.helpers.scripted import PATIENCE_S, moves_of, wait_until
from tests.judge.runs.helpers.at_once import EVERY_TIME, AtOnce

PLAYERS = [Contestant("ada", "./ada"), Contestant("bob", "./bob")]
HOST = "the node"
LOST = KilledWorker("a task", types.SimpleNamespace(address="tcp://a"), 4)


class Workers:
    """In place of a client: a cluster of so many workers, each with its cores. `wrong` is called with a task's future
    before that is handed out, and gives what comes of it.
    """

    def __init__(self, room, cores=(1,), wrong=lambda future: future):
        self.room, self.cores, self.wrong = room, list(cores), wrong
        self.keys, self.plugins, self.cancelled = [], {}, []
        self._threads = concurrent.futures.ThreadPoolExecutor(max(1, len(self.cores)))

    def scheduler_info(self, n_workers):
        assert n_workers == -1  # all of them
        return {"workers": {str(number): {"resources": {"core": core}} for number, core in enumerate(self.cores)}}

    def register_plugin(self, plugin):
        self.plugins[plugin.name] = plugin
        plugin.setup(types.SimpleNamespace(local_directory=str(self.room)))

    def unregister_worker_plugin(self, name):
        asyncio.run(self.plugins.pop(name).teardown(None))

    def submit(self, function, *words, key, resources, pure):
        assert (resources, pure) == ({"core": 1}, False)
        self.keys.append(key)
        return self.wrong(self._threads.submit(function, *words))

    def cancel(self, futures, force):
        self.cancelled += futures


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Have workers play at once, with players that are there: a function from how to nothing."""

    def use(play):
        monkeypatch.setattr(worker, "play_game", play)

    monkeypatch.setattr(worker, "unpack_and_try", lambda payload, room, plan, stop: payload.contestant)
    monkeypatch.setattr(worker.platform, "node", lambda: HOST)
    use(AtOnce())
    return use


def games_of(number):
    return paired_games(PLAYERS, number, RunConfig(Path("games.jsonl"), conditions=Conditions(1.0), seed=7))


def pool_of(workers, is_measured=False):
    return Pool(workers, PLAYERS, [Payload(COMMAND, player) for player in PLAYERS], DEFAULT_GAME, is_measured)


def played(workers, games, stop=None, on_record=None, is_measured=False):
    """The records of these games, as they come."""
    records = []
    with pool_of(workers, is_measured) as found:
        found.play_all(games, stop or threading.Event(), on_record or records.append)
    return records


def told(records):
    return sorted((record.extra["index"], record.extra["attempt"], moves_of(record)) for record in records)


@pytest.mark.parametrize("cores", [(1,), (1, 1, 2)])
def test_the_same_games_are_played_as_here(tmp_path, cores):
    expected = []
    play_all(games_of(7), 1, threading.Event(), expected.append, AtOnce({2: 1}))
    workers = Workers(tmp_path, cores)
    worker.play_game.voids[2] = 1
    records = played(workers, games_of(7))
    assert told(records) == told(expected)
    for record in records:
        assert record.extra["worker"] == {"host": HOST, "cpu_level": cpu_level()}
        assert "machine" not in record.extra
    assert len(set(workers.keys)) == 4  # pairs
    assert workers.plugins == {}


def test_games_that_are_not_known_yet_are_asked_for_again(tmp_path):
    first, second, third = games_of(3)
    assert [index for index, *_ in told(played(Workers(tmp_path), [first, second, None, third]))] == [0, 1, 2]


def test_workers_say_what_their_machine_is_like_if_they_are_to(tmp_path, monkeypatch):
    monkeypatch.setattr(worker, "measure", lambda jobs: types.SimpleNamespace(as_json=lambda: {"jobs": jobs}))
    assert {record.extra["machine"]["jobs"] for record in played(Workers(tmp_path), games_of(3), is_measured=True)} == {
        1
    }


def test_no_more_is_asked_for_than_workers_and_a_few_can_take(tmp_path, at_once):
    asked, ahead = [], []

    def games():
        for game in games_of(20):
            asked.append(game.plan.index)
            yield game

    def before(contestants, plan, stop):
        if not ahead:
            wait_until(lambda: len(asked) >= 2 * (1 + SPARE))
            stop.wait(0.05)
            ahead.append(len(asked))

    at_once(AtOnce(before=before))
    assert len(played(Workers(tmp_path), games())) == 20
    assert ahead == [2 * (1 + SPARE)]


def test_what_runs_is_discarded_once_it_is_to_stop(tmp_path, at_once):
    stop, records = threading.Event(), []

    def before(contestants, plan, stop_of_worker):
        if plan.index >= 2:
            assert stop_of_worker.wait(PATIENCE_S)  # the farewell sets it
            raise Interrupted

    def keep(record):
        records.append(record)
        stop.set()

    at_once(AtOnce(before=before))
    workers = Workers(tmp_path)
    played(workers, games_of(10), stop, keep)
    assert [record.extra["index"] for record in records] == [0]  # its partner comes with it, and is too late
    assert len(workers.cancelled) == SPARE


def failing(error):
    """Every task ends with this error."""

    def wrong(future):
        failed = concurrent.futures.Future()
        failed.set_exception(error)
        return failed

    return wrong


@pytest.mark.parametrize(
    "error, message",
    [
        (
            LOST,
            "--cluster: one pair of games was lost with every worker that played it: Attempted to run task .* on 5 ",
        ),
        (OSError("no route\nto it"), "--cluster: the connection to the scheduler is lost: no route$"),
        (concurrent.futures.CancelledError(), "--cluster: the connection to the scheduler is lost: CancelledError$"),
        (RuntimeError(), "--cluster: the connection to the scheduler is lost: RuntimeError$"),
    ],
)
def test_a_cluster_that_is_lost_is_told(tmp_path, error, message):
    with pytest.raises(ClusterError, match=message):
        played(Workers(tmp_path, wrong=failing(error)), games_of(2))


def test_a_scheduler_that_is_gone_when_it_is_asked_is_told(tmp_path):
    def gone(*_words, **_others):
        raise OSError("gone")

    for name in ("submit", "scheduler_info"):
        workers = Workers(tmp_path)
        setattr(workers, name, gone)
        with pytest.raises(ClusterError, match="the connection to the scheduler is lost: gone"):
            played(workers, games_of(2))
    workers = Workers(tmp_path)
    workers.register_plugin = gone
    with pytest.raises(OSError):
        played(workers, games_of(2))


def test_records_that_are_late_are_waited_for(tmp_path):
    class Late(concurrent.futures.Future):
        asked = 0

        def result(self, timeout=None):
            self.asked += 1
            if self.asked == 1:
                raise asyncio.TimeoutError
            return super().result(timeout)

    late = Late()

    def wrong(future):
        late.set_result(future.result())
        return late

    assert len(played(Workers(tmp_path, wrong=wrong), games_of(2))) == 2
    assert late.asked == 2


@pytest.mark.parametrize("voids, is_lost", [({0, 1, 2}, True), ({0, 1, 3, 4}, False), ({1, 2, 3}, True)])
def test_a_worker_whose_games_come_to_nothing_ends_the_run(tmp_path, at_once, voids, is_lost):
    at_once(AtOnce(dict.fromkeys(voids, EVERY_TIME)))
    lost = pytest.raises(ClusterError, match=f"3 games in a row were VOID on the worker {HOST}: by chance")
    with lost if is_lost else contextlib.nullcontext():
        played(Workers(tmp_path), games_of(6))


def test_a_player_that_cannot_play_there_ends_the_run_with_the_reason(tmp_path, monkeypatch):
    for error, reason in ((PlayerError("no \x1b[2J"), r"no \\x1b\[2J"), (ZeroDivisionError(), "ZeroDivisionError")):

        def unpack_and_try(payload, room, plan, stop, error=error):
            raise error

        monkeypatch.setattr(worker, "unpack_and_try", unpack_and_try)
        with pytest.raises(PlayerError, match=f"the worker {HOST}: {reason}$"):
            played(Workers(tmp_path), games_of(2))


def test_a_player_is_tried_once_on_each_worker(tmp_path, monkeypatch):
    tried = []

    def unpack_and_try(payload, room, plan, stop):
        tried.append((payload.contestant.name, room.parent.name, plan.index))
        return payload.contestant

    monkeypatch.setattr(worker, "unpack_and_try", unpack_and_try)
    played(Workers(tmp_path), games_of(6))
    assert tried == [("ada", "dropfour", 0), ("bob", "dropfour", 0)]


@pytest.fixture
def clock(monkeypatch):
    """A clock of the pool's that a test moves: clock.now."""
    found = types.SimpleNamespace(now=100.0)
    monkeypatch.setattr(pool, "time", types.SimpleNamespace(monotonic=lambda: found.now))
    return found


def test_workers_are_counted_anew_now_and_then(tmp_path, clock, capsys):
    workers = Workers(tmp_path, (1, 2, 0))
    found = pool_of(workers)
    assert found.slots == 3
    workers.cores = []
    assert found.slots == 3
    clock.now += pool.SLOTS_S
    assert found.slots == 0
    clock.now += pool.SLOTS_S
    assert found.slots == 0
    assert capsys.readouterr().err == "--cluster: no worker is left; waiting for another one\n"
    workers.cores = [1]
    clock.now += pool.SLOTS_S
    assert found.slots == 1
    workers.cores = []
    clock.now += pool.NO_WORKER_S
    assert found.slots == 0
    clock.now += 0.1 + pool.SLOTS_S
    with pytest.raises(ClusterError, match="there has been no worker for 600 s"):
        _ = found.slots


def task():
    (found,) = tasks_of(games_of(2), PLAYERS)
    return found


def test_a_worker_without_the_runs_players_or_of_another_version_says_so(tmp_path, monkeypatch):
    said = f"the worker {HOST}: the players of this run could not be unpacked, most likely because the worker has "
    said += "another version of this program: install the same version there, and start the worker again"
    assert play_pair("nobody", task()) == ([], said)
    plugin = PlayersPlugin("other", [], DEFAULT_GAME, False)
    monkeypatch.setattr(worker, "code_version", lambda: "another")
    plugin.setup(types.SimpleNamespace(local_directory=str(tmp_path)))
    assert play_pair("other", task()) == ([], said)


def here(tmp_path):
    return WorkerRun([Payload(COMMAND, player) for player in PLAYERS], DEFAULT_GAME, tmp_path / "room", False)


def test_a_pair_whose_worker_ends_is_for_another(tmp_path, monkeypatch):
    run = here(tmp_path)
    monkeypatch.setitem(worker._runs, "run", run)
    run.stop.set()
    with pytest.raises(Reschedule):
        play_pair("run", task())


def test_a_worker_that_ends_waits_for_its_games_before_it_removes_the_players(tmp_path, at_once):
    run, is_playing, ended = here(tmp_path), threading.Event(), []

    def before(contestants, plan, stop):
        is_playing.set()
        assert stop.wait(PATIENCE_S)
        ended.append((tmp_path / "room").exists())
        raise Interrupted

    def play():
        with contextlib.suppress(Interrupted):
            run.play(task())

    at_once(AtOnce(before=before))
    (tmp_path / "room").mkdir()
    thread = threading.Thread(target=play)
    thread.start()
    assert is_playing.wait(PATIENCE_S)
    asyncio.run(run.close())
    thread.join()
    assert ended == [True]
    assert not (tmp_path / "room").exists()


def test_bots_that_must_have_walls_do_not_play_where_there_is_none(tmp_path):
    asked = types.SimpleNamespace(mode="on", availability=types.SimpleNamespace(program=None, why_not="there is none"))
    with pytest.raises(PlayerError, match="--sandbox on: this machine cannot make sandboxes: there is none"):
        worker._require_sandbox(asked)
    asked.mode = "auto"
    worker._require_sandbox(asked)
    asked.mode, asked.availability.program = "on", "/usr/bin/bwrap"
    worker._require_sandbox(asked)


CONFIG = RunConfig(
    Path("games.jsonl"),
    conditions=Conditions(1.0),
    seed=7,
    jobs=3,
    cluster=ClusterConfig("tcp://127.0.0.1:1", 60.0, "ca", "cert", "key", is_insecure=True),
)


@pytest.mark.parametrize(
    "config, is_measured",
    [
        (CONFIG, True),
        (dataclasses.replace(CONFIG, machine_check=False), False),
        (dataclasses.replace(CONFIG, cluster=ClusterConfig("local:2", 9)), False),
    ],
)
def test_a_run_goes_to_its_cluster(tmp_path, monkeypatch, capsys, config, is_measured):
    workers, asked, plugins = Workers(tmp_path, (1, 1)), [], []

    @contextlib.contextmanager
    def connected(*wanted):
        asked.append(wanted)
        yield workers

    monkeypatch.setattr(connection, "connected", connected)
    players = [dataclasses.replace(player, command="true") for player in PLAYERS]
    records = []
    with playing._function_that_plays(config, players, None) as play:
        plugins += workers.plugins.values()
        play(paired_games(players, 2, config), stop=threading.Event(), on_record=records.append)
    assert asked == [(config.cluster, 3)]
    assert [plugin.is_measured for plugin in plugins] == [is_measured]
    assert len(records) == 2
    assert capsys.readouterr().out == "cluster: 2 games at a time\n"


@pytest.mark.parametrize("has_file", [True, False])
def test_what_ends_a_run_on_a_cluster_says_how_it_goes_on(tmp_path, monkeypatch, has_file):
    @contextlib.contextmanager
    def connected(config, jobs):
        raise ClusterError("it is not there")
        yield

    monkeypatch.setattr(connection, "connected", connected)
    path = tmp_path / "games.jsonl"
    if has_file:
        path.touch()
    advice = f"; to continue, run the same command with --record {path} --resume" if has_file else ""
    with (
        pytest.raises(PlayerError, match=f"^it is not there{re.escape(advice)}$"),
        playing._function_that_plays(dataclasses.replace(CONFIG, record=path), [], None),
    ):
        pass


THREE = [*PLAYERS, Contestant("cyd", "./cyd")]
SANDBOX = Sandbox("auto", ("record.jsonl",))


def whole(number):
    """The games of so many pairs."""
    return list(
        paired_games(
            PLAYERS, 2 * number, RunConfig(Path("games.jsonl"), conditions=Conditions(1.0, sandbox=SANDBOX), seed=7)
        )
    )


@given(st.integers(0, 6).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, max(0, 2 * n - 1))))))
def test_what_is_left_of_a_pair_is_one_errand(drawn):
    number, left_out = drawn
    games = [game for game in whole(number) if game.plan.index not in left_out]
    tasks = list(tasks_of(games, THREE))
    assert [game.plan.index for task in tasks for game in task.games] == [game.plan.index for game in games]
    pairs = [{game.plan.pair for game in task.games} for task in tasks]
    assert all(len(pair) == 1 for pair in pairs)
    assert len({pair.pop() for pair in pairs}) == len(tasks)
    assert all(len(task.games) <= 2 for task in tasks)


def test_a_game_that_is_not_known_yet_holds_no_pair_back():
    first, second, third, fourth = whole(2)
    found = list(tasks_of([first, second, None, third, None, fourth], THREE))
    indexes = [None if task is None else [game.plan.index for game in task.games] for task in found]
    assert indexes == [[0, 1], None, [2], None, [3]]


def test_an_errand_is_asked_for_as_late_as_it_can_be():
    """Of a pair that is whole nothing further is asked: who plays next may depend on it."""
    asked = []

    def games():
        for game in whole(3):
            asked.append(game.plan.index)
            yield game

    tasks = tasks_of(games(), THREE)
    next(tasks)
    assert asked == [0, 1]


def test_an_errand_travels_and_is_the_same_game_there():
    game = whole(1)[1]
    game = ScheduledGame(game.contestants, game.plan, attempts=2)
    (task,) = pickle.loads(pickle.dumps(list(tasks_of([game], THREE))))
    (found,) = task.games
    assert found.plan.conditions.sandbox == Sandbox("auto", protected=("record.jsonl",))  # it may be on this machine
    there = {number: Contestant(name, f"there/{name}") for number, name in enumerate(("one", "two", "three"))}
    ready = scheduled_game(found, there)
    assert ready.contestants == [there[0], there[1]] and ready.attempts == 2
    assert dataclasses.replace(ready.plan, conditions=game.plan.conditions) == game.plan
