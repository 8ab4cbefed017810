"""Our records in the forms of other programs, and read back: the same games."""

import collections
import dataclasses
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.formats import export, hand, own
from judge.formats.compete_log import writing
from judge.formats.documents import Source
from judge.games import GAMES
from judge.play.recheck import disagreements
from judge.play.scoresheet import opponent
from protocol.records.record import RECORD_VERSION, Termination
from tests.judge.helpers.logged_games import any_record, imported, outcome, records, without_extra
from tests.judge.helpers.random_games import recorded_game

SAIBLO = ("connect_four", "reversi")
NAMES = st.tuples(st.text(min_size=1, max_size=12), st.text(max_size=12))


@pytest.mark.parametrize("game", SAIBLO)
@settings(max_examples=40)
@given(data=st.data())
def test_saiblos_replays(game, data):
    record = data.draw(records(game))
    text = export.REPLAYS[game](record)
    (found,), problems, name = imported(text)
    assert (problems, name) == ([], "saiblo" if game == "connect_four" else "saiblo-reversi")
    assert outcome(found) == outcome(record)
    assert disagreements(found) == []


@pytest.mark.parametrize("game", SAIBLO)
@pytest.mark.parametrize("termination", [Termination.BAD_FRAME, Termination.STALL, Termination.OUTPUT_LIMIT])
def test_the_reason_of_an_ending_names_no_other(game, termination):
    record = any_record(game, 1, 7, termination)
    reason = f"B: expected 4 bytes, received b'{Termination.ILLEGAL_MOVE.value}', no VOID TLE, timeout"
    record = dataclasses.replace(record, extra={**record.extra, "reason": reason})
    (found,), problems, _name = imported(export.REPLAYS[game](record))
    assert (outcome(found), problems) == (outcome(record), [])


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=40)
@given(data=st.data())
def test_text_by_hand(game, data):
    games = data.draw(st.lists(records(game, names=NAMES), min_size=1, max_size=3))
    found, problems, name = imported("".join(hand.write(record) for record in games))
    assert (problems, name) == ([], "text")
    assert [without_extra(record) for record in found] == [without_extra(record) for record in games]


@pytest.mark.parametrize("game", GAMES)
def test_a_finished_game_that_does_not_count_stays_so(game):
    record = dataclasses.replace(any_record(game, 1), termination=Termination.VOID, winner=None)
    (found,), problems, _name = imported(hand.write(record))
    assert (outcome(found), problems) == (outcome(record), [])


@pytest.mark.parametrize("game", GAMES)
def test_our_own_records_are_taken_as_they_are(game):
    games = [recorded_game(game, seed=seed) for seed in range(3)]
    text = "\n".join(record.to_json() for record in games)
    assert imported(text) == (games, [], "record")
    assert own.looks_like(Source(b"[\n" + text.encode()))


def test_a_record_that_the_rules_contradict_is_left_out_and_named():
    good, bad = (recorded_game("connect_four", seed=seed) for seed in range(2))
    winner = bad.winner
    bad = dataclasses.replace(bad, winner=opponent(winner))
    cut_off = good.to_json()[:-20]
    half = json.dumps({"record_version": RECORD_VERSION, "game": "connect_four"})  # a whole line, and no record
    for last, words in [(cut_off, "a torn line, which is left out"), (half, "players: expected a list, got None")]:
        games, problems, _name = imported("\n".join([bad.to_json(), good.to_json(), last]))
        assert games == [good]
        assert [problem.place for problem in problems] == ["line 1", "line 3"]
        told = f"the game is left out: the recorded winner is {bad.winner}, by the rules {winner}"
        assert problems[0].text == told
        assert problems[1].text.endswith(words)


def last_position(record):
    """The stones on the board at the end, by cell."""
    position = GAMES[record.game].new_position(GAMES[record.game].read_board(record.board))
    for move in record.moves:
        position.play(move.move)
    return position.owner


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    plies=st.none() | st.integers(0, 60),
    termination=st.sampled_from((Termination.TIME_FORFEIT, Termination.ILLEGAL_MOVE, Termination.CRASH)),
)
def test_competes_log_keeps_the_last_board_and_the_result(seed, plies, termination):
    games = [any_record("connect_four", seed, plies, termination, first) for first in "BA"]
    rounds, alone = writing.in_rounds(games)
    assert (rounds, alone) == ([(games[1], games[0])], [])
    found, problems, name = imported(writing.write(rounds))
    assert (problems, name) == ([], "compete")
    for record, expected in zip(found, (games[1], games[0]), strict=True):
        assert last_position(record) == last_position(expected)
        told = (record.board, record.first, len(record.moves), record.winner, record.termination, record.at_fault)
        assert told == (
            expected.board,
            expected.first,
            len(expected.moves),
            expected.winner,
            expected.termination,
            expected.at_fault,
        )
        assert collections.Counter(record.moves) == collections.Counter(expected.moves)
        assert disagreements(record) == []
        is_told = len(record.moves) <= 2
        assert record.extra["imported_from"].get("moves") == (None if is_told else "reconstructed")
        if is_told:
            assert record.moves == expected.moves


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_a_log_with_a_board_after_every_move_tells_the_moves(seed):
    record = any_record("connect_four", seed)
    lines = writing.write([(record, any_record("connect_four", seed, first="B"))]).split("\n")
    start, end = lines.index("A first:"), lines.index("B first:")
    boards = []
    for plies in range(1, len(record.moves)):
        before = any_record("connect_four", seed, plies, Termination.CRASH)
        boards += writing.board_lines(before)
    found, problems, _name = imported("\n".join([*lines[: start + 1], *boards, *lines[start + 1 : end]]))
    assert problems == []
    assert outcome(found[0]) == outcome(record)
    assert "moves" not in found[0].extra["imported_from"]


def test_draws_keep_their_result():
    """A board full of stones, and no four in a line: the longest order that there is to find."""
    text = "9x9 forbidden 0,8\n" + ",".join(map(str, drawn_game({"rows": 9, "cols": 9, "forbidden": [0, 8]})))
    (record,), problems, _name = imported(text)
    assert (problems, record.winner, record.termination) == ([], None, Termination.NORMAL)
    swapped = imported(text.replace("\n", "\nfirst B\n", 1))[0][0]
    found, problems, _name = imported(writing.write([(record, swapped)]))
    assert problems == []
    assert [game.termination for game in found] == [Termination.NORMAL] * 2
    assert [last_position(game) for game in found] == [last_position(record)] * 2
    (saiblo,), problems, _name = imported(export.REPLAYS["connect_four"](record))
    assert (problems, outcome(saiblo)) == ([], outcome(record))


def drawn_game(board):
    """Columns of a game on this board that nobody wins."""
    attempts = (without_four(board, random.Random(seed)) for seed in range(10_000))
    return next(moves for moves in attempts if moves is not None)


def without_four(board, generator):
    """Random columns that fill a board without four in a line; None where that comes to an end before."""
    position = GAMES["connect_four"].new_position(GAMES["connect_four"].read_board(board))
    moves = []
    while not position.over:
        safe = [move for move in position.legal_moves() if not _wins(position, move)]
        if not safe:
            return None
        moves.append(generator.choice(safe))
        position.play(moves[-1])
    return moves


def _wins(position, column):
    row = position.landing_row(column)
    position.owner[row][column] = position.to_move
    is_won = position.completes_line(row, column)
    position.owner[row][column] = None
    return is_won
