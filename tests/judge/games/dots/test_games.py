"""Games of dots and boxes between processes: whole turns in one reply, what is recorded of them, and judged again."""

import json
import sys

import pytest

from judge.games.dots.board import Board, draw_board
from judge.games.dots.rules import Dots
from judge.play import referee
from judge.play.recheck import disagreements
from judge.play.referee import play_game
from judge.players.players import Contestant
from judge.statistics.score import move_times
from protocol.records.record import GameRecord
from tests.judge.helpers.scripted import (
    PLIES_OF_FIRST_LEGAL_PLAY,
    REPOSITORY,
    bot,
    moves_of,
    plan,
    play_unless_void,
    replies_of,
)

GAME = "dots"
ONE_BOX_OPEN = Board(1, 2, ("AAA", "ABA", "BAA"))  # player 1 is to move, and may complete a box with BBA
ODD = Board(5, 5, ("AAB",))


def first_legal(*words):
    return bot("first_legal", *words, game=GAME)


def greedy(seed=1):
    return bot("greedy_mover", "--seed", seed, game=GAME)


def trouble(mode, at=0):
    return bot("misbehave", mode, "--at", at, game=GAME)


def replayed(record):
    position = Dots(record.board["rows"], record.board["columns"], record.board["opening"])
    sides = []
    for move in record.moves:
        sides.append(position.to_move)
        position.play(move.move)
    return position, sides


@pytest.mark.parametrize("first", "AB")
def test_a_whole_game_is_recorded_edge_by_edge(first):
    record = play_game((first_legal(), first_legal()), plan(first=first, game=GAME))
    position, sides = replayed(record)
    names = "AB" if first == "A" else "BA"
    assert (record.game, record.board) == (GAME, {"rows": 5, "columns": 5, "opening": []})
    assert [move.side for move in record.moves] == [names[side] for side in sides]
    assert len(record.moves) == PLIES_OF_FIRST_LEGAL_PLAY[GAME]
    assert moves_of(record)[:3] == ["AAA", "AAB", "AAC"]
    assert position.counts == (10, 15)
    assert (record.termination, record.winner, record.at_fault) == ("NORMAL", names[1], None)
    assert record.extra["reason"] == f"{names[1]} has 15 boxes to 10"
    assert disagreements(record) == []
    assert GameRecord.from_json(record.to_json()) == record


@pytest.mark.parametrize("size", [(1, 1), (1, 7), (7, 1), (2, 3), (4, 4), (7, 7)])
@pytest.mark.parametrize("first", "AB")
def test_every_size_is_played_to_its_end(size, first):
    record = play_game(
        (greedy(1), bot("random_mover", "--seed", 2, game=GAME)), plan(board=Board(*size), first=first, game=GAME)
    )
    position, _ = replayed(record)
    assert (record.termination, position.over) == ("NORMAL", True)
    assert record.winner == (
        None if position.winner is None else first if position.winner == 0 else "BA"["AB".index(first)]
    )
    assert disagreements(record) == []


def test_as_many_boxes_each_are_a_draw():
    record = play_game((first_legal(), first_legal()), plan(board=Board(4, 4), game=GAME))
    assert (record.termination, record.winner, record.extra["reason"]) == ("NORMAL", None, "8 boxes each")


def test_who_takes_boxes_beats_who_does_not():
    record = play_game((bot("random_mover", "--seed", 2, game=GAME), greedy()), plan(game=GAME))
    assert record.winner == "B"


def test_a_turn_of_many_edges_has_one_time_and_one_report(monkeypatch):
    for name in ("REPORT_WAIT_S", "KNOWN_REPORT_WAIT_S"):
        monkeypatch.setattr(referee, name, 2.0)  # on a busy machine they come late
    record = play_game((first_legal("--report"), first_legal("--delay", 0.02)), plan(game=GAME))
    _, sides = replayed(record)
    begins = [ply == 0 or sides[ply] != sides[ply - 1] for ply in range(len(sides))]
    assert not all(begins)
    for ply, (move, begins_turn) in enumerate(zip(record.moves, begins, strict=True)):
        assert (move.wall_s > 0) == begins_turn
        assert (move.report is not None) == (begins_turn and move.side == "A")
        if move.report is not None:
            assert move.report["move"] == move.move
        if begins_turn and move.side == "B":
            assert move.wall_s >= 0.02, ply
    assert replies_of(record, "B") == 1 + len(move_times([record], "B", first_move=False))
    assert min(move_times([record], "B", first_move=False)) >= 0.02


def test_an_opening_is_played_before_the_game():
    board = draw_board(3, 0, "5x5", 12)
    record = play_game((greedy(1), greedy(2)), plan(board=board, game=GAME))
    assert record.board["opening"] == list(board.opening)
    assert len(record.moves) == 60 - 12
    assert disagreements(record) == []


def test_the_first_clock_belongs_to_who_moves_first():
    board = {"board": ODD, "game": GAME, "free_start": False}
    record = play_game((first_legal(), first_legal("--startup", 0.3)), plan(**board))
    assert (record.first, [move.side for move in record.moves][:2]) == ("A", ["B", "A"])
    assert record.moves[0].wall_s >= 0.3
    assert disagreements(record) == []
    record = play_unless_void((first_legal(), first_legal("--startup", 600)), plan(0.4, **board))
    assert (record.termination, record.at_fault, record.moves) == ("STALL", "B", ())


def test_of_two_broken_commands_who_moves_first_is_at_fault():
    players = (Contestant("broken", "no-such-program-a"), Contestant("broken", "no-such-program-b"))
    record = play_game(players, plan(board=ODD, game=GAME))
    assert (record.termination, record.at_fault) == ("STARTUP_FAILURE", "B")


def test_a_bot_that_names_itself_late_is_heard_in_silence():
    """Its answer to `name?` comes while the other side thinks."""
    players = (first_legal("--delay", 0.2), first_legal("--startup", 0.1))
    record = play_game(players, plan(board=Board(2, 2), free_start=False, game=GAME))
    assert record.termination == "NORMAL", record.extra


def test_a_turn_that_stops_at_a_box_is_illegal_and_its_edge_is_recorded():
    record = play_game((first_legal(), trouble("stops_short")), plan(board=ONE_BOX_OPEN, game=GAME))
    assert (record.termination, record.at_fault, record.winner) == ("ILLEGAL_MOVE", "B", "A")
    assert moves_of(record) == ["BBA"]
    assert record.extra["reason"] == "B: the turn stops at BBA, which completed a box: an edge has to follow"
    assert disagreements(record) == []


def test_a_turn_that_goes_on_is_illegal_and_the_side_at_fault_is_to_move():
    record = play_game((trouble("goes_on"), first_legal()), plan(game=GAME))
    assert (record.termination, record.at_fault, moves_of(record)) == ("ILLEGAL_MOVE", "A", [])
    assert record.extra["reason"] == "A: AAB was sent though AAA ended the turn"
    assert disagreements(record) == []


@pytest.mark.parametrize("board", [Board(2, 3), Board(1, 1), draw_board(7, 0, "5x5", 20)])
@pytest.mark.parametrize("first", "AB")
def test_the_projects_own_bot_plays_whole_games(board, first, monkeypatch):
    """Without compiled kernels, which are others' to test."""
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    command = f"{sys.executable} -m bot --game dots --backend python --limit 0.2 --seed 1"
    record = play_game((Contestant("bot", command), greedy()), plan(board=board, first=first, game=GAME))
    assert record.termination == "NORMAL", record.extra
    assert {move.side for move in record.moves} == {"A", "B"}
    assert disagreements(record) == []


def test_nothing_is_read_behind_the_turn_that_ends_the_game():
    last = Board(1, 1, ("AAA", "ABA", "BAA"))
    record = play_game((first_legal(), trouble("extra_bytes")), plan(board=last, game=GAME))
    assert (record.termination, record.winner) == ("NORMAL", "B")


def falsified(record, change):
    content = json.loads(record.to_json())
    change(content)
    return GameRecord.from_json(json.dumps(content))


@pytest.fixture(scope="module")
def won():
    return play_game((first_legal(), first_legal()), plan(game=GAME))


@pytest.mark.parametrize(
    "change, sentence",
    [
        (lambda game: game.update(winner="A"), "the recorded winner is A, by the rules B"),
        (lambda game: game.update(first="B"), "ply 1 is recorded as A's, but B was to move"),
        (lambda game: game["moves"].pop(), "the game is recorded as NORMAL, but it is not over"),
        (
            lambda game: game["moves"].append({"side": "B", "move": "AAA", "wall_s": 0.1}),
            "ply 61 is recorded as legal, but AAA played after the end of the game",
        ),
        (lambda game: game["moves"][1].update(move="AAA"), "ply 2 is recorded as legal, but AAA is drawn already"),
        (lambda game: game["moves"][0].update(move="aaa"), "ply 1 is recorded as legal, but 'aaa' is no edge of 5 x 5"),
        (lambda game: game["moves"][0].update(move=3), "ply 1 is recorded as legal, but 3 is no edge of 5 x 5 boxes"),
        (lambda game: game["board"].update(rows=8), "rows is 8, expected 1..7"),
        (lambda game: game["board"].update(opening=["AAA", "AAA"]), "opening: ply 2: AAA is drawn already"),
        (
            lambda game: game.update(board={"size": 8, "opening": []}),
            "board has size, opening, expected rows, columns, opening",
        ),
        (lambda game: game.update(game="reversi"), "board has rows, columns, opening, expected size, opening"),
    ],
)
def test_falsified_records_are_found_out(won, change, sentence):
    assert disagreements(falsified(won, change))[0].startswith(sentence)


def test_a_capture_given_to_the_other_side_is_found_out(won):
    _, sides = replayed(won)
    ply = next(ply for ply in range(1, 60) if sides[ply] == sides[ply - 1])
    other = "BA"["AB".index(won.moves[ply].side)]
    changed = falsified(won, lambda game: game["moves"][ply].update(side=other))
    assert disagreements(changed) == [f"ply {ply + 1} is recorded as {other}'s, but {won.moves[ply].side} was to move"]
