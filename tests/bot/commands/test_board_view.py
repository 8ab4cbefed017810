"""Values and counts in the few characters that a board has for them."""

from bot.commands.analyze import Unsearched, labels_of, legend, static_as_json, static_lines, value_text
from bot.games import adapter_of
from bot.search.engine import MoveValue

VALUES = [
    (None, False, None, "-"),
    (0.25, False, None, "+.25"),
    (-0.046, True, None, "<-.05"),
    (0.999, False, None, "+1.0"),
    (-1.0, False, None, "-1.0"),
    (0.0, False, None, "+.00"),
    (1.0, False, "win", "win"),
    (-1.0, True, "loss", "loss"),
    (0.0, False, "draw", "draw"),
    (0.156, False, "win", "+.16!"),
]
VISITS = {
    None: "",
    0: "0",
    9999: "9999",
    10_000: "10k",
    999_999: "999k",
    1_000_000: "1M",
    999_999_999: "999M",
    2 * 10**9: "2G",
}


def test_values_and_visits():
    for value, is_bound, proven, text in VALUES:
        assert value_text(MoveValue(3, value, is_bound, 10, proven, None)) == text and len(text) <= 5
    for visits, text in VISITS.items():
        assert labels_of([MoveValue(3, 0.0, False, visits, None, None)], 4)[3].visits == text


def test_the_legend_says_what_is_there():
    known = MoveValue(1, 0.5, True, None, None, 7)
    assert legend([known]) == ["             (< at most, moves searched 7 plies deep)"]
    others = [known._replace(depth=9, is_bound=False), MoveValue(2, None, False, 0, None, None)]
    assert legend(others) == ["             (- not looked at, moves searched 9 plies deep)"]
    assert legend([MoveValue(1, 0.5, False, 5, None, None)]) == []


def test_what_the_evaluation_says_unsearched():
    adapter, said = adapter_of("connect_four"), Unsearched((0.123, {4: -0.5, 2: 0.04}), {4: 0.25, 2: 0.751})
    assert static_lines(said, adapter) == [
        "unsearched   +0.123 as the evaluation alone sees it",
        "its moves    2 +.04, 4 -.50",
        "its priors   2 75 %, 4 25 %",
    ]
    moves, priors = [{"move": 2, "value": 0.04}, {"move": 4, "value": -0.5}], [(2, 0.751), (4, 0.25)]
    assert static_as_json(said, adapter) == {
        "evaluation": {"value": 0.123, "moves": moves},
        "priors": [{"move": move, "prior": prior} for move, prior in priors],
    }
    nothing = Unsearched(None, None)
    assert (static_lines(nothing, adapter), static_as_json(nothing, adapter)) == ([], {})
