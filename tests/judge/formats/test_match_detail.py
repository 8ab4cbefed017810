"""`import --show` on match details of Saiblo: what it tells of one, of one that is damaged, and of the game in it."""

import copy
import json
import os
import random
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.cli import import_, replay
from judge.formats.match_detail import read_stream, reconstructed_game
from judge.games.connect_four.rules import ConnectFour
from protocol.records.record import Termination, read_records
from tests.judge.helpers.match_details import (
    BOARD,
    COLUMNS,
    FIRST_TURN_LINE,
    OPENING_LINE,
    SECOND_TURN_LINE,
    STDERR,
    base64_of,
    detail,
    record,
    saved,
    seat,
    stdins,
)
from tests.places import REPOSITORY

COMMAND = REPOSITORY / "scripts" / "read_match_record"
SENT = stdins()
OPENING_BYTES = len(b"9 10 8 3\n")
SECOND_TURN_BYTE = SENT[0].index(b"\n", OPENING_BYTES) + 1
ROWS, COLS, FORBIDDEN = BOARD
REPLAY = {
    "row": ROWS,
    "col": COLS,
    "nox": FORBIDDEN[0],
    "noy": FORBIDDEN[1],
    "rounds": list(COLUMNS),
    "win": 0,
}


def main(words):
    """`import --show` with these words; its exit status."""
    return import_.main(["--show", *words])


def told(folder, capsys, content, *words):
    """The JSON object that the command prints of a match that must be in order."""
    assert main([str(saved(folder, content)), "--json", *map(str, words)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return json.loads(printed.out)


def shown(folder, capsys, content, *words):
    """The text that it prints."""
    assert main([str(saved(folder, content)), *map(str, words)]) == 0
    return capsys.readouterr().out


def test_the_command_reads_a_match_from_another_folder_and_through_a_symlink(tmp_path):
    (tmp_path / "judge.py").write_text("raise SystemExit('the wrong package')\n")
    link = tmp_path / "a link"
    link.symlink_to(COMMAND)
    done = subprocess.run(
        [link, saved(tmp_path, detail())],
        cwd=tmp_path,
        env={**os.environ, "DROPFOUR_PYTHON": sys.executable, "LC_ALL": "C", "PYTHONUTF8": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "match 7437552 of game 3 (Connect4)" in done.stdout
    assert "9 rows x 10 columns, forbidden cell 8,3; 4 turns in 4 lines" in done.stdout
    assert "  engine that the bot reports: x86-64-v3 (tried)\n" in done.stdout
    assert '  | {"turn":1,"column":4,"value":0.125}\n' in done.stdout


def test_the_matchs_own_facts(tmp_path, capsys):
    found = told(tmp_path, capsys, detail())
    assert found["match"] == {
        "id": 7437552,
        "game": 3,
        "game_name": "Connect4",
        "created": "2026-03-14T12:53:15.092502",
        "state": "评测成功",
        "error": "",
        "logic_version": 1,
    }
    assert found["problems"] == []
    first, second = found["seats"]
    assert (first["user"], first["entity"], first["version"], first["remark"]) == ("alice", "dropfour", 3, "first try")
    assert (first["end_state"], first["exit_code"], first["score"], first["rank"]) == ("OK", 9, 1, 1)
    assert (second["user"], second["entity"], second["exit_code"], second["stderr"]) == ("bob", "对手", None, None)


def test_times_and_memory_of_each_turn(tmp_path, capsys):
    rounds = record(len(COLUMNS), [0.9, 0.1, 2.6, 0.1, 2.9])
    found = told(tmp_path, capsys, detail(rounds=rounds), "--threshold", "2.6")
    assert len(found["turns"]) == len(COLUMNS)
    assert found["turns"][2] == {
        "round": 3,
        "seat": 0,
        "status": "OK",
        "time_s": 2.6,
        "memory_bytes": 22_000_000,
        "turn": 2,
        "column": 5,
    }
    assert found["seats"][0]["cost"] == {
        "turns": 4,
        "first_s": 0.9,
        "greatest_s": 2.9,
        "slowest": 3,
        "over_threshold": 1,
        "greatest_bytes": 26_000_000,
    }
    lower = told(tmp_path, capsys, detail(rounds=rounds), "--threshold", "0.8")
    assert lower["seats"][0]["cost"]["over_threshold"] == 3
    assert [turn["column"] for turn in found["turns"]] == [*COLUMNS[:-1], None]


def test_the_moves_are_all_but_the_last(tmp_path, capsys):
    moves = told(tmp_path, capsys, detail())["moves"]
    assert moves["columns"] == list(COLUMNS[:-1])
    assert moves["by_seat"] == [[4, 5, 6], [4, 3, 6]]
    assert (moves["first"], moves["to_move"], moves["fault"]) == (0, 0, None)
    text = shown(tmp_path, capsys, detail())
    assert "seat 0 was to move next; the file lacks this move: give the match's replay with --moves" in text


def test_one_seats_boards_tell_the_moves_of_both(tmp_path, capsys):
    for missing in [0, 1]:
        sent = stdins()
        sent[missing] = b""
        moves = told(tmp_path, capsys, detail(sent))["moves"]
        # Seat 1 was last asked after five moves, seat 0 after six.
        assert moves["columns"] == list(COLUMNS[: 6 if missing == 1 else 5]), missing
        assert moves["first"] == 0, missing


def test_the_seat_that_moves_first_is_told_by_the_boards(tmp_path, capsys):
    rounds = [*record(1), *reversed(record(2)[1:])]
    found = told(tmp_path, capsys, detail(stdins()[::-1], rounds))
    assert (found["moves"]["first"], found["moves"]["by_seat"]) == (1, [[4, 3, 6], [4, 5, 6]])
    # Seat 0's first turn, seat 1's first, seat 0's second.
    assert [turn["column"] for turn in found["turns"]] == [4, 4, 3]


def test_stones_above_and_below_the_forbidden_cell(tmp_path, capsys):
    board, columns = (12, 9, (10, 8)), (8, 8, 8, 0, 8, 1)
    sent = stdins(columns, board)
    found = told(tmp_path, capsys, detail(sent, rounds=record(len(columns))))
    assert found["moves"]["columns"] == list(columns[:-1])
    assert found["seats"][0]["stdin"]["opening"] == {"rows": 12, "cols": 9, "forbidden": [10, 8]}


def test_how_lines_end(tmp_path, capsys):
    for end, words, empty_lines in [
        (b"\n", "LF", 0),
        (b"\r\n", "CR LF", 0),
        (b" \n", "blank LF", 0),
        (b" \r\n", "blank CR LF", 0),
        (b"\n\n", "LF", 5),
    ]:
        sent = [data.replace(b"\n", end) for data in stdins()]
        found = told(tmp_path, capsys, detail(sent))
        stdin = found["seats"][0]["stdin"]
        assert stdin["bytes"] == len(sent[0]), end
        assert stdin["line_ends"] == {words: sent[0].count(b"\n")}, end
        assert stdin["after_last_message"] == repr(end), end
        assert stdin["fault"] is None, end
        assert stdin["empty_lines"] == empty_lines, end
        assert [stdin[name] for name in ("leading_blanks", "double_blanks", "other_bytes", "unclosed_bytes")] == [
            0
        ] * 4, end
        assert found["moves"]["columns"] == list(COLUMNS[:-1]), end
        text = shown(tmp_path, capsys, detail(sent))
        assert f"  after the last turn stdin has {end!r} and nothing else\n" in text, end
        assert f"  line ends: {words} ({sent[0].count(end[-1:]):,}); bytes after the last line end: 0\n" in text, end


def test_other_habits_of_a_writer_of_lines(tmp_path, capsys):
    sent = stdins()
    sent[0] = b" " + sent[0].removesuffix(b" 0 0\n") + b"  0\t0"
    stdin = told(tmp_path, capsys, detail(sent))["seats"][0]["stdin"]
    assert (stdin["leading_blanks"], stdin["double_blanks"], stdin["other_bytes"]) == (1, 1, 1)
    assert stdin["unclosed_bytes"] == len(sent[0].split(b"\n")[-1])
    assert stdin["after_last_message"] == "b''"


def test_stderr_and_what_it_says_of_the_engine(tmp_path, capsys):
    numba = "dropfour: engine numba (native: x86-64-v3: not this CPU (really))"
    cut_off, bare = "dropfour: engine python (OSError: /lib/x86", "dropfour: engine python"
    text = STDERR + "\n".join([numba, cut_off, bare, "|重|", ""]).encode() + b"\xff"
    seats = [seat(0, stderr=base64_of(text)), seat(1)]
    stderr = told(tmp_path, capsys, detail(seats=seats))["seats"][0]["stderr"]
    assert stderr["bytes"] == len(text)
    assert stderr["engines"] == [
        {"name": "x86-64-v3", "reason": "tried"},
        {"name": "numba", "reason": "native: x86-64-v3: not this CPU (really)"},
        {"name": "python", "reason": "OSError: /lib/x86"},
        {"name": "python", "reason": None},
    ]
    assert stderr["text"].endswith("|重|\n\\xff")


def test_details_of_2022_have_the_stderr_in_the_message(tmp_path, capsys):
    seats = [{key: value for key, value in seat(number).items() if key != "stderr"} for number in (0, 1)]
    states = [
        {"position": 0, "status": "OK", "code": 0, "stderr": base64_of(STDERR)},
        {"position": 1, "stderr": ""},
    ]
    content = detail(seats=seats, message_changes={"states": states})
    message = json.loads(content["message"])
    del message["record"]
    found = told(tmp_path, capsys, content | {"message": json.dumps(message)})
    assert found["seats"][0]["stderr"]["text"] == STDERR.decode()
    assert found["seats"][1]["stderr"]["text"] == ""
    assert found["turns"] == []
    both = told(tmp_path, capsys, detail(message_changes={"states": [{"stderr": ""}] * 2}))
    assert both["seats"][0]["stderr"]["text"] == STDERR.decode()


def test_a_person_in_a_seat_has_no_code(tmp_path, capsys):
    found = told(tmp_path, capsys, detail(seats=[seat(0), seat(1, code=None)]))
    assert (found["seats"][1]["user"], found["seats"][1]["entity"]) == ("bob", None)


def test_names_are_neither_markup_nor_orders_to_the_terminal(tmp_path, capsys):
    seats = [seat(0, user={"username": "[/bold][red]\x1b]0;gone\x07\u202e\ud800"}), seat(1)]
    text = shown(tmp_path, capsys, detail(seats=seats, error="\x1b[2J"))
    assert "[/bold][red]\\x1b]0;gone\\x07\\u202e\ufffd" in text
    assert "error: \\x1b[2J" in text
    assert "\x1b" not in text


def test_the_bytes_of_a_seats_stdin_are_written_to_a_new_file(tmp_path, capsys):
    content = detail(stdins(COLUMNS[:2]), record(2))
    for number, expected in enumerate((FIRST_TURN_LINE, SECOND_TURN_LINE)):
        out = tmp_path / f"stdin{number}"
        told(tmp_path, capsys, content, "--stdin", number, out)
        assert out.read_bytes() == OPENING_LINE + expected


def test_a_file_that_exists_is_not_overwritten(tmp_path, capsys):
    out = tmp_path / "kept"
    out.write_text("kept")
    with pytest.raises(SystemExit) as ended:
        main([str(saved(tmp_path, detail())), "--stdin", "0", str(out)])
    assert ended.value.code == 2
    assert f"{out} exists already" in capsys.readouterr().err
    assert out.read_text() == "kept"


def test_words_that_cannot_be_followed(tmp_path, capsys):
    for words, complaint in [
        (["no such file"], "no such file: No such file or directory"),
        (["FILE", "--moves", "no such file"], "no such file: No such file or directory"),
        (["FILE", "--stdin", "2", "out"], "--stdin: '2' is no seat, expected 0 or 1"),
        (["FILE", "--threshold", "nan"], "'nan' is not a number of seconds above 0"),
    ]:
        path = saved(tmp_path, detail())
        with pytest.raises(SystemExit) as ended:
            main([str(path) if word == "FILE" else word for word in words])
        assert ended.value.code == 2, words
        assert complaint in capsys.readouterr().err, words


def complaints(folder, capsys, content, *words):
    """The lines on stderr, without the file's name; the status must be 1."""
    path = saved(folder, content)
    assert main([str(path), "--format", "saiblo-match", *words]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith(f"{path}: ") for line in lines)
    return [line.removeprefix(f"{path}: ") for line in lines]


def test_files_that_are_no_match_detail(tmp_path, capsys):
    for content, complaint in [
        (b" \n", "the file is empty"),
        (b"<html>", "the JSON cannot be read: Expecting value: line 1 column 1 (char 0)"),
        (b"[1, 2]", "expected an object, got a list"),
        (b'"text"', 'the file begins with "text", expected a JSON object or list'),
        (b"[" * 100_000, "the JSON cannot be read: "),
        (b'{"id": ' + b"9" * 5000 + b"}", "the JSON cannot be read: "),
        (b'{"row": 9, "rounds": []}', "info: expected such a key, got none"),
    ]:
        (line,) = complaints(tmp_path, capsys, content)
        assert line.startswith(complaint), content


def with_message(**changes):
    return detail(message_changes=changes)


def test_a_field_of_another_type_is_named_and_fields_may_be_missing_or_null(tmp_path, capsys):
    for content, complaint in [
        (detail(id=True), "id: expected an integer or null, got true or false"),
        (detail(game={"id": "3"}), "game.id: expected an integer or null, got a string"),
        (detail(seats=[seat(0, score=10**400), seat(1)]), "info[0].score: number out of range"),
        (detail(seats=[seat(0), seat(1, user=["x"])]), "info[1].user: expected an object or null, got a list"),
    ]:
        assert complaints(tmp_path, capsys, content) == [complaint]
    seats = [seat(0), {"user": {}, "code": None, "end_state": "OK"}]
    content = {key: value for key, value in detail(seats=seats, game=None).items() if key not in ("id", "state")}
    found = told(tmp_path, capsys, content)
    assert (found["match"]["id"], found["moves"]["columns"]) == (None, list(COLUMNS[:-1]))


def test_what_is_wrong_with_the_message_is_named_and_the_rest_is_told(tmp_path, capsys):
    for content, complaint in [
        (detail(message=""), "message: expected one JSON object: Input data was truncated"),
        (detail(message=detail()["message"][:-9]), "message: expected one JSON object: "),
        (detail(seats=[seat(0, stderr="a%b="), seat(1)]), "info[0].stderr: expected base64, got 'a%b='"),
        (
            detail(seats=[seat(0, stderr=base64_of(b"12345")[:-1]), seat(1)]),
            "info[0].stderr: the base64 is cut short: it has 7 characters, expected a multiple of 4",
        ),
        (
            with_message(record=[[{"status": "OK"}]]),
            "message.record[0][0].position: expected such a key, got none",
        ),
        (with_message(record={}), "message.record: expected a list, got an object"),
        (with_message(stdinRecords=[None, ""]), "message.stdinRecords[0]: expected a string, got null"),
        (with_message(stdinRecords=[""]), "message.stdinRecords: expected 2 entries, one for each seat, got 1"),
    ]:
        assert main([str(saved(tmp_path, content)), "--json"]) == 1, complaint
        found = json.loads(capsys.readouterr().out)
        assert found["problems"][0].startswith(complaint)
        assert (found["seats"][1]["entity"], found["seats"][0]["user"]) == ("对手", "alice"), complaint


def test_a_match_that_was_not_judged(tmp_path, capsys):
    seats = [seat(number, end_state="UE", score=0) for number in (0, 1)]
    content = detail([b"", b""], [[]], seats, state="评测失败", error="Replay file not found: ENOENT")
    assert main([str(saved(tmp_path, content))]) == 0
    text = capsys.readouterr().out
    assert "match 7437552 of game 3 (Connect4)" in text and "state: 评测失败" in text
    assert "error: Replay file not found: ENOENT" in text
    assert "the normal end" not in text


def test_another_games_bytes_are_described_but_not_read(tmp_path, capsys):
    sent = [b'\x00\x00\x00\x0f{"step_id": 0}\r\n', b""]
    content = detail(sent, record(1), game={"id": 53, "name": "DeepClue"})
    assert complaints(tmp_path, capsys, content) == [
        "game.id: expected game number 3 (connect four), got 53: the moves of other games are not read"
    ]
    main([str(saved(tmp_path, content)), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["seats"][0]["stdin"]["line_ends"] == {"CR LF": 1}
    assert (told["moves"], told["turns"][0]["time_s"]) == (None, 0.5)


def test_where_and_why_a_stdin_cannot_be_read(tmp_path, capsys):
    for change, place, fault in [
        (
            lambda data: data[:SECOND_TURN_BYTE] + b"9" + data[SECOND_TURN_BYTE + 1 :],
            SECOND_TURN_BYTE,
            "in turn 2: lastX: expected an integer from -1 to 8, received b'9'",
        ),
        (
            lambda data: b"\xef\xbb\xbf" + data,
            0,
            "in the opening message: rows: expected an integer from 9 to 12, received b'\\xef'",
        ),
        (
            lambda data: b"9 10 8 10" + data[8:],
            7,
            "in the opening message: noY: expected an integer from 0 to 9, received 10",
        ),
        (lambda data: data + b"{}", len(SENT[0]), "in turn 5: lastX: expected an integer from -1 to 8, received b'{'"),
        (lambda data: data[:-20], len(SENT[0]) - 20, "in turn 4: board[80]: expected the rest of the message"),
        (lambda data: data[:-1] + b"1\n", len(SENT[0]) - 2, "in turn 4: board[89]: expected a blank after its digit"),
    ]:
        sent = [change(SENT[0]), SENT[1]]
        content = detail(sent)
        (line, *_) = complaints(tmp_path, capsys, content)
        assert line.startswith(f"stdin of seat 0: the messages cannot be read from byte {place} on, {fault}"), fault
        main([str(saved(tmp_path, content)), "--json"])
        told = json.loads(capsys.readouterr().out)
        found = told["seats"][0]["stdin"]
        assert (found["bytes"], found["fault_byte"]) == (len(sent[0]), place), fault
        assert told["seats"][1]["stdin"]["fault"] is None, fault
        assert told["moves"]["columns"][:5] == [4, 4, 5, 3, 6], fault


def test_junk_after_the_object(tmp_path, capsys):
    text = json.dumps(detail())
    assert main([str(saved(tmp_path, text.encode() + b"\n<html>\xff</html>"))]) == 0
    assert "bytes after the JSON were ignored" in capsys.readouterr().err


def test_a_stdin_that_is_not_there_is_not_written(tmp_path, capsys):
    out = tmp_path / "out"
    content = detail(message_changes={"stdinRecords": [base64_of(SENT[0])]})
    assert "--stdin: the file does not contain what seat 1 was sent" in complaints(
        tmp_path, capsys, content, "--stdin", "1", str(out)
    )
    assert not out.exists()
    nowhere = str(tmp_path / "no folder" / "out")
    lines = complaints(tmp_path, capsys, content, "--stdin", "0", nowhere)
    assert lines[1:] == [f"--stdin: [Errno 2] No such file or directory: '{nowhere}'"]


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=8), parts, max_size=3),
    max_leaves=6,
)


def places(content):
    """Every (container, key) in a JSON object."""
    keys = content.keys() if isinstance(content, dict) else range(len(content)) if isinstance(content, list) else ()
    for key in keys:
        yield content, key
        yield from places(content[key])


@pytest.mark.parametrize("examples", [15, pytest.param(600, marks=pytest.mark.slow)])
def test_any_change_to_a_match_detail_ends_in_status_0_or_1(tmp_path, capsys, examples):
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(choices=st.data(), bytes_sent=st.binary(max_size=40), cut=st.integers(0, 900), value=ANY_JSON)
    def check(choices, bytes_sent, cut, value):
        change_and_read(tmp_path, capsys, choices, bytes_sent, cut, value)

    check()


def change_and_read(tmp_path, capsys, choices, bytes_sent, cut, value):
    """Change a match detail in one place, and its stdin, and read it in both ways."""
    content = copy.deepcopy(detail([SENT[0][:cut] + bytes_sent + SENT[0][cut:], SENT[1]]))
    message = json.loads(content["message"])
    part = choices.draw(st.sampled_from([content, message]))
    container, key = choices.draw(st.sampled_from(list(places(part))))
    container[key] = value
    if part is message:
        content["message"] = json.dumps(message)
    for words in ([], ["--json", "--replay", str(tmp_path / "out")]):
        assert main([str(saved(tmp_path, content)), *words]) in (0, 1)
        (tmp_path / "out").unlink(missing_ok=True)
    capsys.readouterr()


def write_record(folder, content, *words):
    """Run the command with --replay, which --record was once called; (status, the file it may have made)."""
    out = folder / "game.jsonl"
    out.unlink(missing_ok=True)
    return main([str(saved(folder, content)), "--record", str(out), *map(str, words)]), out


def replay_file(folder, content):
    """The path of a replay file, with the junk after it that has been seen in downloads."""
    path = folder / "replay.json"
    path.write_text(json.dumps(content) + "\n<junk>")
    return path


def test_a_game_played_to_its_end_is_judged_again(tmp_path, capsys):
    rounds = record(len(COLUMNS), [0.25])
    status, out = write_record(tmp_path, detail(rounds=rounds), "--moves", replay_file(tmp_path, REPLAY))
    text = capsys.readouterr().out
    assert status == 0
    assert "  the last move, column 7 by seat 0, comes from the replay file\n" in text
    ((game,), torn) = read_records(out)
    assert torn == []
    assert game.board == {"rows": ROWS, "cols": COLS, "forbidden": list(FORBIDDEN)}
    assert [move.move for move in game.moves] == list(COLUMNS)
    assert [move.wall_s for move in game.moves][:2] == [0.25, 0.5]
    assert (game.winner, game.termination, game.first) == ("A", Termination.NORMAL, "A")
    assert [player.name for player in game.players] == ["alice/dropfour", "bob/对手"]
    assert (game.players[0].version, game.extra["saiblo_match"]) == ("3", 7437552)
    assert replay.main([str(out)]) == 0
    assert "The rules agree with the record." in capsys.readouterr().out


def test_without_the_replay_file_the_last_move_is_missing(tmp_path, capsys):
    status, out = write_record(tmp_path, detail())
    assert status == 1 and not out.exists()
    path = tmp_path / "match_detail.json"
    assert capsys.readouterr().err == (
        f"{path}: the game: the file lacks the last move: give the match's replay with --moves\n"
    )


def test_a_game_lost_by_a_fault_needs_no_replay_file(tmp_path, capsys):
    for end_state, termination in [
        ("TLE", "TIME_FORFEIT"),
        ("IA", "ILLEGAL_MOVE"),
        ("RE", "CRASH"),
        ("EXIT", "CRASH"),
        ("OLE", "OUTPUT_LIMIT"),
    ]:
        # Seat 1 was asked after five moves, and did something else than move.
        content = detail(stdins(COLUMNS[:6]), record(6), [seat(0), seat(1, end_state=end_state)])
        status, out = write_record(tmp_path, content)
        assert status == 0, capsys.readouterr().err
        ((game,), _) = read_records(out)
        assert [move.move for move in game.moves] == list(COLUMNS[:5]), end_state
        assert (game.termination.value, game.at_fault, game.winner) == (termination, "B", "A"), end_state
        assert replay.main([str(out)]) == 0, end_state


def test_a_time_that_no_record_holds_is_named(tmp_path, capsys):
    seats = [seat(0), seat(1, end_state="TLE")]
    rounds = record(6, [0.5] * 3 + [2_000_000_000])
    status, out = write_record(tmp_path, detail(stdins(COLUMNS[:6]), rounds, seats))
    assert status == 1 and not out.exists()
    assert capsys.readouterr().err.endswith(": moves[3].wall_s: expected a number <= 1000000000.0\n")
    rounds = record(6, [0.5] * 5 + [2_000_000_000])  # of the turn that it lost by, of which there is no move
    status, out = write_record(tmp_path, detail(stdins(COLUMNS[:6]), rounds, seats))
    assert status == 0 and len(read_records(out)[0]) == 1


def test_what_is_no_single_bots_fault_is_a_void_game(tmp_path):
    for end_states in [("OK", "CANCEL"), ("UE", "UE"), ("RE", "RE")]:
        seats = [seat(number, end_state=state) for number, state in enumerate(end_states)]
        status, out = write_record(tmp_path, detail(seats=seats))
        ((game,), _) = read_records(out)
        assert (status, game.termination, game.winner, game.at_fault) == (0, Termination.VOID, None, None), end_states
        assert replay.main([str(out)]) == 0, end_states


def test_the_rules_say_who_has_won_and_scores_that_differ_are_named(tmp_path, capsys):
    seats = [seat(0, score=1), seat(1, score=1)]
    status, out = write_record(tmp_path, detail(seats=seats), "--moves", replay_file(tmp_path, REPLAY))
    ((game,), _) = read_records(out)
    assert (status, game.winner) == (1, "A")
    assert "the file says that the result is a draw, but by the rules it is a win of A\n" in capsys.readouterr().err
    assert replay.main([str(out)]) == 0


def test_what_a_record_needs_and_a_match_may_lack(tmp_path, capsys):
    for content, complaint in [
        (detail(rounds=record(2)), "the game: the time of ply 3 is unknown"),
        (detail([b"", b""]), "the game: the file has no readable game between two seats"),
        (detail(seats=[seat(0, score=None), seat(1)]), "the game: the file lacks the score of a seat"),
        (detail(seats=[seat(0, end_state=None), seat(1)]), "the game: the file lacks the end_state of a seat"),
    ]:
        moves = (
            [] if content["message"] == detail([b"", b""])["message"] else ["--moves", replay_file(tmp_path, REPLAY)]
        )
        status, out = write_record(tmp_path, content, *moves)
        assert status == 1 and not out.exists(), complaint
        assert capsys.readouterr().err.splitlines()[-1] == f"{tmp_path / 'match_detail.json'}: {complaint}", complaint


def test_the_replay_file_of_another_match(tmp_path, capsys):
    another = "this is the replay of another game, expected the replay of this match"
    for changes, complaint in [
        ({"row": 10}, another),
        ({"noy": "3"}, "noy: expected an integer, got a string"),
        ({"rounds": None}, "rounds: expected a list, got null"),
        ({"rounds": [4, 4, 5, 3, 6, 7]}, another),
        ({"rounds": [*COLUMNS, 1]}, another),
    ]:
        path = replay_file(tmp_path, REPLAY | changes)
        assert main([str(saved(tmp_path, detail())), "--moves", str(path)]) == 1, complaint
        assert capsys.readouterr().err == f"{tmp_path / 'match_detail.json'}: {path}: {complaint}\n", complaint


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), rows=st.integers(9, 12), cols=st.integers(9, 12), length=st.integers(0, 60))
def test_any_game_is_put_together_as_it_was_played(seed, rows, cols, length):
    chooser = random.Random(seed)
    board = rows, cols, (chooser.randrange(rows), chooser.randrange(cols))
    position = ConnectFour(*board)
    while len(position.moves) < length and not position.over:
        position.play(chooser.choice(position.legal_moves()))
    columns = [column for _, column in position.moves]
    streams = [read_stream(data) for data in stdins(columns, board)]
    game = reconstructed_game(streams)
    if not columns:
        assert game is None
        return
    assert (game.opening, game.first, game.fault) == (streams[0].opening, 0, None)
    assert game.columns == columns[:-1]


def numbers_changed(changes):
    """A function that puts other numbers at places of a turn's line: the last cell, 10 tops, the board from 12 on."""

    def change(line):
        numbers = line.split()
        for place, number in changes.items():
            numbers[place] = b"%d" % number
        return b" ".join(numbers) + b"\n"

    return change


def board_number(row, column):
    """The place of a cell's number in a turn's line."""
    return 2 + COLS + row * COLS + column


def test_boards_that_contradict_the_rules_or_each_other(tmp_path, capsys):
    for turns, changes, stones in [
        (2, {board_number(7, 4): 0, board_number(6, 4): 1}, 2),  # a stone in the air
        (2, {1: 5}, 2),  # another last cell
        (2, {board_number(8, 4): 1}, 2),  # two stones of one side
        (2, {board_number(8, 0): 1}, 3),  # a stone too many
        (2, {board_number(8, 0): 1, board_number(8, 1): 2}, 4),  # four moves, whose order is not told
        (3, {board_number(8, 4): 0, board_number(8, 9): 2}, 4),  # a stone that was there is gone
    ]:
        opening, *lines = stdins()[0].splitlines(keepends=True)[: 1 + turns]
        lines[-1] = numbers_changed(changes)(lines[-1])
        assert main([str(saved(tmp_path, detail([opening + b"".join(lines), b""], rounds=[])))]) == 1, changes
        printed = capsys.readouterr()
        complaint = f"seat 0's board with {stones} stones does not follow from the boards before"
        assert printed.err == f"{tmp_path / 'match_detail.json'}: moves: {complaint}\n", changes
        assert f"  the moves could not be read to the end: {complaint}\n" in printed.out, changes


def test_streams_of_two_games(tmp_path, capsys):
    sent = [stdins()[0], stdins(board=(9, 10, (0, 0)))[1]]
    assert main([str(saved(tmp_path, detail(sent)))]) == 1
    assert (
        "moves: the opening messages to the two seats differ, expected the same board in both"
        in capsys.readouterr().err
    )
    assert main([str(saved(tmp_path, detail([stdins()[0]] * 2)))]) == 1
    assert "moves: the first boards sent to the two seats do not agree on who moved first" in capsys.readouterr().err
