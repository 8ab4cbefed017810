"""What a page says when something ends that should not: the player, the server, the line between."""

import contextlib
import os
import signal

import psutil

from page_screenshots.browser import started
from protocol.records.record import Termination
from tests.judge.helpers.scripted import PATIENCE_S, wait_until
from tests.judge.pages.helpers.browser import Watched
from tests.judge.server.pages.helpers.site import await_turn, begin, drop, moves, without_noise

BOARD = {"rows": "9", "columns": "9", "forbidden cell": "0,8"}


def test_a_player_that_dies_loses_and_the_page_says_how(served, tabs):
    tab = tabs()
    begin(tab, "connect_four", **BOARD)
    drop(tab, 4)
    (bot,) = served.bots()
    os.kill(bot, signal.SIGKILL)
    drop(tab, 4)
    tab.locator(".result .outcome").wait_for()
    assert "B was ended by signal 9" in tab.locator(".reason").inner_text()
    (record,) = served.recorded()
    assert (record.winner, record.termination) == ("A", Termination.CRASH)
    assert served.bots() == []


def test_a_server_that_dies_and_comes_back(served, tabs, watched):
    tab = tabs()
    begin(tab, "connect_four", **BOARD)
    drop(tab, 4)
    assert len(served.bots()) == 1
    served.end(signal.SIGKILL)
    tab.get_by_text("The connection to the server is lost").wait_for()
    assert moves(tab) == ["4", "0"]  # what was played still stands there
    wait_until(lambda: served.bots() == [])
    served.start(served.port)
    tab.get_by_text("The server has no such game any more").wait_for()
    without_noise(watched)


def test_a_browser_that_dies_leaves_the_game_to_another(served, tabs, browser, tmp_path):
    before = set(psutil.Process().children(recursive=True))
    with started(browser.browser_type) as other:
        own = set(psutil.Process().children(recursive=True)) - before
        tab = Watched(other, tmp_path).go(served.address, served.is_own)
        begin(tab, "connect_four", **BOARD)
        drop(tab, 4)
        bots, place = served.bots(), tab.url.removeprefix(served.address)
        for process in own:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        assert psutil.wait_procs(own, PATIENCE_S)[1] == []
    again = tabs(place)
    await_turn(again)
    assert (moves(again), served.bots()) == (["4", "0"], bots)  # the player has waited
    drop(again, 4)
    again.get_by_role("button", name="Resign", exact=True).click()
    again.get_by_role("button", name="Yes, resign").click()
    again.locator(".result .outcome").wait_for()
    wait_until(lambda: served.bots() == [])
    (record,) = served.recorded()
    assert [move.move for move in record.moves][:3] == [4, 0, 4]


def test_an_address_of_no_game(served, tabs):
    tab = tabs("/play/AAAAAAAAAAAAAAAAAAAAAA")
    tab.get_by_text("The server has no such game any more").wait_for()
