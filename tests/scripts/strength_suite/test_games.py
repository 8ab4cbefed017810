"""scripts/strength presets and samples: real games of cheap players, exported, stopped, resumed."""

import gzip
import json
import os
import re
import signal
import stat
import subprocess
import sys

import pytest

from strength_suite.report import sweeps, tables
from strength_suite.runs import samples, store
from tests.judge.helpers.rightmost_libraries import make_libraries
from tests.scripts.helpers.strength_command import ENVIRONMENT, REPOSITORY, info, lines, run, run_script, start, succeed

CHEAP = "bot --iterations 200"


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """A folder with the strategy libraries 2.so and 10.so."""
    folder = tmp_path_factory.mktemp("some samples")
    make_libraries(folder)
    return folder


def replayed(path):
    """What the judge says of a record file's last game."""
    done = subprocess.run(
        [sys.executable, "-m", "judge", "replay", path],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_it_is_an_executable_shell_script():
    path = REPOSITORY / "scripts" / "strength"
    assert path.stat().st_mode & stat.S_IXUSR
    assert path.read_text("utf-8").startswith("#!/bin/sh\n")


def test_it_runs_through_a_symlink_beside_files_of_the_packages_names(tmp_path):
    for name in ("bot.py", "strength_suite.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong one')\n")
    (tmp_path / "a link").symlink_to(REPOSITORY / "scripts" / "strength")
    done = subprocess.run(
        [tmp_path / "a link", "--help"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for name in ("presets", "samples", "engines", "positions", "make-positions", "solver", "report"):
        assert f"    {name}" in done.stdout


@pytest.mark.parametrize(
    "words, message",
    [
        ((), "the following arguments are required: COMMAND"),
        (("presets", "--pairs", "puct-basic"), "--pairs: expected A:B, two presets, got 'puct-basic'"),
        (("presets", "--pairs", "puct-basic:nobody"), "preset 'nobody': unknown; expected one of"),
        (("presets", "--pairs", "default:default+exploration=x"), "setting exploration: expected a number"),
        (("presets", "--games", "0"), "expected a whole number of 1 or more, got '0'"),
        (("presets", "--limit", "-1"), "expected a number of seconds above 0, got '-1'"),
        (("samples", "nowhere"), "nowhere is no folder"),
        (("samples", "."), "holds no strategy library"),
        (("positions", "--suite", "nothing.jsonl"), "nothing.jsonl: there is no such file"),
        (("positions", "--budgets", "1,x"), "expected a number of seconds above 0, got 'x'"),
        (("solver", "all"), "invalid choice: 'all' (choose from"),
        (("solver", "random", "--plies", "9-4"), "expected LEAST-MOST, at most 40, such as 11-14, got '9-4'"),
        (("solver", "endgames", "--games", "nothing.jsonl"), "nothing.jsonl cannot be read"),
        (("make-positions", "--suite", "s.jsonl"), "no finished game in no file at all"),
    ],
)
def test_what_cannot_be_done_is_named(tmp_path, words, message):
    done = run(tmp_path, *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_presets_play_are_exported_and_can_be_replayed(tmp_path):
    pair = "puct-basic+move_seconds=0.003:default+exploration=2+move_seconds=0.003"
    words = ("presets", "--pairs", pair, "--games", 2, "--limit", 10, "--jobs", 2, "--oversubscribe")
    succeed(tmp_path, *words)
    name = "match_puct-basic+move-seconds=0.003_default+exploration=2+move-seconds=0.003_10s"
    record = tmp_path / "work" / f"{name}.jsonl"
    packed = (tmp_path / "results" / f"{name}.jsonl.gz").read_bytes()
    kept = [json.loads(line) for line in gzip.decompress(packed).splitlines()]
    whole = lines(record)
    assert whole[0]["moves"][-1]["report"]["depth"] > 0
    for game in whole:
        for move in game["moves"]:
            move["report"] = None
    assert kept == whole
    assert packed == store.compressed(gzip.decompress(packed))
    found = info(tmp_path, name)
    games = lines(record)
    assert [player["command"] for player in games[0]["players"]] == [
        "bot:puct-basic --set move_seconds=0.003",
        "bot:default --set exploration=2 --set move_seconds=0.003",
    ]
    assert (found["complete"], found["lines"], found["summary"]["games"]) == (True, 2, 2)
    assert found["summary"]["wins"] == sum(game["winner"] == "A" for game in games)
    assert found["revision"] == games[0]["players"][0]["version"]
    assert str(tmp_path) not in (tmp_path / "results" / f"{name}.json").read_text()
    (tmp_path / "unpacked.jsonl").write_bytes(gzip.decompress(packed))
    assert "The rules agree with the record." in replayed(tmp_path / "unpacked.jsonl")

    again = run(tmp_path, *words)
    assert again.returncode == 2
    assert "holds games already: --resume continues" in again.stderr
    assert "done already" in succeed(tmp_path, *words, "--resume")
    more = succeed(tmp_path, *words[:4], 4, *words[5:], "--resume")
    assert "done already" not in more
    assert info(tmp_path, name)["lines"] == 4
    assert lines(record)[:2] == games


def test_every_players_meeting_with_every_other_makes_a_cross_table(tmp_path):
    """Of another game than the default one, and with a match at another limit beside them."""
    names = ("alphabeta-discs+depth=1", "alphabeta-mobility+depth=1", "random")
    pairs = ",".join(f"{names[a]}:{names[b]}" for a, b in ((0, 1), (0, 2), (1, 2)))
    words = ("presets", "--game", "reversi", "--games", 2, "--jobs", 2, "--oversubscribe")
    succeed(tmp_path, *words, "--limit", 10, "--pairs", pairs)
    succeed(tmp_path, *words, "--limit", 9, "--pairs", f"{names[0]}:{names[1]}")
    found = info(tmp_path, f"match_reversi_{names[0]}_{names[1]}_10s")
    assert (found["asked"]["game"], found["complete"], found["lines"]) == ("reversi", True, 2)
    (record,) = (tmp_path / "work").glob(f"*{names[0]}_{names[1]}_10s.jsonl")
    assert [player["command"] for player in lines(record)[0]["players"]] == [
        "bot:alphabeta-discs --set depth=1",
        "bot:alphabeta-mobility --set depth=1",
    ]
    succeed(tmp_path, "report")
    report = (tmp_path / "results.md").read_text("utf-8")
    assert "### Reversi\n" in report
    assert "### Connect four" not in report
    assert report.count("against each other (column)") == 1
    assert f"|  | {names[0]} | {names[1]} | {names[2]} |" in report
    wins, draws = found["summary"]["wins"], found["summary"]["draws"]
    assert f"| {names[0]} |  | {(wins + draws / 2) / 2:.1%} |" in report


def test_other_programs_are_met_where_they_lie(tmp_path):
    """The judge starts them in their folder, which keeps its path out of the records."""
    engines = REPOSITORY / "tests" / "engines"
    command = "python3 first_legal.py --game reversi"
    words = ("engines", engines, command, "--game", "reversi", "--games", 2, "--limit", 10)
    words += ("--jobs", 2, "--oversubscribe")
    succeed(tmp_path, *words, "--player", "bot:alphabeta-combined --set depth=2")
    (name,) = (path.stem for path in (tmp_path / "results").glob("*.json"))
    found = info(tmp_path, name)
    assert found["asked"]["players"] == ["bot:alphabeta-combined --set depth=2", command]
    assert (found["complete"], found["summary"]["games"]) == (True, 2)
    record = (tmp_path / "work" / f"{name}.jsonl").read_text("ascii")
    assert command in record
    assert str(REPOSITORY) not in record

    (tmp_path / "dots").mkdir()
    command = "python3 first_legal.py --game dots"
    words = ("engines", engines, command, "--game", "dots", "--games", 2, "--limit", 10, "--opening-plies", 0)
    succeed(tmp_path / "dots", *words, "--player", "bot:random")
    (path,) = (tmp_path / "dots" / "work").glob("*.jsonl")
    assert all(game["board"]["opening"] == [] for game in lines(path))

    done = run(tmp_path, "engines", tmp_path / "nowhere", "./engine")
    assert done.returncode == 2
    assert "nowhere is no folder, expected the one that the commands start from" in done.stderr


def test_samples_are_met_without_a_path_in_the_records(tmp_path, libraries):
    words = (
        "samples",
        libraries,
        "--players",
        f"{CHEAP},bot:puct-basic --iterations 100",
        "--free-start",
        "--jobs",
        2,
        "--oversubscribe",
    )
    succeed(tmp_path, *words, "--limit", 30)
    name = "batch_bot-iterations-200_all_30s"
    found = info(tmp_path, name)
    assert found["asked"]["opponents"] == ["2.so", "10.so"]
    assert [one["name"] for one in found["summary"]["opponents"]] == ["2.so", "10.so"]
    assert (found["complete"], found["summary"]["judged"], found["summary"]["wins"]) == (True, 4, 4)
    assert info(tmp_path, "batch_bot-puct-basic-iterations-100_all_30s")["summary"]["judged"] == 4
    kept = b"".join(path.read_bytes() for path in (tmp_path / "results").glob("*.json"))
    kept += b"".join(path.read_bytes() for path in (tmp_path / "work").glob("*.jsonl"))
    assert os.fsencode(libraries.parent) not in kept
    assert b"lib:10.so" in kept

    succeed(tmp_path, *words[:2], "--players", CHEAP, "--only", "10.so", "--free-start", "--limit", 20)
    assert info(tmp_path, "batch_bot-iterations-200_10_20s")["asked"]["opponents"] == ["10.so"]
    succeed(tmp_path, "report")
    report = (tmp_path / "results.md").read_text("utf-8")
    measured = "(idle|busy) [|] [0-9.]+%/[0-9.]+%( [(]![)])?"
    for row in (f"{CHEAP} | 2.so, 10.so | 30 | 4 | 4", f"{CHEAP} | 10.so | 20 | 2 | 2"):
        assert re.search(re.escape(f"| {row} | 0 | 0 | 100.0% | 0 | 0 | ") + measured + r" [|]  [|]\n", report)
    assert "| 10.so | 2-0-0 | 2-0-0 |" in report
    assert "Not won" not in report


def test_a_stopped_batch_is_exported_as_far_as_it_came_and_goes_on(tmp_path, libraries):
    words = ("samples", libraries, "--players", CHEAP, "--rounds", 2, "--free-start", "--limit", 30)
    name = "batch_bot-iterations-200_all_30s"
    process = start(tmp_path, *words)
    for line in process.stderr:
        if line.startswith("2/8 games"):
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "the same command with --resume goes on" in errors
    stopped = info(tmp_path, name)
    assert not stopped["complete"]
    assert 2 <= stopped["lines"] == stopped["summary"]["judged"] < 8
    before = lines(tmp_path / "work" / f"{name}.jsonl")
    succeed(tmp_path, *words, "--resume")
    after = lines(tmp_path / "work" / f"{name}.jsonl")
    assert after[: len(before)] == before
    assert sorted(game["extra"]["index"] for game in after) == list(range(8))
    assert info(tmp_path, name)["complete"]


def test_what_the_judge_refuses_ends_the_run(tmp_path, libraries):
    done = run_script(tmp_path, "samples", libraries, "--players", "bot:nobody")
    assert done.returncode == 2
    assert "preset 'nobody': unknown" in done.stderr
    assert "the judge refused batch_bot-nobody_all_3s, see above" in done.stderr


@pytest.mark.parametrize(
    "words, message",
    [
        (("--only", "7.so"), "has no 7.so"),
        (("--players", "python x.py"), "player 'python x.py': expected bot, bot:PRESET or bot@REVISION"),
        (("--players", "bot@HEAD", "--revision", "HEAD"), "names a revision, and --revision another"),
    ],
)
def test_bad_players_and_libraries_are_named(tmp_path, libraries, words, message):
    done = run(tmp_path, "samples", libraries, *words)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_lost_game_is_named_in_the_report():
    game = {
        "game": 7,
        "opponent": "100.so",
        "first": "B",
        "plies": 44,
        "termination": "TIME_FORFEIT",
        "at_fault": "A",
    }
    found = {"name": "batch_bot_all_3s", "summary": {"lost": [game], "drawn": []}}
    (line,) = tables.samples_not_beaten(found)
    assert line == (
        "* lost against 100.so, moving second, 44 plies, TIME_FORFEIT by the player "
        "(game 7 of `batch_bot_all_3s.jsonl.gz`)"
    )


def _match(player, opponent, wins, draws, losses):
    summary = {"wins": wins, "draws": draws, "losses": losses}
    return {"asked": {"players": [player, opponent], "limit_s": 0.3}, "summary": summary}


def test_a_setting_at_several_values_is_drawn_in_their_order():
    infos = [_match("amaf+alpha=0.5", "uct", 6, 0, 4), _match("amaf+alpha=0", "uct", 4, 2, 4)]
    infos += [_match("amaf+alpha=1", "other", 0, 0, 10), _match("amaf", "uct", 0, 0, 10)]
    infos += [_match("amaf+engine=random", "uct", 0, 0, 10)]
    assert sweeps.plots(infos) == []
    (plot,) = sweeps.plots([*infos, _match("amaf+alpha=0.25", "uct", 7, 1, 2)])
    assert '  title "amaf against uct, 0.3 s a move"' in plot
    assert '  x-axis "alpha" [0, 0.25, 0.5]' in plot
    assert "  line [50.0, 75.0, 60.0]" in plot


def test_libraries_come_in_natural_order(tmp_path):
    for name in ("10.so", "2.so", "x.so", "2.c"):
        (tmp_path / name).touch()
    assert samples.libraries(tmp_path, None) == ["2.so", "10.so", "x.so"]
    assert samples.libraries(tmp_path, ["x.so", "10.so"]) == ["10.so", "x.so"]
