"""Games of reversi between processes: who is asked, whose clock runs, what is recorded and judged again."""

import json

import pytest

from judge.games.reversi.board import Board
from judge.games.reversi.rules import Reversi
from judge.play import referee
from judge.play.recheck import disagreements
from judge.play.referee import play_game
from judge.players.players import Contestant
from protocol.records.record import GameRecord
from tests.judge.helpers.scripted import PLIES_OF_FIRST_LEGAL_PLAY, bot, moves_of, plan, play_unless_void

GAME = "reversi"
WHITE_BEGINS = Board(8, ("d3",))


def first_legal(*words):
    return bot("first_legal", *words, game=GAME)


def first_legal_game(board):
    """The position after first legal moves to the end, and whose moves they were, as players 0 and 1."""
    position, order = Reversi(board.size, board.opening), []
    while not position.over:
        order.append(position.to_move)
        position.play(position.legal_moves()[0])
    return position, order


def sides_of(record):
    return [move.side for move in record.moves]


@pytest.mark.parametrize("first", "AB")
def test_a_whole_game_is_recorded_with_its_passes(first):
    record = play_game((first_legal(), first_legal()), plan(first=first, game=GAME))
    position, order = first_legal_game(Board(8))
    names = "AB" if first == "A" else "BA"
    assert (record.game, record.board) == (GAME, {"size": 8, "opening": []})
    assert sides_of(record) == [names[player] for player in order]
    assert "1111" in "".join(map(str, order))  # white moves four times running
    assert len(record.moves) == PLIES_OF_FIRST_LEGAL_PLAY[GAME]
    assert moves_of(record)[:3] == ["d3", "c3", "b3"]
    assert (record.termination, record.winner, record.at_fault) == ("NORMAL", names[position.winner], None)
    assert record.extra["reason"] == f"{names[1]} has 45 discs to 19"
    assert disagreements(record) == []
    assert GameRecord.from_json(record.to_json()) == record


@pytest.mark.parametrize("size", [4, 5, 6, 7, 9, 10])
def test_every_size_is_played_to_its_end(size):
    board = Board(size)
    record = play_game((first_legal(), first_legal()), plan(board=board, game=GAME))
    position, order = first_legal_game(board)
    assert record.winner == (None if position.winner is None else "AB"[position.winner])
    assert sides_of(record) == ["AB"[player] for player in order]
    assert disagreements(record) == []


def test_as_many_discs_each_are_a_draw():
    record = play_game((first_legal(), first_legal()), plan(board=Board(6), game=GAME))
    assert (record.termination, record.winner, record.extra["reason"]) == ("NORMAL", None, "18 discs each")


def test_the_clock_belongs_to_the_side_to_move_however_often_it_is_asked():
    record = play_game((first_legal(), first_legal("--delay", 3, "--delay-from", 30)), plan(game=GAME))
    times = {side: [move.wall_s for move in record.moves if move.side == side] for side in "AB"}
    assert len(times["B"]) > len(times["A"])
    assert min(times["B"][30:]) >= 3
    assert max(times["A"] + times["B"][:30]) < 3


def test_reports_belong_to_their_moves(monkeypatch):
    for name in ("REPORT_WAIT_S", "KNOWN_REPORT_WAIT_S"):
        monkeypatch.setattr(referee, name, 2.0)  # on a busy machine they come late
    record = play_game((first_legal(), first_legal("--report")), plan(game=GAME))
    reported = [move for move in record.moves if move.side == "B"]
    for number, move in enumerate(reported):
        assert move.report == {"value": number / 100, "move": move.move}
    assert all(move.report is None for move in record.moves if move.side == "A")


def test_the_first_clock_belongs_to_who_moves_first():
    late = first_legal("--startup", 0.3)
    board = {"board": WHITE_BEGINS, "game": GAME, "free_start": False}
    record = play_game((first_legal(), late), plan(**board))
    assert (record.first, sides_of(record)[:2]) == ("A", ["B", "A"])
    assert record.moves[0].wall_s >= 0.3
    assert record.moves[0].cpu_s >= 0.25
    assert disagreements(record) == []
    record = play_unless_void((first_legal(), first_legal("--startup", 600)), plan(0.4, **board))
    assert (record.termination, record.at_fault, record.moves) == ("STALL", "B", ())


def test_of_two_broken_commands_who_moves_first_is_at_fault():
    players = (Contestant("broken", "no-such-program-a"), Contestant("broken", "no-such-program-b"))
    record = play_game(players, plan(board=WHITE_BEGINS, game=GAME))
    assert (record.termination, record.at_fault) == ("STARTUP_FAILURE", "B")


def test_an_opening_is_played_before_the_game():
    board = Board(8, ("f5", "d6", "c3"))
    record = play_game((first_legal(), first_legal()), plan(board=board, game=GAME))
    assert record.board["opening"] == ["f5", "d6", "c3"]
    assert sides_of(record)[0] == "B"
    assert disagreements(record) == []


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
        (lambda game: game["moves"][19].update(side="A"), "ply 20 is recorded as A's, but B was to move"),
        (lambda game: game["moves"].pop(), "the game is recorded as NORMAL, but it is not over"),
        (
            lambda game: game["moves"].append({"side": "B", "move": "a1", "wall_s": 0.1}),
            "ply 61 is recorded as legal, but a1 played after the end of the game",
        ),
        (lambda game: game["moves"][1].update(move="d3"), "ply 2 is recorded as legal, but d3 is taken"),
        (
            lambda game: game["moves"][0].update(move="a1"),
            "ply 1 is recorded as legal, but a1 turns no disc, expected one of d3 c4 f5 e6",
        ),
        (
            lambda game: game["moves"][0].update(move=3),
            "ply 1 is recorded as legal, but 3 is no cell, expected a letter and a number such as d3",
        ),
        (lambda game: game["board"].update(size=3), "size is 3, expected 4..10"),
        (lambda game: game["board"].update(opening=["d4"]), "opening: ply 1: d4 is taken"),
        (
            lambda game: game.update(board={"rows": 9, "cols": 9, "forbidden": None}),
            "board has rows, cols, forbidden, expected size, opening",
        ),
        (
            lambda game: game.update(game="connect_four"),
            "board has size, opening, expected rows, cols, forbidden",
        ),
    ],
)
def test_falsified_records_are_found_out(won, change, sentence):
    assert disagreements(falsified(won, change))[0] == sentence
