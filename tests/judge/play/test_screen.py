"""What is said of a bot's report: it is the bot's to write, so anything may stand in it."""

from judge.play.screen import evaluation, stated_value


def test_a_report_in_words():
    for report, words in (
        (None, ""),
        ({}, ""),
        ({"guard": True, "value": None}, "the bot's search was not done in time, so the bot's guard chose this move"),
        (
            {"value": 0.25, "proven": "win", "depth": 12, "iterations": 1234567},
            "value +0.250  proven win  depth 12  iterations 1,234,567",
        ),
        ({"value": -1, "proven": None, "depth": None}, "value -1.000"),
        ({"value": "0.5", "depth": "3", "proven": 7}, ""),
        ({"value": True, "iterations": False}, ""),
        ({"value": 10**400, "depth": -(10**400), "iterations": float("inf")}, ""),
        ({"value": float("nan"), "proven": "w\x1b[2Jn" + "x" * 99}, "proven result w\\x1b[2Jnxxxxxxxxxx"),
    ):
        assert evaluation(report) == words


def test_the_value_that_a_report_states():
    for report, value in (
        (None, None),
        ({}, None),
        ({"value": None}, None),
        ({"value": 1}, 1.0),
        ({"value": -3.5}, -3.5),
        ({"value": "1"}, None),
    ):
        assert stated_value(report) == value
