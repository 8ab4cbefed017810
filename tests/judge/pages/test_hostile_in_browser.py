"""A record is data: whatever names, reports and stderr say, the page shows it as text and does nothing about it."""

import dataclasses

import pytest

from protocol.records.record import GameRecord, Player
from tests.judge.helpers.scripted import GAMES
from tests.judge.pages.helpers import samples

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg onload=alert(3)>"
CLOSING = "</script></style></title>--><!--<script>alert(4)"
ESCAPES = "\x1b[31mred\x1b[0m\x07\x00\u202egnp.exe\u2028\ud83d"
DIGITS = "9" * 64  # as many as a record may hold


def hostile(record):
    """The record with all of it wherever a record has text."""
    report = {
        "value": int(DIGITS),
        "depth": SCRIPT,
        "iterations": CLOSING,
        "proven": SCRIPT,
        "pv": [SCRIPT, int(DIGITS), {"a": [CLOSING]}],
        "__proto__": {"polluted": True},
        "constructor": 1,
        ESCAPES: DIGITS,
        SCRIPT: [int(DIGITS)],
    }
    moves = [dataclasses.replace(move, report=report) for move in record.moves]
    players = (Player(SCRIPT + CLOSING, CLOSING, ESCAPES), Player(ESCAPES + DIGITS, DIGITS))
    extra = {"reason": f"B: {SCRIPT}{CLOSING}{ESCAPES}", "limit_s": 10**9, "id": SCRIPT}
    changed = dataclasses.replace(record, players=players, moves=tuple(moves), started=SCRIPT, extra=extra)
    text = "\n".join([SCRIPT, CLOSING, ESCAPES, DIGITS] * 9)
    return GameRecord.from_json(samples.forfeited(changed, stderr=text, stdout=text).to_json())


def test_a_forfeit_says_why_with_the_bytes_and_stderr(pages):
    record = samples.forfeited(
        samples.game_of("connect_four"), stderr="starting\ncolumn 7 is high\n", stdout="your move?\x1b"
    )
    tab = pages.open([record])
    outcome = tab.locator(".outcome")
    assert outcome.get_attribute("class") == "outcome fault"
    assert "A (one) wins after 8 plies: CRASH by B (two): B was ended by signal 11 (SIGSEGV" in outcome.inner_text()
    assert 'B printed "your move?\\x1b" on stdout where a reply was due' in outcome.inner_text()
    assert "the end of B's stderr:\n  starting\n  column 7 is high" in outcome.inner_text()
    outcome.locator("summary").first.click()
    assert outcome.locator("pre.bytes").first.inner_text() == "your move?\\x1b"
    outcome.locator("summary").last.click()
    assert "starting\ncolumn 7 is high" in outcome.locator("pre.bytes").last.inner_text()


@pytest.mark.parametrize("game", GAMES)
def test_a_hostile_record_is_text(pages, game):
    record = hostile(samples.game_of(game))
    tab = pages.open([record, record], files=(SCRIPT + CLOSING,))
    for place in ("#g1m0", "#g1m3", f"#g2m{len(record.moves)}", "#statistics"):
        tab.evaluate("place => { location.hash = place; }", place)
    tab.get_by_role("button", name="Games").click()
    tab.get_by_text("Game 2 of 2").wait_for()
    for box in tab.locator(".ticks input").all():
        box.set_checked(True)
    for detail in tab.locator("summary").all():
        detail.click()
    text = tab.locator("body").inner_text()
    for part in ("<script>alert(1)</script>", "</script></style></title>", "\\x1b[31mred", "\\u202e", DIGITS):
        assert part in text
    assert "\x1b" not in text and "\u202e" not in text
    assert tab.locator("body script").count() == tab.evaluate("document.scripts.length")
    assert tab.locator("main script, main img, [onload], [onerror]").count() == 0
    assert tab.evaluate("({}).polluted") is None
    tab.get_by_label("language").select_option("zh")
    tab.get_by_role("button", name="统计").click()
    assert "alert(1)" in tab.locator("body").inner_text()
    # That nothing was asked for, said or run is what closing `pages` finds.


def test_a_page_asks_for_nothing_and_may_run_nothing_else(pages):
    tab = pages.open([samples.game_of("reversi")])
    tab.evaluate(
        """() => {
            const script = document.createElement('script');
            script.textContent = 'document.documentElement.dataset.ran = 1';
            document.body.append(script);
        }"""
    )
    assert tab.evaluate("document.documentElement.dataset.ran") is None
    assert "Content Security Policy" in pages.misdeeds.pop()
