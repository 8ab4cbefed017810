"""The application as a process of its own with players and records, and what a reader does on its pages."""

import json
import subprocess

from protocol.records.record import read_records
from tests.contracts.games import GAMES
from tests.judge.helpers.scripted import PATIENCE_S, command, judge_command
from tests.judge.web.serve.helpers.served import Served
from tests.places import REPOSITORY

PATIENCE_MS = 1000 * PATIENCE_S
ALLOWED = "allowed"  # a file: how many moves both players may make
WHOLE_GAME = 1000
POLL_MS = 30  # between two looks at a page
# A move can be made, or none any more.
MY_TURN = "() => document.querySelector('.board .allowed, .result .ways-on') !== null"
NOISE = ("WebSocket connection to", "Failed to load resource")  # what a browser says of a server that is gone


class Site:
    """A server in a process of its own, with a records folder and players all of whom make the first legal move:
    "first-GAME" at once, "slow-GAME" never; and a folder of bots with one that does not compile, "broken"."""

    def __init__(self, folder):
        self.folder, self.records = folder, folder / "records"
        self.records.mkdir()
        lines = []
        for game in GAMES:
            for name, words in (("first", ("--report",)), ("slow", ("--delay", 600))):
                told = json.dumps(command("first_legal", *words, game=game))
                lines.append(f"[{name}-{game}]\ncommand = {told}\n")
        (folder / "players.toml").write_text("\n".join(lines), "utf-8")
        (folder / "bots" / "broken").mkdir(parents=True)
        (folder / "bots" / "broken" / "a.cpp").write_text("int main() { return nonsense; }\n")
        self.server = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.server.__exit__(*error)

    def start(self, port=0):
        """Start the server; at the same port as before, pages find it again."""
        self.server = Served(self.folder, "--port", port, "--bots", "bots")
        self.port, self.address = self.server.port, self.server.origin

    def end(self, number):
        """End the server by a signal."""
        self.server.process.send_signal(number)
        self.server.process.wait(PATIENCE_S)

    def is_own(self, address):
        """Whether a page of the application may ask for it."""
        return address.split("/")[2] == self.server.host or address.startswith("data:")

    def bots(self):
        """The process numbers of players."""
        return self.server.bots()

    def table(self, game, player="first", first="human", **board):
        """The address of a new table."""
        wanted = {"game": game, "board": board, "player": f"{player}-{game}", "first": first, "limit_s": 30}
        status, content = self.server.ask("/api/tables", wanted)
        assert status == 201, content
        return f"/play/{json.loads(content)['id']}"

    def latest(self):
        """The record of the latest finished game of the server's own tables."""
        return read_records(self.records / "serve.jsonl")[0][-1]


def without_noise(watched):
    """What a browser says of a server that is gone is no misdeed of the page's."""
    watched.misdeeds[:] = [text for text in watched.misdeeds if not any(noise in text for noise in NOISE)]


def begin(tab, game, **board):
    """From the first page to a game against "first"; returns when it is there."""
    form = tab.locator(".new-game form")
    form.get_by_label("which game").select_option(game)
    form.get_by_label("opponent").first.select_option(f"first-{game}")
    form.get_by_label("who begins").select_option("human")
    for label, value in board.items():
        form.get_by_label(label, exact=False).first.fill(value)
    form.get_by_label("limit").fill("30")
    form.get_by_role("button", name="Play").click()
    tab.wait_for_url("**/play/*")
    await_turn(tab)


def await_turn(tab):
    """Wait until the reader is to move, or the game is over."""
    tab.wait_for_function(MY_TURN, timeout=PATIENCE_MS, polling=POLL_MS)


def plies(tab):
    """How many moves the page shows."""
    return tab.locator(".moves li").count()


def await_plies(tab, number):
    """Wait until the page shows so many moves."""
    tab.wait_for_function(
        "number => document.querySelectorAll('.moves li').length === number",
        arg=number,
        timeout=PATIENCE_MS,
        polling=POLL_MS,
    )


def moves(tab):
    """The moves that the page shows."""
    return tab.locator(".moves .made").all_inner_texts()


def click(tab, place=0):
    """Click on one of the places where a move can be made, and wait for the answer."""
    answered(tab, lambda: point_at(tab.locator(".board .allowed").nth(place)))


def drop(tab, column):
    """Click on the top of a column of connect four, and wait for the answer."""
    answered(tab, lambda: point_at(tab.locator(f".board [data-row='0'][data-col='{column}']")))


def answered(tab, act):
    """Make a move by act(), and wait for the answer."""
    before = plies(tab)
    act()
    shown = "number => document.querySelectorAll('.moves li').length > number"
    tab.wait_for_function(shown, arg=before, timeout=PATIENCE_MS, polling=POLL_MS)
    await_turn(tab)


def point_at(group):
    """A click into the middle of a cell or an edge, whose own element may be no more than a line."""
    group.evaluate("group => group.scrollIntoView({ block: 'center' })")
    box = group.bounding_box()
    group.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def is_over(tab):
    """Whether the page shows a result."""
    return tab.locator(".result .outcome").count() == 1


def resign(tab):
    """Resign, once one has changed one's mind; returns when the result is there."""
    tab.get_by_role("button", name="Resign", exact=True).click()
    tab.get_by_role("button", name="No, play on").click()
    assert tab.get_by_role("button", name="Resign", exact=True).count() == 1
    assert not is_over(tab)
    tab.get_by_role("button", name="Resign", exact=True).click()
    tab.get_by_role("button", name="Yes, resign").click()
    tab.locator(".result .outcome").wait_for()


def playing_match(served, name, games, allowed):
    """A match of two players in another process, into a record file of the served folder.

    Both make so many moves of each game and wait: allow() lets them go on.
    """
    allow(served, allowed)
    player = command("first_legal", "--report", "--allowed", served.folder / ALLOWED)
    words = ["match", player, player, "--games", games, "--limit", PATIENCE_S, "--jobs", 1, "--seed", 1]
    started = judge_command(*words, "--record", served.records / name, "--no-machine-check")
    return subprocess.Popen(started, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def allow(served, moves=WHOLE_GAME):
    """Let both players of a match make so many moves of each game."""
    (served.folder / ALLOWED).write_text(str(moves))
