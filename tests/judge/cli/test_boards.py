"""`--boards`: a fixed set of boards for a run, and boards that opponents have in common."""

import json
from pathlib import Path

import pytest

from judge.games import GAMES
from judge.games.connect_four.board import draw_board
from protocol.records.record import read_records
from tests.judge.helpers.scripted import run_judge
from tests.judge.runs.helpers.at_once import ADA, BOB, run_at_once

CYD, DEE = "./cyd", "./dee"
SMALL = {"rows": 9, "cols": 9, "forbidden": [0, 0]}
WIDE = {"rows": 9, "cols": 12, "forbidden": [8, 3]}
TEXT = "# two boards\n9x9 forbidden 0,0\n\nconnect_four 9 x 12 forbidden 8,3  # the wide one\n"
RECORD = ("--record", "games.jsonl", "--seed", 5)
MATCH = ("match", ADA, BOB, *RECORD)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "boards.txt").write_text(TEXT)
    return tmp_path


def boards(folder, words, *more):
    """[(A, B), board] of each pair of a run, by its number."""
    done = run_at_once(folder, *words, *more)
    assert done.returncode == 0, done.stderr
    found = {}
    for record in read_records(folder / "games.jsonl")[0]:
        names = tuple(player.command for player in record.players)
        assert found.setdefault(record.pair, (names, record.board)) == (names, record.board)
    return [found[pair] for pair in sorted(found)]


def test_a_file_names_the_boards_and_they_come_again(folder):
    found = boards(folder, (*MATCH, "--games", 10, "--boards", "boards.txt"))
    assert [board for _, board in found] == [SMALL, WIDE, SMALL, WIDE, SMALL]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_may_begin_with_a_mark_of_its_encoding(folder, encoding):
    (folder / "boards.txt").write_text(TEXT, encoding)
    found = boards(folder, (*MATCH, "--games", 4, "--boards", "boards.txt"))
    assert [board for _, board in found] == [SMALL, WIDE]


def test_the_boards_of_a_record_are_taken_once_each(folder):
    boards(folder, (*MATCH, "--games", 10, "--boards", "boards.txt"))
    (folder / "games.jsonl").rename(folder / "earlier.jsonl")
    found = boards(folder, (*MATCH, "--games", 6, "--boards", "earlier.jsonl"))
    assert [board for _, board in found] == [SMALL, WIDE, SMALL]


def test_so_many_boards_are_drawn_from_a_seed_whatever_the_runs_own(folder):
    expected = [draw_board(77, number).as_json() for number in range(3)]
    found = boards(folder, (*MATCH, "--games", 8, "--boards", "3:77"))
    assert [board for _, board in found] == [*expected, expected[0]]
    (folder / "games.jsonl").unlink()
    nine = boards(folder, (*MATCH, "--games", 8, "--boards", "3:77", "--rows", 9))
    assert [board["rows"] for _, board in nine] == [9] * 4
    assert nine[3] == nine[0] != nine[1]


@pytest.mark.parametrize("game", ["reversi", "dots"])
def test_other_games_have_their_own_notation(folder, game):
    board = GAMES[game].draw_board(3, 0, **GAMES[game].complete_board_options({}, False)).as_json()
    (folder / "one.txt").write_text(f"{GAMES[game].notation.write_board(board)}\n")
    found = boards(folder, (*MATCH, "--game", game, "--games", 4, "--boards", "one.txt"))
    assert [each for _, each in found] == [board] * 2


def test_in_a_batch_all_opponents_meet_the_same_boards(folder):
    words = ("batch", ADA, "--against", BOB, CYD, DEE, *RECORD)
    found = boards(folder, (*words, "--rounds", 2))
    assert [opponent for (_, opponent), _ in found] == [BOB, CYD, DEE] * 2
    assert [board for _, board in found] == [draw_board(5, number // 3).as_json() for number in range(6)]
    resumed = boards(folder, (*words, "--rounds", 3, "--resume"))
    assert resumed[:6] == found and len({json.dumps(board) for _, board in resumed}) == 3


def test_in_a_gauntlet_all_opponents_meet_the_same_boards_whoever_joins(folder):
    words = ("tournament", "--gauntlet", *RECORD)
    found = boards(folder, (*words, ADA, BOB, CYD, "--rounds", 2))
    assert [board for _, board in found] == [draw_board(5, number // 2).as_json() for number in range(4)]
    joined = boards(folder, (*words, ADA, BOB, CYD, DEE, "--rounds", 3, "--resume"))
    by_pairing = {}
    for names, board in joined:
        by_pairing.setdefault(names, []).append(board)
    assert joined[:4] == found
    assert set(by_pairing) == {(ADA, BOB), (ADA, CYD), (ADA, DEE)}
    assert all(played == [draw_board(5, number).as_json() for number in range(3)] for played in by_pairing.values())


def test_a_gauntlet_goes_on_from_a_round_robin_without_a_board_twice(folder):
    boards(folder, ("tournament", ADA, BOB, CYD, *RECORD, "--rounds", 1))
    found = boards(folder, ("tournament", ADA, BOB, CYD, *RECORD, "--rounds", 3, "--gauntlet", "--resume"))
    for opponent in (BOB, CYD):
        played = [json.dumps(board) for names, board in found if names == (ADA, opponent)]
        assert len(played) == len(set(played)) == 3


def test_every_two_players_of_a_tournament_go_through_fixed_boards(folder):
    found = boards(folder, ("tournament", ADA, BOB, CYD, *RECORD, "--rounds", 4, "--boards", "boards.txt"))
    for pairing in {names for names, _ in found}:
        assert [board for names, board in found if names == pairing] == [SMALL, WIDE, SMALL, WIDE]


@pytest.mark.parametrize(
    ("words", "option"),
    [(MATCH, ("--games",)), (("tournament", ADA, BOB, *RECORD), ("--rounds",))],
    ids=["match", "tournament"],
)
def test_a_run_goes_on_with_the_boards_that_it_began_with(folder, words, option):
    words = (*words, *option)
    boards(folder, (*words, 4, "--boards", "boards.txt"))
    (folder / "others.txt").write_text("9x9 forbidden 0,0\n")
    for other in ((), ("--boards", "others.txt"), ("--boards", "2:5")):
        done = run_at_once(folder, *words, 6, "--resume", *other)
        assert (done.returncode, "games.jsonl" in done.stderr, "boards" in done.stderr) == (2, True, True)
    (folder / "boards.txt").rename(folder / "renamed.txt")
    assert len(boards(folder, (*words, 6, "--resume", "--boards", "renamed.txt"))) > 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "9x9 forbidden 0,0\n9x9 forbidden 9,0\n",
            "--boards b.txt: line 2: forbidden cell (9, 0) is off the 9 x 9 board",
        ),
        ("5x9 forbidden 0,0\n", "line 1: the platform's protocol cannot send this board to bots"),
        (
            "9x9\n",
            "line 1: the platform's protocol cannot send this board to bots: 9 rows x 9 columns, no forbidden cell",
        ),
        ("nine\n", "line 1: 'nine' is not a board, expected a line such as 9x9 forbidden 0,8"),
        ("9x9 opening d3\n", "line 1: 'opening d3' follows the size of the board"),
        ("reversi 8x8\n", "line 1: the board is for reversi, expected a board for connect_four"),
        ("# nothing\n", "the file has no board"),
        ('{"game": 5}\n', "b.txt, line 1"),
        ("中\n".encode("gbk"), "line 1: '\ufffd\ufffd' is not a board, expected a line such as"),
        (Path("/dev/zero"), "--boards: b.txt: expected a file, got a device"),
        (None, "b.txt: No such file or directory"),
    ],
)
def test_a_file_that_names_no_boards_is_refused_with_the_place(tmp_path, content, message):
    path = tmp_path / "b.txt"
    if isinstance(content, Path):
        path.symlink_to(content)
    elif content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = run_judge(tmp_path, *MATCH, "--games", 2, "--boards", "b.txt")
    assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (2, "", False)
    assert message in done.stderr.splitlines()[0]
    assert not (tmp_path / "games.jsonl").exists()


def test_options_of_boards_say_nothing_beside_a_file(folder):
    done = run_judge(folder, *MATCH, "--games", 2, "--boards", "boards.txt", "--rows", 9)
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "error: --rows cannot be combined with --boards boards.txt, which determines the boards",
    )


def test_a_match_may_fix_a_board_as_play_does(folder):
    words = (*MATCH, "--games", 4, "--rows", 9, "--cols", 12, "--forbidden", "8,3")
    assert [board for _, board in boards(folder, words)] == [WIDE] * 2
    assert len(boards(folder, (*words[:-7], 6, *words[-6:], "--resume"))) == 3
    done = run_at_once(folder, *words[:-2], "--resume")
    assert done.returncode == 2 and "games.jsonl, game 1 was played with forbidden [8, 3]" in done.stderr
    refused = run_judge(folder, "match", ADA, BOB, "--games", 2, "--rows", 13)
    assert "rows is 13, expected 9..12" in refused.stderr
