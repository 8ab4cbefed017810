"""`review`: from a record to its marks, with engines of our own and the real bot; stopped, killed and gone on with."""

import json
import random
import signal
import time
import uuid

import pytest

from protocol.records.record import append_record, read_records
from protocol.records.review import read_answers
from tests.contracts.games import GAMES
from tests.judge.helpers.chinese import HAN, in_chinese
from tests.judge.helpers.reviewing import NAME, REVIEW, review, said_of, valuer
from tests.judge.helpers.scripted import PATIENCE_S, command, processes_with, run_judge
from tests.judge.helpers.started import started
from tests.judge.web.view.helpers import samples


@pytest.fixture
def record(tmp_path):
    """A file of a game of each kind, the last of them cut off."""
    path = tmp_path / NAME
    for game in GAMES:
        append_record(path, samples.game_of(game))
    append_record(path, samples.forfeited(samples.game_of("connect_four", seed=2)))
    return path


def last_object(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_review_marks_what_the_answers_say_and_asks_nothing_twice(tmp_path, record):
    log = tmp_path / "log"
    engine = valuer("connect_four", f"--log={log}")
    found = last_object(review(tmp_path, engine, "--numbers", "1,4", "--json"))
    assert [game["game"] for game in found["games"]] == [1, 4]
    whole, cut_off = (read_records(record)[0][number] for number in (0, 3))
    said = said_of(whole)
    for move in found["games"][0]["plies"]:
        value, best = said[move["ply"]]
        assert (move["value"], move["best"]) == (pytest.approx(value, abs=1e-4), best)
        if move["ply"] < len(whole.moves):
            assert move["lost"] == pytest.approx(max(0, value + said[move["ply"] + 1][0]), abs=2e-4)
    assert len(read_answers(tmp_path / REVIEW)[0]) == len(said) + len(said_of(cut_off))
    total = sum(side["moves"] for side in found["players"].values())
    assert total == len(whole.moves) + len(cut_off.moves)
    asked, before = log.read_bytes(), (tmp_path / REVIEW).read_bytes()
    again = review(tmp_path, engine, "--numbers", "1,4", "--json")
    assert last_object(again) == found
    assert f"0 positions; {REVIEW} already has {len(said) + len(said_of(cut_off))} answers" in again.stdout
    assert (log.read_bytes(), (tmp_path / REVIEW).read_bytes()) == (asked, before)


def test_every_mark_stands_in_a_table_and_every_player_in_the_sum(tmp_path, record):
    number = 1 + GAMES.index("dots")
    done = review(tmp_path, valuer("dots"), "--numbers", number, "--json", "--jobs", 2, "--oversubscribe")
    found = last_object(done)
    (played,) = found["games"]
    marked = [move for move in played["plies"] if move["mark"] or move["ply"] == played["last_chance"]]
    table = done.stdout[done.stdout.index("Marked moves") : done.stdout.index("Totals by player")]
    rows = [line.split() for line in table.splitlines() if line.strip()[:1].isdigit()]
    assert [(row[0], row[1], row[2], row[3]) for row in rows] == [
        (str(number), str(move["ply"]), move["side"], move["played"]) for move in marked
    ]
    assert {move["mark"] for move in marked} >= {"mistake", "blunder"}
    for player, total in found["players"].items():
        row = next(line for line in done.stdout.splitlines() if line.strip().startswith(player))
        words = row.strip().removeprefix(player).split()
        assert words[:3] == [str(total[name]) for name in ("moves", "mistakes", "blunders")]


def test_the_real_bot_reviews_every_game(tmp_path, record):
    found = last_object(review(tmp_path, "bot --iterations 200", "--json", "--jobs", 2, "--oversubscribe"))
    records = read_records(record)[0]
    assert [len(game["plies"]) for game in found["games"]] == [len(each.moves) for each in records]
    for game, each in zip(found["games"], records, strict=True):
        assert all(move["value"] is not None and move["lost"] is not None for move in game["plies"])
        assert all(move["best"] in {move["played"], *legal_before(each, move["ply"])} for move in game["plies"])
        assert all(move["pv"][0].startswith(move["best"]) for move in game["plies"])
    assert any(move["proven"] for game in found["games"][:3] for move in game["plies"])


def legal_before(record, ply):
    position = next(position for number, position in samples.positions(record) if number == ply - 1)
    return set(map(str, position.legal_moves()))


def test_another_engines_answers_stand_beside(tmp_path, record):
    words = ("--numbers", 3, "--json")
    first = last_object(review(tmp_path, valuer("dots"), *words))
    lines = read_answers(tmp_path / REVIEW)[0]
    other = last_object(review(tmp_path, valuer("dots", "--delay", 0), *words))
    assert read_answers(tmp_path / REVIEW)[0][: len(lines)] == lines
    assert len(read_answers(tmp_path / REVIEW)[0]) == 2 * len(lines)
    assert first["engine"] != other["engine"]
    assert first["games"] == [{**other["games"][0], "engine": first["games"][0]["engine"]}]
    shown = last_object(run_judge(tmp_path, "review", NAME, *words))  # of two with as many answers the latest
    assert shown == other
    with_limit = last_object(review(tmp_path, valuer("dots"), *words, "--limit", 2))
    assert with_limit["engine"] == {**first["engine"], "limit_s": 2.0}
    assert len(read_answers(tmp_path / REVIEW)[0]) == 3 * len(lines)


def test_the_bounds_are_the_readers(tmp_path, record):
    engine = valuer("dots")
    found = last_object(review(tmp_path, engine, "--numbers", 3, "--json"))
    strict = last_object(review(tmp_path, engine, "--numbers", 3, "--json", "--bound", 0.05, "--chance", -1))
    marks = [{move["ply"] for move in each["games"][0]["plies"] if move["mark"]} for each in (found, strict)]
    assert marks[0] < marks[1]
    assert strict["bounds"] == {"mistake": 0.05, "blunder": 0.1, "chance": -1.0}


def test_a_table_for_pages_says_where_each_game_was_lost(tmp_path, record):
    odd = r"a\|b [x](y) <img>"
    append_record(record, samples.between(samples.game_of("connect_four"), odd, odd))
    done = review(tmp_path, valuer("connect_four"), "--numbers", "1,4,5", "--markdown")
    *_, headings, rule, first, second, third = done.stdout.splitlines()
    assert headings.startswith("| game | plies | loser | last chance | costliest move | mistakes |")
    assert rule == "|" + " --- |" * 9
    whole = read_records(record)[0][0]
    loser = {"A": "B", "B": "A"}[whole.winner]
    assert first.startswith(f"| 1 | {len(whole.moves)} | {loser} {whole.players['AB'.index(loser)].name} | ply ")
    assert second.startswith("| 4 | 8 | B two | - | ply ")  # who crashes has not lost on the board
    assert all(line.count("|") == 10 for line in (headings, rule, first, second))
    assert third == first.replace("| 1 ", "| 5 ", 1).replace(
        whole.players["AB".index(loser)].name, r"a\\\|b \[x\]\(y\) \<img\>", 1
    )


def test_the_page_has_the_reviews_that_stand_beside_its_record(tmp_path, record):
    review(tmp_path, valuer("reversi"), "--numbers", 2)
    done = run_judge(tmp_path, "view", NAME)
    assert (done.returncode, done.stderr) == (0, "")
    with_review = (tmp_path / "games.html").stat().st_size
    (tmp_path / REVIEW).write_text("nonsense\n")
    done = run_judge(tmp_path, "view", NAME)
    assert done.returncode == 0
    assert f"note: the page has no reviews: {REVIEW}, line 1: " in done.stderr
    assert (tmp_path / "games.html").stat().st_size < with_review


def test_damage_is_told_with_its_place_and_what_is_there_stays(tmp_path, record):
    engine = valuer("dots")
    review(tmp_path, engine, "--numbers", 3)
    path = tmp_path / REVIEW
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:4], lines[4].replace(b'"value":', b'"value":"'), *lines[5:]]))
    damaged = path.read_bytes()
    for words in (("--engine", engine), ()):
        done = run_judge(tmp_path, "review", NAME, *words, "--numbers", 3)
        assert done.returncode == 2
        assert f"{REVIEW}, line 5: " in done.stderr and f"sed -i.damaged 5d {REVIEW}" in done.stderr
        assert path.read_bytes() == damaged
    path.write_bytes(b"".join([*lines[:-1], lines[-1][:40]]))
    done = review(tmp_path, engine, "--numbers", 3)
    assert done.returncode == 0
    assert f"note: the last line of {REVIEW} is incomplete" in done.stderr
    assert "will be asked about 1 positions" in done.stdout
    assert (tmp_path / f"{REVIEW}.torn").read_bytes() == lines[-1][:40] + b"\n"
    assert len(read_answers(path)[0]) == len(lines)


BAD_WORDS = (
    (("--engine", command("first_legal")), "does not state the values of positions"),
    (("--engine", "no-such-program"), "player 'no-such-program' cannot start"),
    (("--engine", "bot --no-such-option"), "--no-such-option"),
    (("--numbers", "5"), f"--numbers 5: {NAME} holds 4 games"),
    (("--numbers", "2-1000000000000"), "--numbers 1000000000000: "),
    (("--numbers", "3-1"), "'3-1' is not a list of numbers, expected a list such as 1,3-5"),
    (("--numbers", "0"), "'0' is not a list of numbers"),
    (("--numbers", "x"), "'x' is not a list of numbers"),
    (("--bound", "0"), "'0' is not a number from 0.01 to 2"),
    (("--chance", "nan"), "'nan' is not a number from -1 to 1"),
    (("--jobs", "1000", "--engine", "bot"), "--oversubscribe"),
    (("--jobs", "2"), "--jobs needs --engine"),
    (("--memory-limit", "900"), "--memory-limit needs --engine"),
    (("--keep-writes",), "--keep-writes needs --engine"),
    ((), f"{REVIEW} has no answers about these games: ask an engine about them with --engine PLAYER"),
    (("--json", "--markdown"), "not allowed with"),
)


def test_bad_arguments_are_named(tmp_path, record):
    for words, message in BAD_WORDS:
        done = run_judge(tmp_path, "review", NAME, *words)
        assert (done.returncode, done.stdout.count("Traceback")) == (2, 0), words
        assert message in done.stderr, words
        assert not (tmp_path / REVIEW).exists(), words


def test_games_that_no_engine_can_be_told_of_are_left_out(tmp_path):
    board = {"rows": 9, "cols": 9, "forbidden": None}
    append_record(tmp_path / NAME, samples.game_of("connect_four", board=board))
    done = run_judge(tmp_path, "review", NAME, "--engine", "bot")
    assert done.returncode == 2
    assert "note: game 1 cannot be reviewed: " in done.stderr and "none of these games" in done.stderr
    append_record(tmp_path / NAME, samples.game_of("connect_four"))
    done = review(tmp_path, valuer("connect_four"), "--json")
    assert [game["game"] for game in last_object(done)["games"]] == [2]


def test_an_engine_that_crashes_ends_the_review_and_keeps_what_it_has_said(tmp_path, record):
    engine = valuer("dots", "--crash-at", 5)
    done = review(tmp_path, engine, "--numbers", 3)
    assert done.returncode == 4
    assert "error: the engine failed when it was asked about game 3, ply " in done.stderr
    assert "it ended with status 1; it wrote to stderr: no more of this" in done.stderr
    assert read_answers(tmp_path / REVIEW)[0]


def test_positions_without_a_value_are_told_of_and_asked_for_again(tmp_path, record):
    words = (valuer("dots", "--no-value-at", 5), "--numbers", 3)
    first = review(tmp_path, *words)
    assert first.returncode == 0
    assert "note: the engine gave no value for 1 positions; the same command asks about them again" in first.stderr
    assert "will be asked about 1 positions" in review(tmp_path, *words).stdout


def test_a_review_is_told_in_chinese_and_kept_in_english(tmp_path, record):
    with in_chinese():
        done = review(tmp_path, valuer("dots"), "--numbers", 3, "--json")
    *told, outcome = done.stdout.splitlines()
    for words in ("标出的着法", "各选手合计", "大失误"):
        assert words in "\n".join(told)
    assert not HAN.search(outcome)
    assert not HAN.search((tmp_path / REVIEW).read_text("utf-8"))


@pytest.fixture
def record_of_dots(tmp_path):
    path = tmp_path / NAME
    append_record(path, samples.game_of("dots"))
    return path


def test_two_reviews_of_one_file_exclude_each_other(tmp_path, record_of_dots):
    with kept_open(tmp_path, valuer("dots", "--delay", 1)) as other:
        done = review(tmp_path, valuer("dots"))
        assert done.returncode == 2
        assert f"another review is using {REVIEW}" in done.stderr
        other.send_signal(signal.SIGINT)
        assert other.wait(PATIENCE_S) == 130
        assert "run the same command to continue" in other.stdout.read()


def kept_open(folder, engine, **variables):
    """A review in a process of its own, which has begun to ask."""
    words = ("review", NAME, "--engine", engine, "--sandbox", "off", "--jobs", 2, "--oversubscribe")
    process = started(folder, *words, **variables)
    assert "will be asked about" in process.stdout.readline()
    return process


def test_kills_at_any_moment_lose_nothing_and_repeat_nothing(tmp_path, record_of_dots):
    token, allowed = f"DROPFOUR_TEST={uuid.uuid4().hex}", tmp_path / "allowed"
    engine = valuer("dots", "--delay", 0.06, f"--allowed={allowed}")
    name, _, value = token.partition("=")
    allowed.write_text("8")  # of each process: however late a kill comes, the review is not over
    chance, path, kills = random.Random(), tmp_path / REVIEW, 2
    for kill in range(kills):
        with kept_open(tmp_path, engine, **{name: value}) as process:
            give_up = time.monotonic() + PATIENCE_S
            before = count(path)
            while count(path) <= before and time.monotonic() < give_up:
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.06))
            assert process.poll() is None, kill
            process.kill()
    answered = read_answers(path)[0]
    positions = len(said_of(read_records(record_of_dots)[0][0]))
    assert kills <= len(answered) < positions
    while processes_with(token):  # its keepers end what a killed judge has left
        time.sleep(0.05)
    allowed.write_text("1000")
    assert review(tmp_path, engine).returncode == 0
    lines = read_answers(path)[0]
    assert lines[: len(answered)] == answered
    assert sorted(line.ply for line in lines) == list(range(1, positions + 1))


def count(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0
