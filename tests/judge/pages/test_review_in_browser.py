"""A review in a real browser: marks in the list and in the chart, what would have been better, the sums."""

import dataclasses

import pytest

from judge.pages.page import page
from judge.pages.rows import Source
from judge.review.games import ReviewedGame
from judge.review.marks import reviewed
from protocol.records.review import Answer
from tests.judge.helpers.chinese import in_chinese
from tests.judge.helpers.scripted import GAMES
from tests.judge.pages.helpers import samples

SIGNS = {"mistake": "?", "blunder": "??", "gave_away_win": "✗", "gave_away_draw": "½", "last_chance": "⚑"}
WORDS = {
    "mistake": "mistake",
    "blunder": "blunder",
    "gave_away_win": "gave away a win",
    "gave_away_draw": "gave away a draw",
    "last_chance": "last chance",
}


def review_of(record):
    """A review with marks of every kind: values that go up and down, and at its beginning results given away."""
    game = ReviewedGame(1, record)
    answers = {
        ply: Answer((5 * ply % 21 - 10) / 10, None, str(record.moves[0].move), ("x",))
        for ply in range(1, len(game.movers) + 1)
        if ply % 11
    }
    answers[1] = Answer(1.0, "win", "other")
    answers[2] = Answer(0.0, "draw", "other")
    answers[3] = Answer(1.0, "win", "other")
    return reviewed(game, "an engine </script>", answers)


def opened(pages, record, place="#g1m0"):
    """A page of the record with its review, and the review."""
    review = review_of(record)
    path = pages._folder / "reviewed.html"
    path.write_text("".join(page([Source(0, 1, record, review)], ["games.jsonl"])), "utf-8")
    return pages.visit(path, place), review


def without_reports(record):
    """The record of players that said nothing: all values are the review's."""
    return dataclasses.replace(record, moves=[dataclasses.replace(move, report=None) for move in record.moves])


def marks_of(review, move):
    names = [move.mark, "last_chance" if move.ply == review.last_chance else None]
    return [name for name in dict.fromkeys(names) if name]


@pytest.mark.parametrize("game", GAMES)
def test_marks_stand_in_the_list_and_in_the_chart(pages, game):
    tab, review = opened(pages, samples.game_of(game))
    expected = {move.ply: marks_of(review, move) for move in review.moves if marks_of(review, move)}
    assert {name for names in expected.values() for name in names} >= {"mistake", "blunder", "gave_away_win"}
    in_list = tab.evaluate(
        """() => [...document.querySelectorAll('.moves button')].map((entry) => [Number(entry.dataset.ply),
            [...entry.querySelectorAll('.badge')].map((badge) => [badge.classList[1], badge.textContent])])"""
    )
    assert {ply: [name for name, _ in badges] for ply, badges in in_list if badges} == expected
    assert all(SIGNS[name] == sign for _, badges in in_list for name, sign in badges)
    in_chart = tab.evaluate(
        """() => [...document.querySelectorAll('.charts .review-mark')].map(
            (mark) => [Number(mark.dataset.ply), mark.classList[1], mark.firstChild.data])"""
    )
    assert sorted((ply, name) for ply, name, _ in in_chart) == sorted(
        (ply, name) for ply, names in expected.items() for name in names
    )
    assert all(SIGNS[name] == sign for _, name, sign in in_chart)
    legend = tab.locator(".legend").inner_text()
    assert all(WORDS[name] in legend for names in expected.values() for name in names)
    assert tab.locator(".charts .curve.of-review").get_attribute("data-points") == str(
        sum(move.before is not None for move in review.moves)
    )


def test_a_ply_says_what_was_better_and_what_was_lost(pages):
    record = samples.game_of("connect_four")
    tab, review = opened(pages, record, "#g1m1")
    move = review.moves[0]
    assert move.mark == "gave_away_win"
    assert "· gave away a win · better other" in tab.locator(".move").inner_text()
    facts = dict(
        zip(tab.locator(".report dt").all_inner_texts(), tab.locator(".report dd").all_inner_texts(), strict=True)
    )
    assert facts["review"] == "+1.00 · win · gave away a win"
    assert (facts["best move"], facts["value lost"]) == ("other", "1.00")
    tab.locator(".charts .review-mark[data-ply='3']").click()
    assert "+1.00 · win · blunder" in tab.locator(".report").inner_text()
    tab.locator(".moves button[data-ply='11']").click()  # without an answer
    assert "best move" not in tab.locator(".report").inner_text()


def test_the_sums_are_those_of_the_players(pages):
    tab, review = opened(pages, samples.game_of("reversi", first="B"))
    assert tab.locator(".review h3").inner_text() == "Review by an engine </script>"
    for side, name in (("A", "one"), ("B", "two")):
        total = review.sum_of(side)
        cells = tab.locator(f".review tr[data-side='{side}'] > *").all_inner_texts()
        assert cells == [
            f"{side} {name}",
            *map(str, (total.mistakes, total.blunders, total.given_away)),
            f"{total.mean_lost:.3f}",
        ]


def test_a_game_without_reports_has_the_reviews_curve(pages):
    record = without_reports(samples.game_of("dots"))
    tab, _review = opened(pages, record)
    assert "Values and times" in tab.locator(".legend").inner_text()
    assert tab.locator(".charts .axis", has_text="A wins").count() == 1
    bare = pages.open([record])
    assert bare.locator(".review, .badge, .of-review, .review-mark").count() == 0
    assert "Values" not in bare.locator(".legend").inner_text()


def test_a_review_is_told_in_chinese(pages):
    with in_chinese():
        tab, _review = opened(pages, samples.game_of("connect_four"), "#g1m1")
    assert "送掉胜棋 · 更好的是 other" in tab.locator(".move").inner_text()
    assert "大失误" in tab.locator(".review thead").inner_text()
