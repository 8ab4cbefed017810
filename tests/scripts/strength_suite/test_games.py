"""scripts/strength presets and samples: real games of cheap players, exported, stopped, resumed."""

import gzip
import json
import signal
import subprocess
import sys

import pytest

from strength_suite.report import sweeps, tables
from strength_suite.runs import samples, store
from tests.judge.helpers.rightmost_libraries import make_libraries
from tests.scripts.helpers.strength_command import REPOSITORY, info, lines, run, run_script, start, succeed

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


WRONG = [
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
]


def test_what_cannot_be_done_is_named(tmp_path):
    for words, message in WRONG:
        done = run(tmp_path, *words)
        assert done.returncode == 2
        assert message in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_run_of_before_the_presets_new_names_is_found_and_goes_on(tmp_path):
    old, new = "slice1+move_seconds=0.003:seed001+move_seconds=0.003", "puct-basic+move_seconds=0.003:uct-fresh-tree"
    words = ("--games", 2, "--limit", 10, "--jobs", 2, "--oversubscribe")
    succeed(tmp_path, "presets", "--pairs", old, *words)
    name = "match_slice1+move-seconds=0.003_seed001+move-seconds=0.003_10s"
    assert info(tmp_path, name)["asked"]["players"][0] == "slice1+move_seconds=0.003"
    again = ("presets", "--pairs", f"{new}+move_seconds=0.003")
    assert "done already" in succeed(tmp_path, *again, *words, "--resume")
    assert "done already" not in succeed(tmp_path, *again, "--games", 4, *words[2:], "--resume")
    assert info(tmp_path, name)["lines"] == 4
    assert [path.name for path in (tmp_path / "results").glob("*.json")] == [f"{name}.json"]
    succeed(tmp_path, "report")
    assert (
        "| puct-basic+move_seconds=0.003 | uct-fresh-tree+move_seconds=0.003 |" in (tmp_path / "results.md").read_text()
    )


def test_the_report_tells_how_the_machine_was():
    old = {"games": 2}
    assert (tables.machine_state(old), tables.short_of_core(old)) == ("not measured", "not measured")
    idle = {"machine": {"state": "idle"}, "short_of_core": {"A": 0.001, "B": None, "bound": 0.02, "warning": False}}
    assert (tables.machine_state(idle), tables.short_of_core(idle)) == ("idle", "0.1%/-")
    busy = {"machine": {"state": "busy"}, "short_of_core": {"A": 0.021, "B": 0.0, "bound": 0.02, "warning": True}}
    assert (tables.machine_state(busy), tables.short_of_core(busy)) == ("busy", "2.1%/0.0% (!)")
    unknown = {"machine": {"state": None}, "short_of_core": {"A": None, "B": None, "bound": 0.02, "warning": False}}
    assert (tables.machine_state(unknown), tables.short_of_core(unknown)) == ("not measured", "not measured")
