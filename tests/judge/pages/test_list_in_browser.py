"""The list of many games and what they add up to, in a real browser: against what Python counts."""

import dataclasses

from judge.statistics import score
from judge.statistics.llr import Hypotheses
from judge.statistics.sequential_test import KEY, SequentialTest, as_json
from page_screenshots.shots import SHOTS, take
from protocol.records.record import Termination
from tests.judge.pages.helpers import samples

NUMBERS = "all => all.map((row) => Number(row.dataset.index) + 1)"
TEXTS = "all => all.map((row) => [...row.children].map((cell) => cell.textContent))"


def match(pairs=12, hypotheses=None):
    """A match of one against two: random games on two sizes of boards, one of them a forfeit, one VOID."""
    extra = {} if hypotheses is None else {KEY: as_json(hypotheses)}
    records = []
    for pair in range(pairs):
        board = {"rows": 9, "cols": 9 + pair % 2, "forbidden": None}
        for first in "AB":
            record = samples.game_of("connect_four", seed=2 * pair + (first == "B"), board=board, first=first)
            records.append(samples.between(record, "one", "two", pair, **extra))
    records[3] = samples.forfeited(records[3])
    records[-1] = dataclasses.replace(records[-1], winner=None, termination=Termination.VOID)
    return records


def shown(tab):
    """The numbers of the games in the list, from its top."""
    return tab.eval_on_selector_all(".games tbody tr", NUMBERS)


def table(tab, title):
    """The rows of a table of the statistics, below its heading."""
    part = tab.locator(".part", has=tab.get_by_role("heading", name=title, exact=True))
    return part.locator("tbody tr").evaluate_all(TEXTS)


def test_the_list_is_filtered_and_sorted(pages):
    records = match()
    tab = pages.open(records)
    numbers = list(range(1, len(records) + 1))
    assert shown(tab) == numbers
    won = [n for n, record in zip(numbers, records, strict=True) if score.result(record) == score.WIN]
    tab.get_by_label("result").select_option("won")
    assert shown(tab) == won
    tab.get_by_label("player").select_option(label="two")
    lost = [n for n, record in zip(numbers, records, strict=True) if score.result(record) == score.LOSS]
    assert shown(tab) == lost  # by A, that is: two has won
    tab.get_by_label("moved").select_option("first")
    assert shown(tab) == [n for n in lost if records[n - 1].first == "B"]
    for label in ("result", "player", "moved"):
        tab.get_by_label(label).select_option("")
    tab.get_by_label("ending").select_option("CRASH")
    assert shown(tab) == [4]
    tab.get_by_label("ending").select_option("")
    tab.get_by_label("name or board").fill("9 rows x 10")
    assert shown(tab) == [n for n in numbers if records[n - 1].board["cols"] == 10]
    for text in ("9x10", "9 × 10", "9×10 "):
        tab.get_by_label("name or board").fill(text.strip())
        assert shown(tab) == [n for n in numbers if records[n - 1].board["cols"] == 10]
    tab.get_by_label("name or board").fill("10 列")  # words of another language than the page's are found too
    assert shown(tab) == [n for n in numbers if records[n - 1].board["cols"] == 10]
    tab.get_by_label("name or board").fill("")
    tab.get_by_role("button", name="plies").click()
    by_plies = sorted(numbers, key=lambda n: len(records[n - 1].moves))
    assert shown(tab) == by_plies
    tab.get_by_role("button", name="plies").click()
    assert shown(tab) == sorted(numbers, key=lambda n: -len(records[n - 1].moves))
    tab.locator(".games tbody tr").first.click()
    tab.get_by_text(f"Game {shown(tab)[0]} of {len(records)}").wait_for()


def test_games_of_one_size_are_told_apart(pages):
    records = [samples.game_of("connect_four", board={"rows": 9, "cols": 9, "forbidden": None})]
    records += [samples.game_of(name) for name in ("dots", "reversi")]
    tab = pages.open(records, "#statistics")
    names = {"connect four 9 × 9", "dots and boxes 3 × 4", "reversi 6 × 6"}
    assert {row[0] for row in table(tab, "Score by board size")} == names
    tab.get_by_role("button", name="Games").click()
    assert set(tab.locator(".games td.where").all_inner_texts()) == names
    assert tab.locator(".heading p").inner_text().startswith("connect four · ")


def test_games_of_a_player_against_itself_are_not_counted_twice(pages):
    one = samples.game_of("connect_four")
    records = [samples.between(one, "same", "same"), samples.between(one, "same", "other")]
    tab = pages.open(records, "#statistics")
    (row,) = (row for row in table(tab, "Crosstable") if row[0].endswith("same"))
    assert row[-3] == "1"
    alone = pages.open(records[:1] * 2, "#statistics")
    assert alone.get_by_role("heading", name="Crosstable").count() == 0
    assert len(table(alone, "Score by side")) == 1


def test_the_table_of_games_is_one_for_who_hears_it(pages):
    tab = pages.open(match(2))
    rows = tab.locator("table.games").get_by_role("row")
    assert rows.count() == 5
    assert rows.nth(1).get_by_role("cell").count() == rows.first.get_by_role("columnheader").count() == 7
    assert rows.nth(1).locator(".first .began").inner_text() == "first"


def test_what_had_the_focus_keeps_it(pages):
    tab = pages.open(match(2))
    for press in (
        lambda: tab.get_by_role("button", name="next game"),
        lambda: tab.get_by_role("button", name="slowest"),
        lambda: tab.get_by_role("button", name="Statistics"),
    ):
        press().focus()
        tab.keyboard.press("Enter")
        press().and_(tab.locator(":focus")).wait_for()
    language = tab.locator(".tools select").first
    language.focus()
    language.select_option("zh")
    tab.locator(".tools select").first.and_(tab.locator(":focus")).wait_for()


def test_a_long_list_is_shown_in_parts(pages):
    records = [
        samples.game_of("dots", seed=seed, board={"rows": 1, "columns": 2, "opening": []}) for seed in range(120)
    ]
    tab = pages.open(records)
    assert len(shown(tab)) == 100
    tab.get_by_role("button", name="show all 120").click()
    assert shown(tab) == list(range(1, 121))


def test_the_tables_are_what_the_judge_counts(pages):
    records = match()
    tab = pages.open(records, "#statistics")
    found = score.score(records)
    points = found.wins + found.draws / 2
    one = next(row for row in table(tab, "Crosstable") if row[0].endswith("one"))
    assert one[-1] == score.percent(found).replace("%", " %")
    assert one[-3] == str(found.games)
    assert float(one[-2].replace("½", ".5")) == points
    first = score.score([record for record in records if record.first == "A"])
    sides = {row[0]: row[1:] for row in table(tab, "Score by side")}
    assert sides["one"][0] == f"{first.wins} / {first.draws} / {first.losses}"
    sizes = {row[0]: int(row[1]) for row in table(tab, "Score by board size")}
    assert sizes == {"9 × 9": 12, "9 × 10": 11}
    endings = {row[0]: row[1:] for row in table(tab, "Endings")}
    assert endings == {"NORMAL": ["22", "", ""], "CRASH": ["1", "", "1"], "VOID": ["1", "", ""]}
    assert sum(int(row[-1]) for row in table(tab, "Times of moves") if row[-1]) == sum(
        len(record.moves) for record in records
    )
    tab.get_by_label("ending").select_option("CRASH")
    assert {row[0] for row in table(tab, "Endings")} == {"CRASH"}


def test_the_ratio_of_a_test_is_drawn_as_it_went(pages):
    hypotheses = Hypotheses(-30.0, 30.0, model="normalized")
    records = match(hypotheses=hypotheses)
    test = SequentialTest(hypotheses)
    for record in records:
        test.add(record)
    tab = pages.open(records, "#statistics")
    part = tab.locator(".part", has=tab.locator(".llr"))
    text = part.inner_text()
    assert "H0: Elo -30, H1: Elo 30 (normalized)." in text
    assert f"LLR {test.llr:.2f} after {test.pairs} pairs" in text
    assert int(part.locator(".curve").get_attribute("data-points")) == test.pairs == 11
    assumed = pages.open(match(), "#statistics").locator(".statistics").inner_text()
    assert "H0: Elo 0, H1: Elo 30 (logistic); the record keeps no hypotheses" in assumed


def test_many_players_are_a_list(pages):
    game = samples.game_of("connect_four")
    records = [samples.between(game, "mine", f"sample {number}", pair=number) for number in range(20)]
    tab = pages.open(records, "#statistics")
    rows = table(tab, "Players")
    assert len(rows) == 21
    assert next(row for row in rows if row[0] == "mine")[1] == "20"
    assert tab.locator(".llr").count() == 0


def test_the_documentations_pictures_can_be_taken(browser, tmp_path):
    shot = next(shot for shot in SHOTS if "dots" in shot.name)
    assert take(browser, shot, tmp_path).read_bytes().startswith(b"\x89PNG")
