"""The record as the state: killed judges, torn lines, and files that do not fit the command."""

import json
import random
import re
import signal
import subprocess
import time
import uuid

import pytest

from judge.games import DEFAULT_GAME
from judge.play.referee import Interrupted
from protocol.records.record import read_records
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    WIDE_LIMIT_S,
    command,
    judge_command,
    judge_environment,
    moves_of,
    processes_with,
    run_judge,
    wait_until,
)
from tests.judge.runs.helpers.at_once import ADA, BOB, AtOnce, outcome_of, run_at_once, told

DELAY = ("--delay", 0.02)  # so that no match is over before its judge is killed


def games_of(path):
    """What was played, by index; fails if a game is in the file twice."""
    games = {}
    for record in read_records(path)[0]:
        index = record.extra["index"]
        assert index not in games
        games[index] = (record.pair, record.board, record.first, record.winner, moves_of(record))
    return games


def lines_of(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def started(folder, words, token="DROPFOUR_TEST="):
    """A judge in a process of its own that has said which seed it plays with."""
    name, _, value = token.partition("=")
    judge = subprocess.Popen(
        judge_command(*words),
        cwd=folder,
        env=judge_environment(**{name: value}),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    for line in judge.stdout:
        if line.startswith("seed "):
            break
    return judge


def start_and_kill(folder, words, path, games, delay_s, token):
    """Start the judge, kill it so many seconds after it has played so many games; returns True if it still ran."""
    before = lines_of(path)
    judge = started(folder, words, token)
    while lines_of(path) < before + games and judge.poll() is None:
        time.sleep(0.01)
    time.sleep(delay_s)
    running = judge.poll() is None
    judge.send_signal(signal.SIGKILL)
    judge.communicate()
    return running


@pytest.mark.parametrize(
    "name, game, kills, games",
    [
        ("match", DEFAULT_GAME, 3, 6),
        pytest.param("match", DEFAULT_GAME, 10, 24, marks=pytest.mark.slow),
        pytest.param("match", "reversi", 3, 10, marks=pytest.mark.slow),
        pytest.param("match", "dots", 3, 10, marks=pytest.mark.slow),
        pytest.param("sprt", DEFAULT_GAME, 3, 40, marks=pytest.mark.slow),
    ],
)
def test_kills_at_any_moment_lose_nothing_and_repeat_nothing(tmp_path, name, game, kills, games):
    """One in three comes after a game that this judge has played, so that there is something to lose."""
    whole, killed = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    players = (
        command("random_mover", "--seed", "{seed}", game=game),
        command("first_legal", *DELAY, game=game),
    )
    hypotheses = ("--elo0", 0, "--elo1", 200) if name == "sprt" else ()
    words = (name, "--game", game, *players, *hypotheses, "--games", games, "--jobs", 2, "--oversubscribe")
    words = (*words, "--seed", 21, "--limit", WIDE_LIMIT_S, "--json")
    token = f"DROPFOUR_TEST={uuid.uuid4().hex}"
    chance = random.Random()  # any moment must do
    moments = [(int(number % 3 == 0), chance.uniform(0.0, 0.3)) for number in range(kills)]
    resumed = (*words, "--record", killed, "--resume")
    for _ in range(5):  # a test that has no core for a while kills too late
        killed.unlink(missing_ok=True)
        ran = [start_and_kill(tmp_path, resumed, killed, *moment, token) for moment in moments]
        before = len(read_records(killed)[0])
        if all(ran) and before < games:
            break
    assert all(ran), moments
    assert 1 <= before < games
    done = run_judge(tmp_path, *resumed)
    assert done.returncode == 0, (done.stderr, moments)
    assert f"resumed: {before} of {games} games are in the record" in done.stdout
    uninterrupted = run_judge(tmp_path, *words, "--record", whole)
    outcome, expected = (told(json.loads(run.stdout.splitlines()[-1])) for run in (done, uninterrupted))
    assert outcome == expected
    played, expected = games_of(killed), games_of(whole)
    counted = range(2 * outcome["pairs"]) if name == "sprt" else range(games)
    assert [played[index] for index in counted] == [expected[index] for index in counted]
    wait_until(lambda: processes_with(token) == [])  # a killed judge's bots notice that their input has ended


def test_two_judges_cannot_write_one_record(tmp_path):
    slow = command("first_legal", *DELAY)
    words = ("match", slow, slow, "--seed", 1, "--games", 100, "--record", tmp_path / "match.jsonl", "--resume")
    judge = started(tmp_path, words)
    refused(run_at_once(tmp_path, *words), "is in use by another judge")
    judge.send_signal(signal.SIGINT)
    judge.communicate(timeout=PATIENCE_S)
    assert list(tmp_path.glob("*.lock")) == []


def refused(done, message):
    """Check that the judge has ended with status 2 and these words before it played."""
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr


MATCH = ("match", ADA, BOB, "--seed", 7, "--limit", 20)
TEST = ("sprt", ADA, BOB, "--seed", 7, "--limit", 20, "--elo0", 0, "--elo1", 400)
UNEVEN = ("sprt", ADA, "./illegal", "--seed", 7, "--limit", 20, "--elo0", 0, "--elo1", 400)


@pytest.mark.parametrize("words", [MATCH, TEST, UNEVEN], ids=["match", "no verdict", "verdict"])
def test_whatever_is_in_the_file_the_run_ends_as_if_it_had_never_been_stopped(tmp_path, words):
    """Games end in any order, and the last line may be torn."""
    words = (*words, "--games", 12)
    outcome, _ = outcome_of(tmp_path, *words, "--record", "whole.jsonl")
    whole = games_of(tmp_path / "whole.jsonl")
    lines = (tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "killed.jsonl"
    chance = random.Random(3)
    for _ in range(8):
        *kept, torn = chance.sample(lines, chance.randrange(1, len(lines)))
        path.write_bytes(b"".join(kept) + torn[: chance.choice((0, len(torn) - 40))])
        play = AtOnce()
        found, said = outcome_of(tmp_path, *words, "--record", "killed.jsonl", "--resume", play=play)
        assert told(found) == told(outcome)
        assert f"resumed: {len(kept)} of 12 games are in the record" in said or not kept
        assert {index: whole.get(index) for index in games_of(path)} == games_of(path) or words[0] == "sprt"
        assert not set(play.played) & {json.loads(line)["extra"]["index"] for line in kept}
    size = path.stat().st_size
    play = AtOnce()
    again, _ = outcome_of(tmp_path, *words, "--record", "killed.jsonl", "--resume", play=play)
    assert (told(again), play.played, path.stat().st_size) == (told(outcome), {}, size)  # nothing more is played


def test_a_run_that_is_stopped_discards_what_is_running_and_goes_on(tmp_path):
    def before(contestants, plan, stop):
        if plan.index == 3:
            stop.set()
            raise Interrupted

    words = (*MATCH, "--games", 6, "--record", "match.jsonl")
    done = run_at_once(tmp_path, *words, play=AtOnce(before=before))
    assert "stopped: 3 of 6 games were played" in done.stdout
    assert "to continue, run the same command with --record match.jsonl --resume\n" in done.stdout
    assert sorted(games_of(tmp_path / "match.jsonl")) == [0, 1, 2]
    assert outcome_of(tmp_path, *words, "--resume")[0]["games"] == 6


@pytest.fixture
def folder(tmp_path):
    """The folder of a match of four games, match.jsonl."""
    assert run_at_once(tmp_path, *MATCH, "--games", 4, "--record", "match.jsonl").returncode == 0
    return tmp_path


def changed(folder, change):
    """Have each game's JSON object in the file altered by change(number, object)."""
    path = folder / "match.jsonl"
    found = [json.loads(line) for line in path.read_text().splitlines()]
    for number, content in enumerate(found):
        change(number, content)
    path.write_text("".join(json.dumps(content) + "\n" for content in found))


def go_on(folder, games, *words, match=MATCH):
    return run_at_once(folder, *match, "--games", games, "--record", "match.jsonl", "--resume", "--json", *words)


def test_a_larger_number_of_games_goes_on(folder):
    before = games_of(folder / "match.jsonl")
    assert json.loads(go_on(folder, 6).stdout.splitlines()[-1])["games"] == 6
    after = games_of(folder / "match.jsonl")
    assert sorted(after) == list(range(6))
    assert {index: after[index] for index in before} == before


def test_games_beyond_a_smaller_number_are_left_alone(folder):
    done = go_on(folder, 2)
    assert json.loads(done.stdout.splitlines()[-1])["games"] == 2
    assert sorted(games_of(folder / "match.jsonl")) == [0, 1, 2, 3]


def test_the_seed_may_be_left_to_the_record(folder):
    done = go_on(folder, 4, match=[word for word in MATCH if word not in ("--seed", 7)])
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert (outcome["games"], outcome["seed"]) == (4, 7)


def as_version_1(number, record):
    """A record of connect four as it was written before there were other games."""
    del record["extra"]["schedule"]["game"], record["extra"]["schedule"]["freeze"]
    record.update(record.pop("board"), record_version=1)
    record["moves"] = [{"column": move["move"], **move} for move in record["moves"]]
    for move in record["moves"]:
        del move["side"], move["move"]


def test_a_record_of_before_there_were_other_games_goes_on_when_converted(folder):
    path = folder / "match.jsonl"
    before = games_of(path)
    changed(folder, as_version_1)
    old = path.rename(folder / "old.jsonl")
    refused = run_at_once(folder, *MATCH, "--games", 6, "--record", old, "--resume")
    told = f"{old}, line 1: record_version: expected 3, got 1; "
    assert refused.returncode == 2 and told in refused.stderr and f" convert {old} NEW.jsonl" in refused.stderr
    assert run_judge(folder, "convert", old, path).returncode == 0
    assert games_of(path) == before
    assert json.loads(go_on(folder, 6).stdout.splitlines()[-1])["games"] == 6
    after = games_of(path)
    assert {index: after[index] for index in before} == before


def test_a_void_game_of_before_is_played_again_and_counts_once(folder):
    def change(number, record):
        if number == 1:
            record.update(termination="VOID", winner=None, at_fault=None)

    changed(folder, change)
    outcome = json.loads(go_on(folder, 4).stdout.splitlines()[-1])
    assert (outcome["games"], sum(outcome["pairs"]["counts"])) == (4, 2)
    assert lines_of(folder / "match.jsonl") == 5


def test_other_conditions_are_refused(folder):
    for words, message in [
        (["--seed", 8], "was played with seed 7, but this command has 8"),
        (["--limit", 2], "was played with limit_s 20.0, but this command has 2.0"),
        (["--memory-limit", 2000], "was played with memory_limit_bytes 1000000000, but this command has 2000000000"),
        (["--free-start"], "was played with free_start False, but this command has True"),
        (["--freeze"], "was played with freeze False, but this command has True"),
        (["--strict-clock"], "was played with strict_clock False, but this command has True"),
        (["--undrained-stderr"], "was played with undrained_stderr False, but this command has True"),
    ]:
        refused(go_on(folder, 6, *words), f"match.jsonl, game 1 {message}")
    assert go_on(folder, 6, "--sandbox", "off").returncode == 0  # which is no condition of the games


def test_another_board_first_mover_or_seed_is_refused(folder):
    original = (folder / "match.jsonl").read_bytes()
    for change in (
        lambda number, record: record["board"].update(forbidden=[1, 1]) if number == 2 else None,
        lambda number, record: record.update(first="B") if number == 0 else None,
        lambda number, record: record.update(pair=7) if number == 1 else None,
        lambda number, record: record.update(seed=9) if number == 1 else None,
    ):
        (folder / "match.jsonl").write_bytes(original)
        changed(folder, change)
        refused(go_on(folder, 6), "has another board, first side or seed than this command would play with")


def test_two_results_of_one_game_are_refused(folder):
    path = folder / "match.jsonl"
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[0])
    refused(go_on(folder, 6), "match.jsonl has two results for game 1 of the run")


def test_a_file_that_exists_is_not_added_to_unasked(folder):
    done = run_at_once(folder, *MATCH, "--games", 4, "--record", "match.jsonl")
    refused(done, "match.jsonl has 4 games already: continue them with --resume")


def test_single_games_cannot_be_resumed(folder):
    original = (folder / "match.jsonl").read_bytes()
    for name in ("schedule", "id", "index", "limit_s", "reason"):
        (folder / "match.jsonl").write_bytes(original)
        changed(folder, lambda number, record: record["extra"].pop(name) if number == 1 else None)  # noqa: B023
        refused(go_on(folder, 4), "game 2 does not belong to a run that can be resumed")


def test_resuming_needs_a_file(tmp_path):
    refused(run_at_once(tmp_path, *MATCH, "--games", 4, "--resume"), "--resume needs --record FILE")


SCRIPT = command("first_legal")
WITH_VERSION = ("match", SCRIPT, SCRIPT, "--seed", 7, "--limit", 20)


@pytest.fixture
def versioned(tmp_path):
    """The folder of a match of two games whose players have versions."""
    assert run_at_once(tmp_path, *WITH_VERSION, "--games", 2, "--record", "match.jsonl").returncode == 0
    return tmp_path


def test_another_player_or_version_is_refused(versioned):
    file = versioned / "match.jsonl"
    version = read_records(file)[0][0].players[0].version
    other = [command("random_mover") if word == SCRIPT else word for word in WITH_VERSION]
    message = (
        f"has the player {SCRIPT} at version {version} as A, but this command has {command('random_mover')} at version "
    )
    refused(go_on(versioned, 4, match=other), message)
    file.write_text(file.read_text().replace(f'"version":"{version}"', '"version":"old"'))
    message = f"has the player {SCRIPT} at version old as A, but this command has {SCRIPT} at version {version}"
    refused(go_on(versioned, 4, match=WITH_VERSION), message)


def test_a_record_without_versions_is_taken_with_one_note(versioned):
    """As they were before players had versions by content."""
    file = versioned / "match.jsonl"
    file.write_text(re.sub('"version":"[0-9a-f]+"', '"version":null', file.read_text()))
    done = go_on(versioned, 4, match=WITH_VERSION)
    assert done.returncode == 0, done.stderr
    (note,) = [line for line in done.stderr.splitlines() if line.startswith("note: match")]
    assert note == (
        f"note: match.jsonl does not say which version of {SCRIPT} has played; "
        "this run assumes that it was the present version"
    )
    assert lines_of(file) == 4


def test_a_match_begun_under_a_presets_old_name_goes_on_under_its_new_one(tmp_path):
    def match(one, other):
        players = (f"bot:{name} --iterations 20" for name in (one, other))
        return ("match", *players, "--seed", 7, "--limit", WIDE_LIMIT_S)

    begun = run_at_once(tmp_path, *match("seed000-v3", "slice1"), "--games", 2, "--record", "match.jsonl")
    assert begun.returncode == 0, begun.stderr
    done = go_on(tmp_path, 4, match=match("uct-proofs", "puct-basic"))
    assert done.returncode == 0, done.stderr
    assert sorted(games_of(tmp_path / "match.jsonl")) == [0, 1, 2, 3]
    refused(go_on(tmp_path, 4, match=match("uct-forced", "puct-basic")), "has the player bot:seed000-v3")
