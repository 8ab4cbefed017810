"""A forfeit is explained: what came on stdout where a reply was due, and the program's last words."""

from pathlib import Path

import pytest
from msgspec import structs

from judge.cli.playing import fault_hints
from judge.play.backtraces import LINES_SHOWN
from judge.play.referee import play_game
from judge.reasons import reason_of
from judge.reports import forfeits
from protocol.records.record import Player, Termination, append_record, read_records
from tests.judge.helpers.projects import library_project, needs_compiler, program_project
from tests.judge.helpers.scripted import bot, command, plan, run_judge

FIRST_LEGAL = command("first_legal")
ASSERTION = [
    "the last lines that B wrote to stderr:",
    "  board.cpp:17: \\x1b[2Jplace: Assertion `free[x]' failed.",
]
PRINTED = 'B printed "thinking...\\n'
STDOUT_IS_FOR_REPLIES = "; stdout is for replies alone, other text belongs on stderr"


@pytest.fixture(scope="module")
def aborted():
    return play_game((bot("first_legal"), bot("misbehave", "abort_with_words", "--at", 1)), plan())


@pytest.fixture(scope="module")
def printed():
    return play_game((bot("first_legal"), bot("misbehave", "print_text", "--at", 2)), plan())


def test_the_last_words_of_a_crashed_player(aborted):
    assert reason_of(aborted) == "B was ended by signal 6 (SIGABRT, Aborted)"
    assert forfeits.notes(aborted) == ASSERTION


def test_text_where_a_reply_was_due_is_the_reason_and_the_frame_follows(printed):
    length = int.from_bytes(b"thin", "big")
    facts = f" (frame length: expected at most 2048 bytes, received {length} bytes (header 7468696e))"
    assert reason_of(printed) == f'{PRINTED}" on stdout where a reply was due{STDOUT_IS_FOR_REPLIES}{facts}'
    assert forfeits.notes(printed) == []


def test_text_behind_a_reply():
    record = play_game((bot("misbehave", "print_text_behind"), bot("first_legal")), plan())
    assert reason_of(record) == f'A printed "done\\n" on stdout out of turn{STDOUT_IS_FOR_REPLIES}'
    assert (record.termination, forfeits.notes(record)) == ("BAD_FRAME", [])


def test_an_older_record_says_in_a_note_what_was_printed(printed):
    reason = "B: frame length: expected at most 2048 bytes, received 1952999790 bytes"
    (note,) = forfeits.notes(structs.replace(printed, extra={**printed.extra, "reason": reason}))
    assert note.startswith(PRINTED) and note.endswith('" on stdout where a reply was due')


@pytest.mark.parametrize("how", ["out_of_turn", "two_replies"])
def test_a_whole_reply_out_of_turn(how):
    """The second reply comes in a read of its own, or in one read with the first."""
    offender, thinking = bot("misbehave", how), bot("first_legal", "--delay", 15)  # until the bytes are seen
    (note,) = forfeits.notes(play_game((offender, thinking), plan()))
    assert " on stdout out of turn" in note


def test_a_bots_name_is_no_reply():
    record = play_game((bot("misbehave", "exit_3", game="dots"), bot("first_legal", game="dots")), plan(game="dots"))
    assert forfeits.notes(record) == []


def test_a_frame_is_not_taken_for_text():
    """It begins with its length."""
    record = play_game((bot("misbehave", "zero_length"), bot("first_legal")), plan())
    assert forfeits.notes(record) == [r'A printed "\x00\x00\x00\x00" on stdout where a reply was due']


def test_replies_of_earlier_turns_are_not_shown():
    record = play_game((bot("misbehave", "exit_3", "--at", 2), bot("first_legal")), plan())
    assert forfeits.notes(record) == []
    assert record.extra["A"]["stdout"] == ""


def test_long_lines_and_long_texts_are_cut(aborted):
    many = "".join(f"line {number} {'x' * 500}\n" for number in range(100))
    extra = {**aborted.extra, "B": {"stderr": many, "stdout": "y" * 1000}}
    printed, heading, *lines = forfeits.notes(structs.replace(aborted, extra=extra))
    assert len(lines) == LINES_SHOWN
    assert lines[-1].startswith("  line 99 xxx")
    assert max(map(len, [printed, heading, *lines])) < 320


def test_a_record_without_them_has_no_notes(aborted):
    for kept in (None, {}, {"stderr": '{"value": 1}\n\n'}):
        assert forfeits.notes(structs.replace(aborted, extra={**aborted.extra, "B": kept})) == [], kept


def test_play_and_replay_and_match_tell(tmp_path):
    aborting, printing = command("misbehave", "abort_with_words"), command("misbehave", "print_text")
    played = run_judge(tmp_path, "play", FIRST_LEGAL, aborting, "--free-start", "--limit", 20)
    assert all(line in played.stdout.splitlines() for line in ASSERTION)
    replayed = run_judge(tmp_path, "replay", "records/play.jsonl")
    assert all(line in replayed.stdout.splitlines() for line in ASSERTION)
    words = ("--games", 1, "--free-start", "--limit", 20, "--record", "match.jsonl")
    matched = run_judge(tmp_path, "match", FIRST_LEGAL, printing, *words)
    lines = matched.stdout.splitlines()
    assert any(line.startswith(f"game 1: OUTPUT_LIMIT by B: {PRINTED}") for line in lines)


@pytest.mark.parametrize("run", [("match", "--games", 4), ("batch", "--rounds", 2)])
def test_a_failing_game_has_its_own_replay_and_repro(tmp_path, run):
    """Not the first game: the failing player makes one move less where it moves second."""
    failing = command("misbehave", "exit_3", "--at", 14)
    name, *rounds = run
    players = (FIRST_LEGAL, failing) if name == "match" else (FIRST_LEGAL, "--against", failing)
    words = ("--limit", 20, "--free-start", "--record", "runs.jsonl", "--seed", 1)
    done = run_judge(tmp_path, name, *players, *rounds, *words)
    records = read_records(tmp_path / "runs.jsonl")[0]
    number = next(number for number, record in enumerate(records, start=1) if record.at_fault)
    assert number == 2
    lines = done.stdout.splitlines()
    (place,) = (place for place, line in enumerate(lines) if line.startswith(f"game {number}: CRASH by B: "))
    assert [line.partition(" judge ")[2] for line in lines[place + 1 : place + 3]] == [
        f"{name} runs.jsonl --number {number}" for name in ("replay", "repro")
    ]
    assert not any(line.startswith("replay: ") for line in lines)


def test_a_project_that_fails_is_to_be_built_with_sanitizers(aborted):
    def told(text, record=aborted, **changes):
        players = (record.players[0], Player("v8", text))
        changed = structs.replace(record, players=players, **changes)
        return [line for line in fault_hints(Path("x.jsonl"), changed, 3) if "--sanitize" in line]

    advice = "to see the line of the fault, build the player with --sanitize: "
    assert told("src:../v8") == [f'{advice}"src:../v8 --sanitize"']
    assert told("src:../v8 --without tests") == [f'{advice}"src:../v8 --without tests --sanitize"']
    assert told("src:$v8") == [f"{advice}'src:$v8 --sanitize'"]
    perhaps = "if an index out of range may be the cause, build the player with --sanitize, which names the line: "
    assert told("src:../v8", termination=Termination.ILLEGAL_MOVE) == [f'{perhaps}"src:../v8 --sanitize"']
    for text in ("src:../v8 --sanitize", "lib:v8.so", "python bot.py", "bot", "src:'x"):
        assert told(text) == []
    assert told("src:../v8", termination=Termination.STALL) == []


@needs_compiler
def test_a_main_that_never_replies_may_be_another_programs(tmp_path, aborted):
    """Students keep a main() of their own for tests beside getPoint: that one is played, here and by the platform."""

    def told(folder, **changes):
        players = (record.players[0], Player("v8", f"src:{folder}"))
        lines = fault_hints(Path("x.jsonl"), structs.replace(record, players=players, **changes), 3)
        return [line for line in lines if "--without" in line]

    record = structs.replace(aborted, moves=(), termination=Termination.STALL, at_fault="B")
    with_main, library = program_project(tmp_path / "v8"), library_project(tmp_path / "v7")
    (advice,) = told(with_main)
    assert advice.startswith(
        "the player never replied: if main.cpp has the main() of a test program of yours, leave this file out: "
    )
    assert advice.endswith(f'"src:{with_main} --without main.cpp"')
    assert told(library) == told(with_main, termination=Termination.MEMORY_LIMIT) == []
    assert told(with_main, moves=aborted.moves) == []
    outside = "#0  search () at uct.cpp:245\n#1  0x5 in main () at main.cpp:65"
    inside = outside.replace("#1  0x5", "#1  0x4 in getPoint (M=9) at Strategy.cpp:9\n#2  0x5")
    for calls, lines in ((outside, [advice]), (inside, []), ("#0  search () at uct.cpp:245", [])):
        assert told(with_main, extra={"B": {"backtrace": calls}}) == lines


def test_a_name_is_no_markup(tmp_path, aborted):
    record = aborted
    players = (record.players[0], structs.replace(record.players[1], name="[red]x[/nothing] \x1b[2J:smile:"))
    append_record(tmp_path / "games.jsonl", structs.replace(record, players=players))
    shown = run_judge(tmp_path, "replay", "games.jsonl")
    assert shown.returncode == 0, shown.stderr
    assert r"CRASH by B ([red]x[/nothing] \x1b[2J:smile:)" in shown.stdout
