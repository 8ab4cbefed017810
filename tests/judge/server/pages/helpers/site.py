"""The application as a process of its own with players and records, and what a reader does on its pages."""

import json
import subprocess

from protocol.records.record import read_records
from tests.judge.helpers.scripted import GAMES, PATIENCE_S, command, judge_command
from tests.judge.server.helpers.served import Served
from tests.places import REPOSITORY

PATIENCE_MS = 1000 * PATIENCE_S
ALLOWED = "allowed"  # a file: how many moves both players may make
WHOLE_GAME = 1000
# A move can be made, or none any more.
MY_TURN = "() => document.querySelector('.board .allowed, .result .ways-on') !== null"
NOISE = ("WebSocket connection to", "Failed to load resource")  # what a browser says of a server that is gone


class Site:
    """A server in a process of its own, with a records folder and players all of whom make the first legal move.

    "first-GAME" at once, "slow-GAME" after some seconds of thought.
    """

    def __init__(self, folder):
        self.folder, self.records = folder, folder / "records"
        self.records.mkdir()
        lines = []
        for game in GAMES:
            for name, words in (("first", ("--report",)), ("slow", ("--delay", 5))):
                told = json.dumps(command("first_legal", *words, game=game))
                lines.append(f"[{name}-{game}]\ncommand = {told}\n")
        (folder / "players.toml").write_text("\n".join(lines), "utf-8")
        self.server = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.server.__exit__(*error)

    def start(self, port=0):
        """Start the server; at the same port as before, pages find it again."""
        self.server = Served(self.folder, "--port", port)
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

    def recorded(self):
        """The finished games of the server's own tables."""
        return self.recorded_in("serve.jsonl")

    def recorded_in(self, name):
        """The finished games of a record file below the folder."""
        path = self.records / name
        return read_records(path)[0] if path.exists() else []


def without_noise(watched):
    """What a browser says of a server that is gone is no misdeed of the page's."""
    watched.misdeeds[:] = [text for text in watched.misdeeds if not any(noise in text for noise in NOISE)]


def begin(tab, game, player="first", first="human", **board):
    """From the first page to a game against "first" or "slow"; returns when it is there."""
    form = tab.locator(".new-game form")
    form.get_by_label("which game").select_option(game)
    form.get_by_label("against").select_option(f"{player}-{game}")
    form.get_by_label("who begins").select_option(first)
    for label, value in board.items():
        field = form.get_by_label(label, exact=False).first
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    form.get_by_label("limit").fill("30")
    form.get_by_role("button", name="Play").click()
    tab.wait_for_url("**/play/*")
    if player == "first":
        await_turn(tab)


def await_turn(tab):
    """Wait until the reader is to move, or the game is over."""
    tab.wait_for_function(MY_TURN, timeout=PATIENCE_MS)


def plies(tab):
    """How many moves the page shows."""
    return tab.locator(".moves li").count()


def await_plies(tab, number):
    """Wait until the page shows so many moves."""
    tab.wait_for_function(
        "number => document.querySelectorAll('.moves li').length === number", arg=number, timeout=PATIENCE_MS
    )


def moves(tab):
    """The moves that the page shows."""
    return tab.locator(".moves .made").all_inner_texts()


def click(tab, place=0):
    """Click on one of the places where a move can be made, and wait for the answer."""
    _answered(tab, tab.locator(".board .allowed").nth(place))


def drop(tab, column):
    """Click on the top of a column of connect four, and wait for the answer."""
    _answered(tab, tab.locator(f".board [data-row='0'][data-col='{column}']"))


def _answered(tab, group):
    before = plies(tab)
    point_at(group)
    tab.wait_for_function(
        "number => document.querySelectorAll('.moves li').length > number", arg=before, timeout=PATIENCE_MS
    )
    await_turn(tab)


def point_at(group):
    """A click into the middle of a cell or an edge, whose own element may be no more than a line."""
    group.evaluate("group => group.scrollIntoView({ block: 'center' })")
    box = group.bounding_box()
    group.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def is_over(tab):
    """Whether the page shows a result."""
    return tab.locator(".result .outcome").count() == 1


def playing_match(served, name, game="connect_four", games=4, allowed=None):
    """A match of two players in another process, into a record file of the served folder.

    With `allowed`, both make so many moves of each game and wait: allow() lets them go on.
    """
    held = []
    if allowed is not None:
        allow(served, allowed)
        held = ["--allowed", served.folder / ALLOWED]
    player = command("first_legal", "--report", *held, game=game)
    return _running(served, name, "match", player, player, "--game", game, "--games", games)


def allow(served, moves=WHOLE_GAME):
    """Let both players of a match make so many moves of each game."""
    (served.folder / ALLOWED).write_text(str(moves))


def deciding_sprt(served, name):
    """An SPRT in another process, which one of the players decides by its faults."""
    players = command("first_legal", "--delay", 0.02), command("misbehave", "off_board", "--at", 2)
    return _running(served, name, "sprt", *players, "--elo0", 0, "--elo1", 300, "--keep-going")


def running_tournament(served, name):
    """A tournament of three in another process."""
    players = [command("first_legal", "--delay", delay_s) for delay_s in (0.02, 0.021)]
    return _running(served, name, "tournament", *players, command("misbehave", "off_board", "--at", 2), "--rounds", 2)


def _running(served, name, *words):
    options = ["--limit", PATIENCE_S, "--jobs", 1, "--record", served.records / name, "--no-machine-check", "--seed", 1]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(judge_command(*words, *options), cwd=REPOSITORY, **silent)
