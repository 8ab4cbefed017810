"""What the pages work out by themselves, as their modules do it in a browser: clocks, pace, values, lists."""

import pytest

from judge.pages.games import game_json
from judge.pages.rows import Rows, Source
from tests.judge.helpers.scripted import GAMES
from tests.judge.pages.helpers import samples

PARTS = "/assets/serve/parts"


@pytest.fixture
def tab(tabs):
    return tabs("/position")


def test_clocks_show_tenths_below_a_minute(tab):
    script = (
        f"async (all) => {{ const {{ clockText }} = await import('{PARTS}/clock.js'); return all.map(clockText); }}"
    )
    times = [0, 0.05, 7.3, 59.99, 60, 61.5, 3599.9, 3600, 7384]
    expected = ["0:00.0", "0:00.0", "0:07.3", "0:59.9", "1:00", "1:01", "59:59", "1:00:00", "2:03:04"]
    assert tab.evaluate(script, times) == expected


def test_the_pace_is_of_the_last_five_minutes(tab):
    script = f"""async ([ends, times]) => {{
        const {{ Pace }} = await import("{PARTS}/pace.js");
        const pace = new Pace(0);
        ends.forEach((end) => pace.add(end));
        return times.map((now) => pace.perMinute(now));
    }}"""
    ends = [10, 20, 30]
    assert tab.evaluate(script, [ends[:1], [30]]) == [None]  # one game is no pace
    assert tab.evaluate(script, [ends, [60, 120]]) == [3, 1.5]
    assert tab.evaluate(script, [ends, [312]]) == [0.4]  # two in five minutes
    assert tab.evaluate(script, [ends, [400]]) == [None]


def test_the_pace_is_known_from_games_that_ended_before_the_page_came(tab):
    script = f"""async ([ages, times]) => {{
        const {{ Pace }} = await import("{PARTS}/pace.js");
        const pace = new Pace(1000);
        pace.seed(ages, 1000);
        return times.map((now) => pace.perMinute(now));
    }}"""
    assert tab.evaluate(script, [[90, 60, 30, 0], [1000, 1030]]) == [2, 1.5]  # three games after the first
    assert tab.evaluate(script, [[301, 1000, -5], [1000]]) == [None]  # long ago, or by another clock
    assert tab.evaluate(script, [[], [1000]]) == [None]


def test_values_are_short_and_say_what_is_proven(tab):
    script = (
        f"async (all) => {{ const {{ valueText }} = await import('{PARTS}/values.js'); return all.map(valueText); }}"
    )
    moves = [
        {"value": 0.254, "proven": None, "is_bound": False},
        {"value": -0.1, "proven": None, "is_bound": True},
        {"value": -0.001, "proven": None, "is_bound": False},
        {"value": 1, "proven": None, "is_bound": False},
        {"value": 1, "proven": "win", "is_bound": False},
        {"value": 0, "proven": "draw", "is_bound": False},
        {"value": -1, "proven": "loss", "is_bound": False},
        {"value": 0.4, "proven": "win", "is_bound": False},
        {"value": None, "proven": None, "is_bound": False},
    ]
    expected = ["+.25", "<−.10", ".00", "+1.00", "win", "draw", "loss", "+.40", "–"]
    assert tab.evaluate(script, moves) == expected


def test_the_best_move_stands_first_and_one_of_each_cell_on_the_board(tab):
    script = f"""async ([position, analysis]) => {{
        const {{ valuesByCell, valueTable }} = await import("{PARTS}/values.js");
        const rows = [...valueTable(analysis).querySelectorAll("tbody tr")].map((row) => row.dataset.move);
        return {{ rows, cells: [...valuesByCell(position, analysis)].map(([cell, value]) => [cell, value.text]) }};
    }}"""
    position = {"game": "dots", "size": [1, 2], "codes": list("........."), "mover": "0"}
    values = {"AAA": 0.3, "AAB": 0.9, "BAA": -0.5, "BAAABA": 0.1}
    moves = [{"move": move, "value": value, "proven": None, "is_bound": False} for move, value in values.items()]
    found = tab.evaluate(script, [position, {"best": "AAA", "moves": moves}])
    assert found["rows"] == ["AAA", "AAB", "BAAABA", "BAA"]
    assert found["cells"] == [[0, "+.30"], [1, "+.90"], [4, "+.10"]]  # a turn counts for the edge that it begins with


@pytest.mark.parametrize("game", GAMES)
def test_a_game_that_grows_is_the_whole_one_at_its_end(tab, game):
    whole = game_json(samples.game_of(game))
    plies = len(whole["moves"])
    messages = []
    for begin in range(0, plies, 3):
        end = min(begin + 3, plies)
        message = {"from": begin, "sides": whole["sides"][begin:end], "line": whole["line"] if end == plies else []}
        message["movers"] = whole["movers"][begin : end + 1]
        message.update({key: whole[key][begin:end] for key in ("moves", "wall", "changes")})
        columns = {key: values[begin:end] for key, values in whole["reports"].items()}
        message["reports"] = {key: values for key, values in columns.items() if any(v is not None for v in values)}
        messages.append(message)
    empty = {"moves": [], "sides": "", "wall": [], "changes": [], "reports": {}, "late": [], "line": []}
    start = {**whole, **empty, "movers": whole["movers"][0]}
    script = f"""async ([game, messages]) => {{
        const {{ extend }} = await import("{PARTS}/live_game.js");
        const fits = messages.map((message) => extend(game, message));
        return {{ fits: fits.every(Boolean), missed: extend(game, messages[0]), game }};
    }}"""
    found = tab.evaluate(script, [start, messages])
    assert (found["fits"], found["missed"]) == (True, False)
    reports = found["game"].pop("reports")
    assert {key: values for key, values in reports.items() if any(value is not None for value in values)} == {
        key: values for key, values in whole["reports"].items() if any(value is not None for value in values)
    }
    assert found["game"] == {key: value for key, value in whole.items() if key != "reports"}


def test_a_list_that_grows_is_the_whole_one(tab):
    records = [
        samples.game_of("dots", seed=seed, board={**samples.SMALL["dots"], "rows": 3 + seed % 2}) for seed in range(4)
    ]
    records[3] = samples.forfeited(samples.between(records[3], "third", "two"))
    rows = Rows()
    grown = [rows.add(Source(0, number, record)) for number, record in enumerate(records, start=1)]
    whole = rows.json()
    start = {"columns": list(whole["columns"]), "rows": [], "players": [], "boards": []}
    script = f"""async ([list, grown]) => {{
        const {{ addRow }} = await import("{PARTS}/rows_to_come.js");
        return {{ isNew: grown.map((message) => addRow(list, message)), list }};
    }}"""
    found = tab.evaluate(script, [start, grown])
    assert found["list"] == {**whole, "columns": list(whole["columns"])}
    assert found["isNew"] == [True, False, False, True]
