"""scripts/measure strength match, presets and batch: real games of cheap players, kept, stopped, resumed."""

import gzip
import json
import signal

import pytest

from measurement import report
from measurement.kept import RESULTS
from measurement.strength import summary_of
from protocol.records.record import GameRecord
from tests.judge.helpers.rightmost_libraries import make_libraries
from tests.scripts.helpers.strength_command import REPOSITORY, info, lines, run, start, succeed

CHEAP = "bot --iterations 200"


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """A folder with the strategy libraries 2.so and 10.so."""
    folder = tmp_path_factory.mktemp("some samples")
    make_libraries(folder)
    return folder


WRONG = [
    (("presets", "puct-basic"), "expected A:B, two presets, got 'puct-basic'"),
    (("presets", "puct-basic:nobody"), "preset 'nobody': unknown; expected one of"),
    (("presets", "default:default+exploration=x"), "setting exploration: expected a number"),
    (("match", CHEAP, CHEAP, "--games", "0"), "expected a whole number of 1 or more, got '0'"),
    (("match", CHEAP, CHEAP, "--limit", "-1"), "expected a number of seconds above 0, got '-1'"),
    (("match", CHEAP, "bot:nobody"), "the judge refused match_bot-iterations-200_bot-nobody_1s, see above"),
    (("batch", CHEAP, "--against", "nowhere.so"), "the judge refused batch_bot-iterations-200_nowhere_3s, see above"),
    (("positions", "--suite", "nothing.jsonl"), "nothing.jsonl is no file of positions"),
    (("positions", "--budgets", "1,x"), "expected a number of seconds above 0, got 'x'"),
    (("solver-random", "--plies", "9-4"), "expected LEAST-MOST, at most 40, such as 11-14, got '9-4'"),
    (("solver-endgames", "--games", "nothing.jsonl"), "nothing.jsonl cannot be read"),
]


def test_what_cannot_be_done_is_named(tmp_path):
    for words, message in WRONG:
        done = run(tmp_path, *words)
        assert done.returncode == 2, words
        assert message in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_presets_play_are_kept_and_can_be_replayed(tmp_path):
    pair = "puct-basic+move_seconds=0.003:default+exploration=2+move_seconds=0.003"
    words = ("presets", pair, "--limit", 10, "--jobs", 2, "--oversubscribe", "--games")
    succeed(tmp_path, *words, 2)
    name = "match_puct-basic+move-seconds=0.003_default+exploration=2+move-seconds=0.003_10s"
    record = tmp_path / "work" / f"{name}.jsonl"
    packed = (tmp_path / "results" / f"{name}.jsonl.gz").read_bytes()
    kept = [json.loads(line) for line in gzip.decompress(packed).splitlines()]
    games = lines(record)
    whole = lines(record)
    assert whole[0]["moves"][-1]["report"]["depth"] > 0
    for game in whole:
        for move in game["moves"]:
            move["report"] = None
    assert kept == whole
    assert packed == gzip.compress(gzip.decompress(packed), mtime=0)
    found = info(tmp_path, name)
    assert [player["command"] for player in games[0]["players"]] == [
        "bot:puct-basic --set move_seconds=0.003",
        "bot:default --set exploration=2 --set move_seconds=0.003",
    ]
    assert (found["complete"], found["lines"], found["summary"]["games"]) == (True, 2, 2)
    assert found["summary"]["wins"] == sum(game["winner"] == "A" for game in games)
    assert found["revision"] == games[0]["players"][0]["version"]
    assert found["command"].startswith("scripts/measure strength presets puct-basic")
    assert str(tmp_path) not in (tmp_path / "results" / f"{name}.json").read_text()

    again = run(tmp_path, *words, 2)
    assert again.returncode == 2
    assert "is there already: --resume continues" in again.stderr
    assert "done already" in succeed(tmp_path, *words, 2, "--resume")
    assert "done already" not in succeed(tmp_path, *words, 4, "--resume")
    assert info(tmp_path, name)["lines"] == 4
    assert lines(record)[:2] == games


@pytest.mark.slow
def test_every_players_meeting_with_every_other_makes_a_cross_table(tmp_path):
    """Of another game than the default one, and with a match at another limit beside them."""
    names = ("alphabeta-discs+depth=1", "alphabeta-mobility+depth=1", "random")
    pairs = [f"{names[a]}:{names[b]}" for a, b in ((0, 1), (0, 2), (1, 2))]
    words = ("--game", "reversi", "--games", 2, "--jobs", 2, "--oversubscribe")
    succeed(tmp_path, "presets", *pairs, *words, "--limit", 10)
    succeed(tmp_path, "presets", pairs[0], *words, "--limit", 9)
    found = info(tmp_path, f"match_reversi_{names[0]}_{names[1]}_10s")
    assert (found["asked"]["game"], found["complete"], found["lines"]) == ("reversi", True, 2)
    succeed(tmp_path, "report")
    shown = (tmp_path / "results.md").read_text("utf-8")
    assert "### Reversi\n" in shown
    assert "### Connect four" not in shown
    assert shown.count("against each other (column)") == 1
    assert f"|  | {names[0]} | {names[1]} | {names[2]} |" in shown
    wins, draws = found["summary"]["wins"], found["summary"]["draws"]
    assert f"| {names[0]} |  | {(wins + draws / 2) / 2:.1%} |" in shown


@pytest.mark.slow
def test_a_stopped_batch_is_kept_as_far_as_it_came_and_goes_on(tmp_path, libraries):
    words = ("batch", CHEAP, "--against", libraries, "--rounds", 2, "--free-start", "--limit", 30)
    name = "batch_bot-iterations-200_all_30s"
    process = start(tmp_path, *words)
    for line in process.stderr:
        if line.startswith("2/8 games"):
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "stopped" in errors
    stopped = info(tmp_path, name)
    assert not stopped["complete"]
    assert 2 <= stopped["lines"] == stopped["summary"]["judged"] < 8
    before = lines(tmp_path / "work" / f"{name}.jsonl")
    succeed(tmp_path, *words, "--resume")
    after = lines(tmp_path / "work" / f"{name}.jsonl")
    assert after[: len(before)] == before
    assert sorted(game["extra"]["index"] for game in after) == list(range(8))
    whole = info(tmp_path, name)
    assert whole["complete"] and whole["asked"]["opponents"] == ["2.so", "10.so"]
    assert [one["total"] for one in whole["summary"]["opponents"]] == [4, 4]
    assert str(libraries) not in json.dumps(after)


@pytest.mark.slow
def test_a_run_of_before_the_presets_new_names_is_found_and_goes_on(tmp_path):
    old, new = "slice1+move_seconds=0.003:seed001+move_seconds=0.003", "puct-basic+move_seconds=0.003:uct-fresh-tree"
    words = ("--limit", 10, "--jobs", 2, "--oversubscribe", "--games")
    succeed(tmp_path, "presets", old, *words, 2)
    name = "match_slice1+move-seconds=0.003_seed001+move-seconds=0.003_10s"
    assert info(tmp_path, name)["asked"]["players"][0] == "slice1+move_seconds=0.003"
    again = ("presets", f"{new}+move_seconds=0.003", "--resume")
    assert "done already" in succeed(tmp_path, *again, *words, 2)
    assert "done already" not in succeed(tmp_path, *again, *words, 4)
    assert info(tmp_path, name)["lines"] == 4
    assert [path.name for path in (tmp_path / "results").glob("*.json")] == [f"{name}.json"]
    succeed(tmp_path, "report")
    assert (
        "| puct-basic+move_seconds=0.003 | uct-fresh-tree+move_seconds=0.003 |" in (tmp_path / "results.md").read_text()
    )


def test_the_committed_report_is_that_of_the_committed_results():
    assert (REPOSITORY / "docs" / "results.md").read_text("utf-8") == report.report(report.read_infos(RESULTS))


@pytest.mark.slow
def test_the_kept_games_are_what_the_kept_summaries_say():
    """Counted again by the judge's reports; what it says of Elo where all was won is another figure since then."""
    counted = 0
    for path in sorted(RESULTS.glob("*.json")):
        kept = json.loads(path.read_text("utf-8"))
        if kept["kind"] in ("match", "batch"):
            content = gzip.decompress(path.with_suffix(".jsonl.gz").read_bytes())
            records = [GameRecord.from_json(line) for line in content.splitlines()]
            assert shown(summary_of(kept["kind"], kept["asked"], records)) == shown(kept["summary"]), path.name
            counted += len(records)
    assert counted > 10_000


def shown(summary):
    """What the tables show of a summary, but for what was measured besides the games."""
    named = {name: summary[name] for name in ("wins", "draws", "losses", "at_fault")}
    opponents = [(one["name"], one["wins"], one["draws"], one["losses"]) for one in summary.get("opponents", ())]
    missed = [
        (word, game["game"], game["opponent"], game["first"], game["plies"], game["termination"], game["at_fault"])
        for word in ("lost", "drawn")
        for game in summary.get(word, ())
    ]
    pairs = summary.get("pairs", {})
    elo = {name: pairs.get(name) for name in ("counts", "elo", "elo_error")}
    is_one_sided = any(count == sum(elo["counts"] or ()) for count in (elo["counts"] or (None,))[::4])
    return named, opponents, missed, elo["counts"] if is_one_sided else elo


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
    assert list(report.missed_games(found)) == [
        "* lost against 100.so, moving second, 44 plies, TIME_FORFEIT by the player "
        "(game 7 of `batch_bot_all_3s.jsonl.gz`)\n"
    ]


def _match(player, opponent, wins, draws, losses, date="2026-11-20 12:00 UTC"):
    summary = {"wins": wins, "draws": draws, "losses": losses}
    return {"kind": "match", "date": date, "asked": {"players": [player, opponent], "limit_s": 0.3}, "summary": summary}


def test_a_setting_at_several_values_is_drawn_in_their_order():
    infos = [_match("amaf+alpha=0.5", "uct", 6, 0, 4), _match("amaf+alpha=0", "uct", 4, 2, 4)]
    infos += [_match("amaf+alpha=1", "other", 0, 0, 10), _match("amaf", "uct", 0, 0, 10)]
    infos += [_match("amaf+engine=random", "uct", 0, 0, 10)]
    assert report.plots(infos) == []
    (plot,) = report.plots([*infos, _match("amaf+alpha=0.25", "uct", 7, 1, 2)])
    assert '  title "amaf against uct, 0.3 s a move"' in plot
    assert '  x-axis "alpha" [0, 0.25, 0.5]' in plot
    assert "  line [50.0, 75.0, 60.0]" in plot


def test_in_short_there_is_the_newest_run_with_each_program_of_others():
    infos = [_match("bot --set move_seconds=1", "./other 3", 8, 0, 2, "2026-11-22 12:00 UTC")]
    infos += [_match("bot", "./other 3", 1, 0, 9), _match("bot:mcts", "./other 3", 1, 0, 9, "2026-11-23 12:00 UTC")]
    infos += [_match("bot", "bot@HEAD", 5, 0, 5), _match("default", "default+solver=false", 5, 0, 5)]
    _text, shown_table = report.in_short(infos)
    (row,) = shown_table.splitlines()[2:]
    assert row.startswith("| Connect four | ./other 3 | bot --set move_seconds=1 | 0.3 | 10 | 80.0% | 49.0% to 94.3% |")
    assert report.in_short(infos[3:]) == []


def test_the_report_tells_how_the_machine_was():
    def told(**summary):
        return report.machine_state({"summary": summary}), report.short_of_core({"summary": summary})

    assert told(games=2) == ("not measured", "not measured")
    idle = {"A": 0.001, "B": None, "bound": 0.02, "warning": False}
    assert told(machine={"state": "idle"}, short_of_core=idle) == ("idle", "0.1%/-")
    busy = {"A": 0.021, "B": 0.0, "bound": 0.02, "warning": False}
    assert told(machine={"state": "busy"}, short_of_core=busy) == ("busy", "2.1%/0.0% (!)")
    unknown = {"A": None, "B": None, "bound": 0.02, "warning": False}
    assert told(machine={"state": None}, short_of_core=unknown) == ("not measured", "not measured")
