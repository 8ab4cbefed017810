"""scripts/measure strength choices: turns at dots and boxes where the solver says that the position is won."""

import pytest

from bot.games.dots.board import turn_of
from bot.games.dots.notation import edges_named
from bot.games.dots.plain import start_position
from measurement import choices, report
from tests.scripts.helpers.strength_command import info, lines, run, succeed

WORDS = ("choices", "--size", "3x3", "--free", 11, "--budget", 30)
NAME = "choices_default_3x3_11-free_30s"


@pytest.fixture(autouse=True)
def small_table(monkeypatch):
    monkeypatch.setattr(choices, "TABLE_MB", 16)


def net_boxes(position, known):
    """Boxes more at the end for the side to move, by trying everything; known: {key: value} so far."""
    key = position.key()
    if key not in known:
        known[key] = (
            position.margin
            if position.is_over()
            else max(value_of(position, edge, known) for edge in position.legal_edges())
        )
    return known[key]


def value_of(position, edge, known):
    after, captured = position.draw(edge)
    return net_boxes(after, known) if captured else -net_boxes(after, known)


def test_turns_are_judged_as_the_rules_have_it(tmp_path):
    printed = succeed(tmp_path, *WORDS, "--count", 4)
    summary = info(tmp_path, NAME)["summary"]
    assert summary["asked"] == 4 == summary["kept"]  # the solver plays: it cannot err
    assert printed.startswith("4 of 4 turns keep the win (100.0%), ")
    assert summary["proven"] == 4

    known = {}
    for answer in lines(tmp_path / "work" / f"{NAME}.jsonl")[1:]:
        position = start_position(3, 3)
        for edge in edges_named(answer["edges"]):
            position, captured = position.draw(edge)
            assert not captured
        assert net_boxes(position, known) > 0
        after = position.play(turn_of(edges_named(answer["turn"])))
        assert net_boxes(after, known) < 0

    again = run(tmp_path, *WORDS, "--count", 4)
    assert again.returncode == 2 and "--resume continues" in again.stderr
    assert succeed(tmp_path, *WORDS, "--count", 4, "--resume") == printed


@pytest.mark.slow
def test_what_chance_plays_does_not_always_keep_the_win(tmp_path):
    succeed(tmp_path, *WORDS, "--count", 12, "--preset", "random")
    summary = info(tmp_path, NAME.replace("default", "random"))["summary"]
    assert 0 < summary["kept"] < 12 and summary["proven"] == 0
    assert 0 < summary["random_kept"] < 12
    assert (
        report.table(report.CHOICE, [info(tmp_path, NAME.replace("default", "random"))])
        .splitlines()[-1]
        .startswith("| random | 3x3 | 11 | 30 | 12 | ")
    )


@pytest.mark.slow
def test_a_board_without_such_positions_is_named(tmp_path):
    done = run(tmp_path, "choices", "--size", "2x2", "--free", 1, "--count", 1)
    assert done.returncode == 2
    assert "no safe play leaves 1 free edges on 2x2" in done.stderr
