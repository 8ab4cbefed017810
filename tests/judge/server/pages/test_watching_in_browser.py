"""A match that another process plays, watched in a real browser; records that are looked at."""

import signal

from protocol.records.record import read_records
from tests.judge.helpers.scripted import PATIENCE_S
from tests.judge.pages.helpers.browser import PHONE, ply_of
from tests.judge.server.pages.helpers.site import (
    PATIENCE_MS,
    allow,
    deciding_sprt,
    playing_match,
    running_tournament,
    without_noise,
)

NAME = "match.jsonl"
NARROW = "document.documentElement.scrollWidth <= innerWidth"
ROWS = "number => document.querySelectorAll('.games tbody tr').length >= number"
STONES = "number => document.querySelectorAll('.live-game .cell.taken').length === number"


def fact(tab, name):
    return tab.locator(f"[data-fact='{name}'] dd").inner_text()


def test_a_match_of_another_process_is_watched(served, tabs):
    tab = tabs()
    match = playing_match(served, NAME, allowed=2)
    tab.get_by_role("link", name="live: watch it").click(timeout=PATIENCE_MS)
    tab.wait_for_url(f"**/watch/{NAME}")
    tab.locator(".badge.live").wait_for()
    tab.wait_for_function(STONES, arg=4, timeout=PATIENCE_MS)
    allow(served, 3)
    tab.wait_for_function(STONES, arg=6, timeout=PATIENCE_MS)  # moves come by themselves
    card = tab.locator(".live-game")
    assert card.locator(".worth").first.inner_text() != ""
    assert card.locator(".clock").count() == 2
    assert "plays column" in card.locator(".move").inner_text()
    allow(served)
    tab.wait_for_function(ROWS, arg=2, timeout=PATIENCE_MS)  # the list grows
    assert int(fact(tab, "number")) >= 2
    assert match.wait(PATIENCE_S) == 0
    tab.wait_for_function(ROWS, arg=4, timeout=PATIENCE_MS)
    tab.locator(".badge", has_text="not running").wait_for()
    tab.locator(".llr").wait_for()
    assert fact(tab, "number") == "4"
    assert fact(tab, "pace") != "–"
    records = read_records(served.records / NAME)[0]
    points = sum(record.winner == "A" for record in records)
    tab.wait_for_function(f"() => document.querySelector('[data-fact=score] dd').textContent.startsWith('{points} /')")
    tab.locator(".games tbody tr").first.click()
    tab.wait_for_url(f"**/records/{NAME}#g4*")


def test_a_test_of_another_process_is_watched_until_its_verdict(served, tabs):
    sprt = deciding_sprt(served, NAME)
    tab = tabs(f"/watch/{NAME}")
    tab.locator("[data-fact='llr-now']").wait_for(timeout=PATIENCE_MS)
    assert sprt.wait(PATIENCE_S) == 0
    tab.get_by_text("H1 is accepted").wait_for(timeout=PATIENCE_MS)
    pairs = len(read_records(served.records / NAME)[0]) // 2
    tab.locator(f".llr[aria-label$='after {pairs} pairs']").wait_for()
    figure, _bounds = fact(tab, "llr-now").split(" ", 1)
    assert float(figure) > 2.94  # log(0.95 / 0.05)


def test_the_ratings_of_a_tournament_of_another_process_are_watched(served, tabs):
    tournament = running_tournament(served, NAME)
    tab = tabs(f"/watch/{NAME}")
    tab.locator(".ratings tbody tr").first.wait_for(timeout=PATIENCE_MS)
    assert tournament.wait(PATIENCE_S) in (0, 4)
    tab.wait_for_function(ROWS, arg=12, timeout=PATIENCE_MS)
    places = "() => [...document.querySelectorAll('.ratings tbody th')].map((one) => one.textContent)"
    tab.wait_for_function(f"() => ({places})().at(-1)?.startsWith('3  misbehave')", timeout=PATIENCE_MS)
    assert len(tab.evaluate(places)) == 3


def test_watching_goes_on_after_the_server_was_away(served, tabs, watched):
    match = playing_match(served, NAME, games=6, allowed=1)
    tab = tabs(f"/watch/{NAME}")
    tab.locator(".badge.live").wait_for()
    served.end(signal.SIGKILL)
    tab.get_by_text("The connection to the server is lost").wait_for()
    served.start(served.port)
    tab.get_by_text("The connection to the server is lost").wait_for(state="detached")
    allow(served)
    assert match.wait(PATIENCE_S) == 0
    tab.wait_for_function(ROWS, arg=6, timeout=PATIENCE_MS)
    assert fact(tab, "number") == "6"
    without_noise(watched)


def test_a_record_is_looked_at_as_in_the_page_of_view(served, tabs):
    match = playing_match(served, "a folder/with blanks.jsonl")
    assert match.wait(PATIENCE_S) == 0
    tab = tabs()
    tab.get_by_role("link", name="a folder/with blanks.jsonl").click()
    tab.get_by_text("Game 1 of 4").wait_for()
    records = read_records(served.records / "a folder" / "with blanks.jsonl")[0]
    assert ply_of(tab) == len(records[0].moves)
    tab.keyboard.press("n")
    tab.get_by_text("Game 2 of 4").wait_for()
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("location.hash") == "#g2m1"
    tab.reload()
    tab.get_by_text("Game 2 of 4").wait_for()
    assert ply_of(tab) == 1
    tab.get_by_role("button", name="Statistics").click()
    tab.get_by_role("heading", name="Score by side").wait_for()


def test_a_record_that_is_not_there(tabs, watched):
    tab = tabs("/records/none.jsonl")
    assert "none.jsonl" in tab.locator(".trouble").inner_text()
    without_noise(watched)


def test_who_comes_late_sees_the_pace_at_once(served, tabs):
    match = playing_match(served, NAME, games=4)
    assert match.wait(PATIENCE_S) == 0
    tab = tabs(f"/watch/{NAME}")
    tab.wait_for_function(ROWS, arg=4, timeout=PATIENCE_MS)
    assert float(fact(tab, "pace")) > 0


def test_a_match_is_waited_for(served, tabs):
    tab = tabs(f"/watch/{NAME}")
    tab.get_by_text("There is no such record now; it is looked for again.").wait_for()
    match = playing_match(served, NAME, games=2)
    tab.wait_for_function(ROWS, arg=2, timeout=PATIENCE_MS)
    assert tab.locator(".trouble").count() == 0
    assert match.wait(PATIENCE_S) == 0


def test_a_watching_phone(served, tabs):
    match = playing_match(served, NAME, game="dots", games=2, allowed=3)
    tab = tabs(size=PHONE)
    tab.get_by_role("link", name="live: watch it").click(timeout=PATIENCE_MS)
    tab.locator(".live-game").wait_for(timeout=PATIENCE_MS)
    assert tab.evaluate(NARROW)
    allow(served)
    assert match.wait(PATIENCE_S) == 0
