"""What stands beside a record file: whose answers, of which game; torn and damaged files."""

import pytest
from msgspec import structs

from judge.review import marks
from judge.review.asking import open_tasks
from judge.review.marks import ReviewAnswers, ReviewedGame, review_of
from protocol.records.json_lines import append
from protocol.records.review import Answer, in_lines
from tests.judge.helpers.reviewing import ENGINE, line_of
from tests.judge.web.view.helpers import samples

OTHER = structs.replace(ENGINE, version="2")


@pytest.fixture
def record():
    return samples.game_of("dots")


def answer(value=0.5):
    return Answer(value, None, "AAA")


def test_what_is_not_there_has_no_answers(tmp_path, record):
    found, is_torn = marks.read(tmp_path / "none")
    assert (found.engine_for([ReviewedGame(1, record).key]), is_torn) == (None, False)
    assert review_of(record, found) is None


def test_answers_are_read_back_and_only_the_rest_is_asked_for(tmp_path, record):
    path, game = tmp_path / "review", ReviewedGame(1, record)
    append(path, in_lines([line_of(record, ply, answer(ply / 100)) for ply in (1, 2, 4)]))
    found, _ = marks.read(path)
    assert {ply: kept.value for ply, kept in found.answers(ENGINE, game.key).items()} == {1: 0.01, 2: 0.02, 4: 0.04}
    left = [ply for task in open_tasks([game], ENGINE, found) for ply in task.plies]
    assert sorted(left) == [ply for ply in range(1, len(game.movers) + 1) if ply not in (1, 2, 4)]
    assert sum(len(task.plies) for task in open_tasks([game], OTHER, found)) == len(game.movers)


def test_an_altered_game_is_another_one(record):
    found = ReviewAnswers([line_of(record, 1, answer())])
    altered = structs.replace(record, moves=record.moves[:-1])
    assert review_of(altered, found) is None
    renamed = samples.between(record, "x", "y")
    assert review_of(renamed, found) is not None


def test_who_has_answered_most_is_shown(record):
    for answered, chosen in [
        ([(ENGINE, 1), (ENGINE, 2), (OTHER, 1)], ENGINE),
        ([(ENGINE, 1), (OTHER, 1)], OTHER),  # of two with as many answers, who has answered last
        ([(OTHER, 1), (ENGINE, 2)], ENGINE),
        ([(ENGINE, 1), (ENGINE, 1), (OTHER, 1)], OTHER),  # a second answer to a question counts once
    ]:
        found = ReviewAnswers(line_of(record, ply, answer(), engine) for engine, ply in answered)
        assert found.engine_for([ReviewedGame(1, record).key]) == chosen, answered


def test_of_two_answers_the_later_counts(record):
    found = ReviewAnswers([line_of(record, 1, answer(0.1)), line_of(record, 1, answer(0.2))])
    assert found.answers(ENGINE, ReviewedGame(1, record).key)[1].value == 0.2


def test_a_game_that_the_rules_do_not_know_has_no_review(record):
    unknown = structs.replace(record, game="go")
    line = structs.replace(line_of(record, 1, answer()), moves=marks.game_key(unknown))
    assert review_of(unknown, ReviewAnswers([line])) is None
