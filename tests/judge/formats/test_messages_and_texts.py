"""Botzone's messages, lines of the contest platform, text by hand: what is read, and what is said of what is wrong."""

import json
import time

import pytest
from msgspec import structs

from judge.formats import saiblo
from judge.formats.reading import MOST_PROBLEMS
from judge.formats.text import NO_RESULT, write
from judge.games import GAMES
from judge.play.recheck import disagreements
from judge.reasons import reason_of
from protocol.botzone import Requests
from protocol.games import dots as dots_wire
from protocol.games.dots import botzone as pencil
from protocol.games.reversi import botzone as reversi_on_botzone
from protocol.records.record import Termination
from tests.judge.helpers.logged_files import contest_lines, reversi_history
from tests.judge.helpers.logged_games import any_record, imported, outcome
from tests.judge.helpers.random_games import recorded_game


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("form", ["botzone", "botzone-simple"])
def test_botzones_histories_of_reversi(player, form):
    record = any_record("reversi", 2, 20, Termination.CRASH)
    assert {move.side for move in record.moves[::2]} == {"A"}  # nobody had to pass
    history = reversi_history(record, player)
    early = type(history)(history.requests[:3], history.responses[:2])
    text = b"".join(reversi_on_botzone.encode_requests(message, form) for message in (early, history))
    (found,), problems, name = imported(text)
    assert (problems, name) == ([], "botzone")
    assert (found.game, found.termination) == ("reversi", Termination.VOID)
    told = outcome(found)[2]
    assert told == outcome(record)[2][: len(told)]
    assert len(told) in (19, 20)


def test_botzones_bare_requests_between_answers():
    text = "\n".join(
        [
            '{"requests":[{"x":-1,"y":-1}],"responses":[],"time_limit":1}',
            '{"response":{"x":2,"y":3},"debug":"{"}',
            ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<",
            '{"x":2,"y":2}',
            '{"response":{"x":3,"y":2}}',
            '{"x":2,"y":4}',
        ]
    )
    (found,), problems, _name = imported(text)
    assert problems == []
    assert [move.move for move in found.moves] == ["d3", "c3", "c4", "e3"]
    _games, problems, _name = imported(text.replace('{"response":{"x":3,"y":2}}\n', ""))
    assert [(problem.place, problem.text) for problem in problems] == [
        ("line 5", "this request follows another request: the file lacks the bot's response to the first one")
    ]


def test_botzones_pencil():
    requests = ((-1, -1, 0), (1, 2, 0), (-1, -1, 0))
    responses = ((1, 0), (0, 1))
    for form in ("botzone", "botzone-simple"):
        text = pencil.encode_requests(Requests(requests, responses), form)
        (found,), problems, _name = imported(text)
        assert (problems, found.game) == ([], "dots")
        assert [move.move for move in found.moves] == [dots_wire.edge_at(1, 0), dots_wire.edge_at(1, 2), "BAA"]
        assert found.board == {"rows": 5, "columns": 5, "opening": []}


def test_what_is_wrong_with_messages_of_botzone():
    for text, place in [
        ('{"requests":[{"x":-1,"y":-1},{"x":9,"y":9}],"responses":[{"x":2,"y":3}]}', "line 1, in requests[1]"),
        ('{"requests":[{"x":-1,"y":-1},{"x":0,"y":0}],"responses":[{"x":2,"y":3}]}', "line 1, in requests[1]"),
        ('{"requests":[{"x":-1}],"responses":[]}', "line 1"),
        ('{"requests":[{"x":-1,"y":-1}],"responses":[{"x":2,"y":3}]}', "line 1"),
        ('{"response":{"x":2,"y":3}}', "line 1, in response"),
        ('{"requests":[{"x":-1,"y":-1}],"responses":[]}\n[3]', "line 2"),
        ('{"requests":[{"x":-1,"y":-1}],"responses":[]}\n{"x":', "line 2"),
        ("2\n-1 -1\n2 3", "line 1"),
    ]:
        _games, problems, name = imported(text)
        assert name == "botzone", text
        assert [problem.place for problem in problems] == [place], text


def test_a_log_of_botzone_takes_time_in_proportion_to_its_length():
    """80,000 messages would take minutes if the lines before each were counted."""
    lines = [json.dumps({"x": 2, "y": number % 8}) for number in range(40_000)]
    text = "\n".join(f'{line}\n{{"response": {line}}}' for line in lines) + "\n{bad" * 20_000
    before = time.process_time()
    _games, problems, _name = imported(text, "botzone")
    assert time.process_time() - before < 20
    places = {problem.place for problem in problems}
    last = 80_000 + MOST_PROBLEMS  # the others are counted
    assert f"line {last}" in places and f"line {last + 1}" not in places


@pytest.mark.parametrize("seed", [0, 1])
def test_lines_of_the_contest_platform(seed):
    record = any_record("dots", seed)
    text = contest_lines(record)
    marked = "\0> " + text.replace("\n", "\r\n\0< ")
    for logged in (text, marked):
        (found,), problems, name = imported(logged)
        assert (problems, name) == ([], "contest")
        assert outcome(found) == outcome(record)
    two, problems, _name = imported(text + "\n" + text)
    assert (problems, [outcome(game) for game in two]) == ([], [outcome(record)] * 2)


def test_what_is_wrong_with_lines_of_the_contest():
    for text, line, problem in [
        ("new black\nmove 2 AAA\n", 2, "the line says that it has 2 edges, but it has 1"),
        ("new black\nmove 1 AAA\nmove 1 AAA\n", 3, None),
        (
            "new black\nmove 2 AAABBB\n",
            2,
            "the turn has edges after the edge that ends it: the file lacks turns of one side",
        ),
        ("new black\nmove 1 AZZ\nmove 1 AAA", 2, None),
        (
            "move AAA\nmove ABA\nmove BAA\nmove BBA\n",
            4,
            "the turn stops though its last edge completed a box: the file lacks turns of one side",
        ),
    ]:
        games, problems, name = imported(text)
        assert (games, name, problems[0].place) == ([], "contest", f"line {line}"), text
        assert problem is None or problems[0].text == problem


@pytest.mark.parametrize("score", ["NaN", "Infinity", "1" + "0" * 400, "null"])
def test_a_replay_of_reversi_with_a_score_that_is_none(score):
    """Where the rules do not say who has won, nobody has."""
    record = any_record("reversi", 2, 10)
    content = json.loads(saiblo.write_reversi(record))
    content[-1] = {"0": "SCORE", "1": 0, "state": -1, "maze": content[-1]["maze"]}
    (found,), problems, _name = imported(json.dumps(content).replace('"SCORE"', score))
    is_number = score.startswith("1")
    assert [problem.text.startswith("the file says that the result is a win of A") for problem in problems] == [
        True
    ] * is_number
    assert (found.winner, found.termination) == (None, Termination.VOID)


def test_a_board_that_cannot_be_takes_its_own_game_down_alone():
    finished = "board 1x1\nnew black\nnew white\nmove 1 AAA\nmove 1 ABA\nmove 1 BAA\nmove 1 BBA\n"
    for board, problem in [
        ("board 9x9", "rows is 9, expected 1..7"),
        ("board 10x5 AAA", "rows is 10, expected 1..7"),
        ("board 2x2 AAAAAA", "ply 2 of the opening is not legal: AAA is drawn already"),
        ("board 2x2 AAZ", None),
        ("board 2x2 AA7", None),
    ]:
        wrong = f"{board}\nnew black\nnew white\nmove 1 AAB\nmove 1 ABB\nmove 1 AZZ\n"
        games, problems, _name = imported(finished + wrong + finished)
        assert [len(game.moves) for game in games] == [4, 4]
        assert [game.board["rows"] for game in games] == [1, 1]
        assert [found.place for found in problems] == ["line 8"], board
        assert problem is None or problem in problems[0].text


def test_what_one_engine_was_sent_is_no_game():
    _games, problems, name = imported("name?\nnew white\nmove 1 AAA\nmove 1 ABA\n")
    assert (name, [(problem.place, problem.text) for problem in problems]) == (
        "contest",
        [
            (
                "",
                "the file has only the lines that one engine received, which are the other side's turns: "
                "expected the turns of both sides",
            )
        ],
    )
    games, problems, _name = imported("name?\nname one\nnew white\nmove 1 AAA\nmove 1 ABA\n")
    assert (len(games[0].moves), problems) == (2, [])


def test_reversi_as_people_write_it():
    cells = ["f5", "d6", "c3", "d3", "c4"]
    for moves in ("f5d6c3d3c4", "F5D6 C3D3C4", "1. f5 d6 2. c3 d3 3. c4", "1.F5D6 2.C3D3\n3.C4"):
        for board in ("reversi 8x8", "8x8"):
            (record,), problems, _name = imported(f"{board}\n{moves}")
            assert (problems, [move.move for move in record.moves]) == ([], cells)
    games, problems, _name = imported("8x8\nf5 PA d6")
    assert (games, [found.text for found in problems]) == ([], ["the file says that A made ply 2, but it was B's turn"])


def test_a_pass_of_reversi_may_be_named():
    for record in (recorded_game("reversi", seed=seed) for seed in range(20)):
        sides = [move.side for move in record.moves]
        passes = [ply for ply in range(1, len(sides)) if sides[ply] == sides[ply - 1]]
        opening = record.board["opening"]
        for name in ("PA", "pass", ""):
            words = [(name if ply in passes else "") + move.move for ply, move in enumerate(record.moves)]
            text = f"reversi {record.board['size']}x{record.board['size']}\n" + "".join(opening + words).upper()
            (found,), problems, _name = imported(text)
            assert problems == [] and [move.move for move in found.moves] == opening + [m.move for m in record.moves]


def test_text_by_hand():
    for text, game, moves in [
        ("9x12 forbidden 0,8\n4,4,3", "connect_four", [4, 4, 3]),
        ("9 x 12 forbidden 0, 8 # a remark\n4 4;3\n # another\n\n5", "connect_four", [4, 4, 3, 5]),
        ("9x9\n4", "connect_four", [4]),
        ("8x8\nD3 c3", "reversi", ["d3", "c3"]),
        ("8x8 opening d3,c3\nc4", "reversi", ["c4"]),
        ("5x5\naab,BCA", "dots", ["AAB", "BCA"]),
        ("1x1\nAAA,ABA,BAA,BBA", "dots", ["AAA", "ABA", "BAA", "BBA"]),
        ("2x2\nAAA ABA BAA BBAACA", "dots", ["AAA", "ABA", "BAA", "BBA", "ACA"]),
        ("dots 3x3", "dots", []),
    ]:
        (record,), problems, name = imported(text)
        assert (problems, name, record.game) == ([], "text", game), text
        assert [move.move for move in record.moves] == moves


def test_what_is_wrong_with_a_text():
    good = "reversi 8x8\nd3\n"
    for text, line, problem in [
        (
            "4,4,3\n9x9\n4",
            1,
            "'4,4,3' comes before the first board, expected a line such as 9x12 forbidden 0,8 before it",
        ),
        (
            "9x9 prohibited 3\n4",
            1,
            "'prohibited 3' follows the size of the board, expected text such as: forbidden 0,8",
        ),
        ("9x9 forbidden 0,8\n4\nd3", 3, "'d3' is no move of connect_four, expected a move such as 4"),
        ("9x9\n4,4\n12", 3, "ply 3 is not legal: column 12 is off the board, expected 0..8"),
        ("chess 8x8\ne4", 1, "'chess' is no game, expected one of connect_four, reversi, dots"),
        ("8x9\nd3", 1, "8x9 is no board of reversi, expected as many rows as columns"),
        ("3x3", 1, "the game is not named: write its name before the size, as in reversi 8x8"),
        ("9x9\n4\nresult C", 3, NO_RESULT.format(found="'result C'")),
        ("9x9\n4\nresult A", 1, None),
        ("8x8 opening d4\nc4", 1, "ply 1 of the opening is not legal: d4 is taken"),
    ]:
        games, problems, _name = imported(text + "\n" + good)
        assert [found.place for found in problems] == [f"line {line}"], text
        assert problem is None or problems[0].text == problem
        assert [move.move for move in games[-1].moves] == ["d3"]


def test_a_game_that_is_not_over_does_not_count():
    (record,), problems, _name = imported("9x9\n4,4\n")
    assert problems == []
    assert (record.termination, reason_of(record)) == (
        Termination.VOID,
        "the imported file ends before the game is over",
    )
    assert disagreements(record) == []


@pytest.mark.parametrize("game", GAMES)
def test_a_finished_game_that_does_not_count_stays_so(game):
    record = structs.replace(any_record(game, 1), termination=Termination.VOID, winner=None)
    (found,), problems, _name = imported(write(record))
    assert (outcome(found), problems) == (outcome(record), [])
