"""`python -m bot analyze`: a value for each move, the board, and positions of recorded games."""

import json

import pytest
from msgspec import structs

from judge.games import GAMES
from judge.play.scoresheet import in_order
from protocol.records.record import Termination, append_record
from tests.bot.commands.helpers.tool import found_by, run_tool
from tests.judge.helpers.random_games import recorded_game

BOARDS = {
    "connect_four": {"rows": 9, "cols": 10, "forbidden": [8, 3]},
    "reversi": {"size": 8, "opening": ["d3", "c3"]},
    "dots": {"rows": 3, "columns": 4, "opening": ["AAA", "BEC"]},
}
GAME_NAMES = tuple(BOARDS)
QUICK = ("--iterations", 2000, "--seed", 1)


def analysis(*words):
    return found_by("analyze", *words)


def shown(*words):
    done = run_tool("analyze", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A file of a game of each kind, B first."""
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    for game, board in BOARDS.items():
        append_record(path, recorded_game(game, board, first="B"))
    return path


def record_of(game):
    return recorded_game(game, BOARDS[game], first="B")


def judged(record, ply):
    """The judge's position after so many plies."""
    position = GAMES[record.game].new_position(GAMES[record.game].read_board(record.board))
    for move in record.moves[:ply]:
        position.play(move.move)
    return position


@pytest.mark.parametrize("game", GAME_NAMES)
@pytest.mark.parametrize("ply", [0, 16])
def test_a_position_of_a_record_is_the_judges(file, game, ply):
    record, number = record_of(game), GAME_NAMES.index(game) + 1
    found = analysis("--record", file, "--number", number, "--ply", ply + 1, *QUICK)
    position = judged(record, ply)
    assert found["record"]["game"] == number and found["record"]["ply"] == ply + 1
    assert found["record"]["side"] == in_order("B")[position.to_move] == record.moves[ply].side
    played = found["record"]["played"]
    assert str(played).startswith(str(record.moves[ply].move))
    legal = {str(move) for move in position.legal_moves()}
    listed = [str(known["move"]) for known in found["moves"]]
    assert len(listed) == len(set(listed))
    if game == "dots":  # turns, which begin with an edge
        assert {turn[:3] for turn in listed} <= legal
    else:
        assert set(listed) == legal
    assert listed[0] == str(found["best"])


def test_the_network_is_heard_beside_the_search(file):
    """Of connect four, with a network; not of dots, nor without one."""
    found = analysis("--record", file, "--number", 1, "--ply", 8, *QUICK)
    assert {known["move"] for known in found["evaluation"]["moves"]} <= {known["move"] for known in found["moves"]}
    assert -1 < found["evaluation"]["value"] < 1
    told = shown("--record", file, "--number", 1, "--ply", 8, *QUICK)
    assert any(line.startswith(f"unsearched   {found['evaluation']['value']:+.3f}") for line in told)
    assert "evaluation" not in analysis("--record", file, "--number", 3, *QUICK)
    without = analysis("--record", file, "--number", 1, "--ply", 8, *QUICK, "--set", "network_share=0")
    assert "evaluation" not in without


def test_without_a_ply_it_is_where_the_last_move_was_due(tmp_path):
    record = recorded_game("connect_four", BOARDS["connect_four"])
    forfeited = structs.replace(
        record, moves=record.moves[:6], termination=Termination.TIME_FORFEIT, winner="B", at_fault="A"
    )
    for game in (record, forfeited):
        append_record(tmp_path / "games.jsonl", game)
    won = analysis("--record", tmp_path / "games.jsonl", "--number", 1, *QUICK)["record"]
    assert (won["ply"], won["played"]) == (len(record.moves), record.moves[-1].move)
    lost = analysis("--record", tmp_path / "games.jsonl", *QUICK)["record"]
    assert lost == {"game": 2, "ply": 7, "side": "A", "played": None}
    told = shown("--record", tmp_path / "games.jsonl", *QUICK)
    assert told[0] == "game 2, where ply 7 was due: A to move"
    assert "played       nothing that counts: the game ended as TIME_FORFEIT" in told
    assert "sides        X is A, O is B; X to move" in told
    append_record(tmp_path / "games.jsonl", structs.replace(forfeited, first="B", moves=record.moves[:5]))
    assert "sides        X is B, O is A; O to move" in shown("--record", tmp_path / "games.jsonl", *QUICK)


NOT_HELD = [
    (("--ply", "999"), "--ply 999: expected 1 to "),
    (("--ply", "-1"), "--ply -1: expected 1 to "),
    (("--number", "4"), "--number 4: expected 1 to 3"),
    (("--number", "0"), "--number 0: expected 1 to 3"),
    (("--game", "chess"), "--game chess: expected one of connect_four, reversi, dots"),
    (("--game", "reversi"), "--game reversi: game 3 of games.jsonl is dots"),
    (("--number", "1", "--game", "dots"), "--game dots: game 1 of games.jsonl is connect_four"),
    (("--number", "1", "--rows", "9"), "--rows: --record names the position"),
    (("--moves", "AAB"), "--moves: --record names the position"),
    (("--rec", "games.jsonl"), "--record: write --record, --number and --ply out in full"),
]


def test_former_names_still_work_and_say_the_new_ones(file):
    done = run_tool("analyze", "--record", file, "--game", 1, "--ply", 1, "--budget", 0.1, "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["record"]["game"] == 1
    notes = [line for line in done.stderr.splitlines() if line.startswith("note: ")]
    assert notes == ["note: --game K is called --number K now", "note: --budget is called --limit now"]


def test_what_a_record_does_not_hold_is_named(file):
    for words, complaint in NOT_HELD:
        done = run_tool("analyze", *(() if "--rec" in words else ("--record", file)), *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert complaint in done.stderr.replace(str(file.parent) + "/", "")


NOT_TRUSTED = [
    ({"board": {"rows": 99, "cols": 9, "forbidden": None}}, "the record's rows is 99, expected 4 to 12"),
    ({"board": {}}, "the record's rows is None, expected 4 to 12"),
    ({"board": {"rows": 9, "cols": 9, "forbidden": [9, 0]}}, "the record's forbidden cell is [9, 0]"),
    ({"game": "chess"}, "game 1 is of 'chess', expected one of connect_four"),
]


def test_a_record_is_not_trusted(tmp_path):
    for change, complaint in NOT_TRUSTED:
        (tmp_path / "a.jsonl").unlink(missing_ok=True)
        append_record(tmp_path / "a.jsonl", structs.replace(record_of("connect_four"), **change))
        done = run_tool("analyze", "--record", tmp_path / "a.jsonl", *QUICK)
        assert (done.returncode, done.stdout) == (2, "") and complaint in done.stderr


def test_lines_that_are_no_records_are_named_and_a_torn_one_is_left_out(tmp_path):
    path, line = tmp_path / "a.jsonl", record_of("connect_four").to_json()
    for text, complaint in (
        (line.replace('"record_version":3', '"record_version":2'), f"dropfour convert {path} NEW writes it anew"),
        (line.replace('"record_version":3', '"record_version":"x"'), "record_version: expected 3, got 'x'"),
        (line.replace('"moves":', '"moved":'), "the key 'moves' is missing"),
        ("[]", "line 2: "),
        ("[" * 100_000, "line 2: "),
    ):
        path.write_text(f"{line}\n{text}\n")
        done = run_tool("analyze", "--record", path, *QUICK)
        assert (
            (done.returncode, done.stdout) == (2, "")
            and f"{path}, line 2: " in done.stderr
            and complaint in done.stderr
        )
    path.write_text(f"{line}\n{line[:90]}")
    assert analysis("--record", path, *QUICK)["record"]["game"] == 1


def test_a_move_that_is_none_is_named(tmp_path):
    for game, move in (("connect_four", 99), ("connect_four", "d3"), ("reversi", 5), ("dots", "ZZZ")):
        record = record_of(game)
        moves = (structs.replace(record.moves[0], move=move), *record.moves[1:])
        append_record(tmp_path / "a.jsonl", structs.replace(record, moves=moves))
        done = run_tool("analyze", "--record", tmp_path / "a.jsonl", "--ply", 3, *QUICK)
        assert (done.returncode, done.stdout) == (2, "") and repr(move) in done.stderr, (game, move)


def test_ply_means_what_repro_means_by_it(file):
    """The position in which that ply was due, and what was played there."""
    record = record_of("connect_four")
    assert analysis("--record", file, "--number", 1, "--ply", 1, *QUICK)["record"]["played"] == record.moves[0].move


def test_the_end_of_a_game_is_no_position_to_look_at(file):
    plies = len(record_of("connect_four").moves)
    done = run_tool("analyze", "--record", file, "--number", 1, "--ply", plies + 1)
    assert done.returncode == 2 and f"the game is over after ply {plies}" in done.stderr


def test_a_tree_tells_visits_and_its_best_move_first():
    found = analysis("--rows", 9, "--cols", 10, *QUICK)
    moves = found["moves"]
    assert [known["move"] for known in moves][0] == found["best"]
    assert moves[0]["value"] == found["value"]
    assert {known["move"] for known in moves} == set(range(10))
    assert sum(known["visits"] for known in moves) == found["iterations"]
    assert all(known["at_most"] is False and -1 <= known["value"] <= 1 for known in moves)
    others = [known["value"] for known in moves[1:]]
    assert others == sorted(others, reverse=True)


def test_what_a_look_ahead_tells_is_told_of_each_column():
    forced = analysis("--rows", 6, "--cols", 7, "--moves", "0,6,1,6,2", *QUICK)["moves"]  # O has to block column 3
    proven = {known["move"]: known["proven"] for known in forced}
    assert [move for move, outcome in proven.items() if outcome != "loss"] == [3]
    won = analysis("--rows", 6, "--cols", 7, "--moves", "0,6,1,6,2,5", *QUICK)["moves"]
    assert (won[0]["move"], won[0]["proven"], won[0]["value"]) == (3, "win", 1.0)
    lost = analysis("--rows", 6, "--cols", 7, "--moves", "3,6,2,6,4", *QUICK)["moves"]
    assert {known["proven"] for known in lost} == {"loss"}


def test_alphabeta_says_where_it_knows_a_bound_alone():
    found = analysis("--rows", 6, "--cols", 7, "--moves", "3,3", "--preset", "alphabeta", "--iterations", 10**7)
    by_itself = found["moves"]
    assert by_itself[0]["at_most"] is False
    bounds = [known for known in by_itself if known["at_most"]]
    assert bounds and all(known["value"] <= by_itself[0]["value"] for known in bounds)
    text = shown("--rows", 6, "--cols", 7, "--moves", "3,3", "--preset", "alphabeta", "--iterations", 10**7)
    assert any("< at most" in line for line in text)


def value_of_4(moves):
    """The exact score of a position of reversi on 4 x 4, by the solver, for the side to move; the moves so far."""
    return analysis("--game", "reversi", "--size", 4, "--moves", moves, "--exact")["score"]


def test_reversis_moves_are_solved_one_by_one():
    found = analysis("--game", "reversi", "--size", 4, "--moves", "b1", "--iterations", 10**6)
    assert len(found["moves"]) == 3
    for known in found["moves"]:
        assert known["value"] * 64 == pytest.approx(-value_of_4(f"b1,{known['move']}"), abs=0.01)
        assert known["proven"] == {True: "win", False: "loss"}[known["value"] > 0]


def test_dots_turns_are_searched_one_by_one_by_alphabeta():
    found = analysis("--game", "dots", "--size", "1x2", "--preset", "alphabeta", "--iterations", 10**6)
    for known in found["moves"]:
        after = analysis(
            "--game", "dots", "--size", "1x2", "--moves", known["move"], "--preset", "alphabeta", "--iterations", 10**6
        )
        assert known["value"] == -after["value"]
    assert found["moves"][0]["value"] == max(known["value"] for known in found["moves"])


@pytest.mark.parametrize(
    "preset",
    ["default", "alphabeta", "random", *(pytest.param(name, marks=pytest.mark.slow) for name in ("uct", "amaf"))],
)
def test_every_engine_of_dots_tells_of_whole_moves(preset):
    """X may take a box with AAA and goes on then."""
    words = ("--game", "dots", "--size", "2x2", "--moves", "BAA,BBA,ABA", "--preset", preset, *QUICK)
    found = analysis(*words)
    moves = [known["move"] for known in found["moves"]]
    assert found["best"] in moves or preset == "random"
    assert len(moves) == len(set(moves))
    assert len(shown(*words)) >= 8


def test_the_board_of_connect_four_has_a_row_of_values_and_one_of_visits():
    lines = shown("--rows", 4, "--cols", 5, "--forbidden", "3,0", "--moves", "1,2", *QUICK)
    assert lines[:6] == [
        "         0     1     2     3     4",
        "     0   .     .     .     .     .",
        "     1   .     .     .     .     .",
        "     2   .     .     .     .     .",
        "     3   #     X     O     .     .",
        "         0     1     2     3     4",
    ]
    assert lines[6].startswith("value") and lines[6].count("[") == 1
    assert lines[7].startswith("visits") and len(lines[7].split()) == 6
    assert max(map(len, shown("--rows", 12, "--cols", 12, *QUICK)[:16])) < 80


def test_the_board_of_reversi_has_values_in_its_squares():
    lines = shown("--game", "reversi", "--moves", "d3", *QUICK)
    board = [line.split() for line in lines[1:9]]
    assert [len(row) for row in board] == [9] * 8
    assert board[2][4] == board[3][4] == "X"
    values = [cell for row in board for cell in row[1:] if cell not in (".", "X", "O")]
    assert len(values) == 3 and sum(value.startswith("[") for value in values) == 1
    assert "moves searched" in "\n".join(lines)
    assert max(map(len, shown("--game", "reversi", "--size", 10, *QUICK)[:12])) < 80


def test_whose_discs_are_whose_is_as_in_the_game(file):
    """After a pass, too: X stays the first mover."""
    record = record_of("reversi")
    for ply in (5, len(record.moves) - 2):
        lines = shown("--record", file, "--number", 2, "--ply", ply + 1, *QUICK)[2:10]
        owners = [owner for row in judged(record, ply).owner for owner in row]
        drawn = [cell for line in lines for cell in line.split()[1:]]
        assert ["XO"[owner] for owner in owners if owner is not None] == [cell for cell in drawn if cell in ("X", "O")]


def test_the_board_of_dots_has_its_best_turn_in_stars():
    lines = shown("--game", "dots", "--size", "2x2", "--moves", "BAA,BBA,ABA", *QUICK)
    assert lines[2].startswith("  AA  .***.")  # it takes the box first
    assert lines[0].split()[-3:] == ["turn", "value", "visits"]
    assert sum("* " in line[16:] for line in lines[:10]) == 1
    assert any(line.strip() == "boxes: 0 taken, 4 left, +0 for the side to move" for line in lines)
    assert "sides        X moves first, O second; O to move" in lines
