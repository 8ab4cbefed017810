"""One game of each abnormal kind: what its folder holds, and that the command in it writes what the player was sent."""

import json
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.cli.exits import repro_command
from judge.incidents import IncidentReports, TransferLog
from judge.play import referee
from judge.play.clock import TurnUsage
from judge.play.recheck import sent_until
from judge.play.referee import play_game
from judge.players.players import Contestant
from judge.processes.start import JudgeFailure
from judge.reasons import reason_of
from judge.runs.record_file import numbers_in_file
from protocol.records.record import Termination, append_record, read_records
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    WIDE_LIMIT_S,
    bot,
    command,
    judge_environment,
    plan,
    run_judge,
)

SHORT_S, TINY_S = 0.4, 0.1  # the late bot comes 0.4 s too late
LIMIT_OF_THE_LATE_S = 2.0
SOUND = bot("first_legal")
EVIL = "evil\x1b[2J\r\n[bold]../../name"


class Clock:
    """In place of the mover's clock, of a machine in which a side waits for a core all the time."""

    due, ran_before_s = float("inf"), 0.0

    def __init__(self, bot, limit_s, is_new=False):
        self.limit_s = limit_s

    def usage(self):
        if self.limit_s == TINY_S:
            raise JudgeFailure("no machine")
        return TurnUsage(waited_s=60.0)


def misbehaving(mode, at=2, limit_s=WIDE_LIMIT_S):
    return bot("misbehave", mode, "--at", at, "--limit", limit_s)


# {name of the folder behind its number: (A, B, seconds, others)}
GAMES = {
    "ILLEGAL_MOVE-B": (SOUND, misbehaving("off_board"), WIDE_LIMIT_S, {}),
    "BAD_FRAME-B": (SOUND, misbehaving("print_text_behind"), WIDE_LIMIT_S, {}),
    "OUTPUT_LIMIT-A": (misbehaving("flood_stdout"), SOUND, WIDE_LIMIT_S, {}),
    "TIME_FORFEIT-B": (SOUND, misbehaving("late", limit_s=SHORT_S), SHORT_S, {"strict_clock": True}),
    "STALL-A": (misbehaving("stop_mid_frame"), SOUND, SHORT_S, {"strict_clock": True}),
    "MEMORY_LIMIT-B": (SOUND, bot("glutton", "--megabytes", 300), WIDE_LIMIT_S, {"memory_limit_bytes": 2 * 10**8}),
    "CRASH-B": (SOUND, misbehaving("abort_with_words"), WIDE_LIMIT_S, {}),
    "STARTUP_FAILURE-B": (SOUND, Contestant(EVIL, "no-such-program"), WIDE_LIMIT_S, {}),
}
STARVED = {
    "VOID": (misbehaving("stop_mid_frame"), SOUND, TINY_S, {}),
    "LATE-A": (misbehaving("late", limit_s=LIMIT_OF_THE_LATE_S), SOUND, LIMIT_OF_THE_LATE_S, {}),
}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """(folder of all, {name: record}): the games of GAMES and STARVED, and a sound one."""
    place = tmp_path_factory.mktemp("forensics")
    (place / "why").mkdir()
    incident_reports = IncidentReports(place / "why", repro_command)
    records = {}

    def play(name, of_a, of_b, limit_s, others):
        expected = "NORMAL" if name.startswith("LATE") else name
        for _ in range(5):  # on a busy machine the judge may wake up too late, and others may miss a short limit
            record = records[name] = incident_reports.play_game((of_a, of_b), plan(limit_s, **others))
            ending = "-".join(filter(None, (record.termination.value, record.at_fault)))
            if ending == expected and "the judge woke up" not in reason_of(record):
                break

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(8) as pool:
        patch.setattr(referee, "TurnClock", Clock)
        list(pool.map(lambda name: play(name, *STARVED[name]), STARVED))
    with ThreadPoolExecutor(len(GAMES)) as pool:
        list(pool.map(lambda name: play(name, *GAMES[name]), GAMES))
    play("NORMAL", SOUND, SOUND, WIDE_LIMIT_S, {})
    for number, record in enumerate(records.values(), start=1):
        append_record(place / "games.jsonl", record)
        incident_reports.write_report(record, place / "games.jsonl", number)
    assert [note.partition(" in ")[0] for note in incident_reports.notes()] == [
        f"incident reports of {len(records) - 1} games are"
    ]
    return place, records


def folders(place):
    """{name of a game's folder behind its number: the folder}."""
    return {folder.name.split("-", 2)[2]: folder for folder in (place / "why").iterdir()}


def entries(folder):
    return [json.loads(line) for line in (folder / "frames.jsonl").read_text().splitlines()]


def test_every_abnormal_game_has_a_folder_and_no_other(played):
    place, records = played
    assert set(folders(place)) == {*GAMES, *STARVED}
    assert {record.termination for record in records.values()} == set(Termination) - {
        Termination.RESIGNATION
    }  # bots cannot


def test_the_command_printed_writes_what_the_player_was_sent(played, tmp_path):
    place, records = played
    for name in (*GAMES, *STARVED):
        words = (folders(place)[name] / "summary.txt").read_text()
        (line,) = [line for line in words.splitlines() if " repro " in line]
        folder = tmp_path / name
        folder.mkdir()
        if name == "CRASH-B":  # as somebody pastes it
            environment = judge_environment()
            done = subprocess.run(
                line, shell=True, cwd=folder, env=environment, capture_output=True, timeout=PATIENCE_S
            )
        else:
            done = run_judge(folder, *shlex.split(line[line.index(" repro ") :]))
        assert done.returncode == 0, (name, done.stderr)
        (written,) = folder.glob("repro-*.txt")
        side = name.partition("-")[2] or "A"
        ply = int(line.partition("--ply ")[2] or 0) or None
        assert written.read_bytes() == sent_until(records[name], side, ply)[1], name
        assert (ply is not None) is name.startswith("LATE"), name


def test_every_frame_is_there_in_the_order_of_time(played):
    for name in (*GAMES, *STARVED):
        check_frames(*played, name)


def check_frames(place, records, name):
    found, record = entries(folders(place)[name]), records[name]
    times = [entry["t"] for entry in found if "t" in entry]
    assert times == sorted(times)
    assert all(seconds >= 0 for seconds in times)
    turns = [(entry["side"], entry["ply"]) for entry in found if entry.get("event") == "turn_begins"]
    assert turns[: len(record.moves)] == [(move.side, ply) for ply, move in enumerate(record.moves, start=1)]
    assert len(turns) - len(record.moves) in (0, 1)
    for side in "" if name.startswith("STARTUP") else "AB":
        sent = [entry for entry in found if entry.get("direction") == "to_bot" and entry["side"] == side]
        told, asked = "".join(entry["text"] for entry in sent), sent_until(record, side)[1].decode()
        # Bytes out of turn end a game before the next question is sent.
        assert told.startswith(asked) or (told and asked.startswith(told) and name.startswith("BAD_FRAME"))


def test_what_the_bots_sent_is_there(played):
    place, _ = played
    assert any(
        entry.get("direction") == "from_bot" and entry["bytes"] == 12 and entry["text"].endswith("done\n")
        for entry in entries(folders(place)["BAD_FRAME-B"])
    )
    flood = [entry for entry in entries(folders(place)["OUTPUT_LIMIT-A"]) if entry.get("bytes", 0) > 4096]
    assert len(flood[0]["text"]) == 4096


def test_the_figures_and_the_words(played):
    place, records = played
    crash = folders(place)["CRASH-B"]
    content = json.loads((crash / "game.json").read_text())
    assert content["record"] == json.loads(records["CRASH-B"].to_json())
    assert content["exit_status"]["B"] == -6
    turns = [entry for entry in entries(crash) if entry.get("event") == "turn_ends"]
    assert len(turns) == len(records["CRASH-B"].moves) + 1
    assert set(turns[0]) == {"event", "side", "ply", "t", "wall_s", "ran_s", "waited_s", "allowance_s"}
    words = (crash / "summary.txt").read_text()
    for part in (
        "CRASH by B (misbehave): B was ended by signal 6 (SIGABRT, Aborted)",
        "9 rows x 9 columns",
        "  4 [X] .  .",
        " s for ply 6, of which ",
        "Assertion `free[x]' failed.",
    ):
        assert part in words
    assert "\\x1b[2Jplace: Assertion" in (crash / "B.stderr.txt").read_text()


def test_nothing_of_the_players_obeys_or_names_a_path(played):
    place, _ = played
    assert {path.name for path in place.iterdir()} == {"why", "games.jsonl"}
    for path in (place / "why").rglob("*.*"):
        assert path.is_dir() or all(byte >= 0x20 or byte == 0x0A for byte in path.read_bytes()), path


@pytest.mark.parametrize("words", [("match", "--games", 2), ("batch",)], ids=["match", "batch"])
def test_runs_have_them_too(tmp_path, words):
    name, *options = words
    players = command("first_legal"), command("misbehave", "exit_3")
    players = (players[0], "--against", players[1]) if name == "batch" else players
    kept = ("--free-start", "--limit", WIDE_LIMIT_S, "--record", "games.jsonl", "--forensics", "new/why")
    done = run_judge(tmp_path, name, *players, *options, *kept)
    assert done.returncode == 0, done.stderr
    assert "incident reports of 2 games are in new/why" in done.stderr
    found = sorted((tmp_path / "new" / "why").iterdir())
    assert [path.name for path in found] == ["game-1-CRASH-B", "game-2-CRASH-B"]
    records = read_records(tmp_path / "games.jsonl")[0]
    told = [json.loads((path / "game.json").read_text())["record"]["extra"]["id"] for path in found]
    assert told == [record.extra["id"] for record in records]


def test_a_game_by_itself_has_one_and_the_next_another(tmp_path):
    words = (
        "play",
        command("first_legal"),
        command("misbehave", "exit_3"),
        "--free-start",
        "--limit",
        WIDE_LIMIT_S,
        "--forensics",
        "why",
    )
    for name in ("one.jsonl", "two.jsonl"):
        assert "incident reports of 1 games are in why" in run_judge(tmp_path, *words, "--record", name).stderr
    assert {path.name for path in (tmp_path / "why").iterdir()} == {"game-1-CRASH-B", "game-1-CRASH-B-2"}


@pytest.mark.parametrize(
    "place, message", [("file", "'file' is a file"), ("file/why", "no file can be written in the folder file/why: ")]
)
def test_a_folder_that_cannot_be_written_ends_the_command_before_a_game(tmp_path, place, message):
    (tmp_path / "file").write_text("")
    done = run_judge(tmp_path, "play", command("first_legal"), command("first_legal"), "--forensics", place)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert not (tmp_path / "records").exists()


@pytest.mark.parametrize("lost", ["why", "games.jsonl"])
def test_what_is_lost_meanwhile_ends_no_run_and_is_told_once(tmp_path, lost):
    (tmp_path / "why").mkdir()
    incident_reports = IncidentReports(tmp_path / "why", repro_command)
    records = [
        play_game((SOUND, misbehaving("exit_3")), plan(), events=incident_reports.begin()) for _number in range(2)
    ]
    for record in records:
        append_record(tmp_path / "games.jsonl", record)
    (tmp_path / lost).rename(tmp_path / "elsewhere")
    numbers = numbers_in_file(tmp_path / "games.jsonl")
    for record in records:
        incident_reports.write_report(record, tmp_path / "games.jsonl", numbers.get(record.extra["id"]))
    (note,) = incident_reports.notes()
    assert note.startswith("note: an incident report could not be written to ")
    assert lost in note
    assert lost == "why" or list((tmp_path / "why").iterdir()) == []


def test_a_flood_is_cut_and_its_end_is_there():
    transfers = TransferLog("A", clock=lambda: 3.0)
    transfers.sent(b"9 9 0 8\n")
    transfers.sent(b"")
    for number in range(100_000):
        transfers.received(float(number), b"z" * 65536)
        if not number:
            first, second = transfers.entries
            assert first == {"t": 3.0, "side": "A", "direction": "to_bot", "bytes": 8, "text": "9 9 0 8\n"}
            assert (second["t"], second["direction"], second["bytes"]) == (0.0, "from_bot", 65536)
    assert transfers.entries[-1]["t"] == 99_999.0
    assert transfers.number == 100_001 > len(transfers.entries)
    assert sum(len(entry["text"]) for entry in transfers.entries) < 4 * 10**6
