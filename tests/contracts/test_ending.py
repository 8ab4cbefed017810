"""What holds for every ending in the table: each part of the judge that tells endings apart knows it."""

import pytest

from judge.cli.playing import fault_hints
from judge.formats.compete import A_WON, B_WON, TIE, result_code
from judge.formats.reading import TERMINATIONS_OF_SAIBLO
from judge.incidents import is_abnormal
from judge.logic.match import forfeited
from judge.play.recheck import disagreements
from judge.play.scoresheet import ending_in_words
from judge.play.screen import result_in_words
from judge.reports import forfeits, match
from judge.runs.schedule import is_settled, with_attempt
from judge.statistics.score import score
from protocol.records.record import GameRecord, Termination
from tests.judge.helpers.chinese import in_chinese
from tests.judge.helpers.logged_files import WRITERS
from tests.judge.helpers.logged_games import any_record, imported, outcome

each_ending = pytest.mark.parametrize("ending", Termination)


def record_of(ending):
    """A game that ended so before its first move, or as the rules have it."""
    plies = None if ending is Termination.NORMAL else 0
    record = any_record("connect_four", 5, plies, ending if ending.counts else None)
    assert record.termination is ending
    return record


@each_ending
def test_its_record_is_sound_and_is_read_again(ending):
    record = record_of(ending)
    assert disagreements(record) == []
    assert GameRecord.from_json(record.to_json()) == record
    (found,), problems, _name = imported(WRITERS["text"][1](record))
    assert (outcome(found), problems) == (outcome(record), [])


@each_ending
def test_it_has_a_name_and_its_result_can_be_told(ending):
    record = record_of(ending)
    assert (ending.value in result_in_words(record)) == (ending.fault is not None or not ending.counts)
    assert match.summary([record])["terminations"] == {ending.value: 1}
    assert bool(forfeits.first_of_each_kind([record], {})) == bool(ending.fault)
    assert fault_hints("games.jsonl", record, 1)
    with in_chinese():
        assert ending_in_words(ending) != ending.value


@each_ending
def test_it_counts_or_is_played_again(ending):
    record = record_of(ending)
    assert score([record]).games == ending.counts == is_settled(with_attempt(record, 1))
    assert is_abnormal(record) == (ending.fault is not None or not ending.counts)
    if ending.counts:
        assert (result_code(record) in (TIE, A_WON, B_WON)) == (ending.fault is None)


@each_ending
def test_the_platform_has_a_word_for_it(ending):
    assert forfeited(0, ending, "").end_states == [ending.end_state, "OK"]
    assert (ending.end_state in TERMINATIONS_OF_SAIBLO) == (ending.fault is not None)
