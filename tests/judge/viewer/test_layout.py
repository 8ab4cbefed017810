"""The screen: whole boards on terminals of every size that can hold them, and what stands around them."""

import io
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from rich.console import Console

from judge.games import GAMES
from judge.viewer import HELP, Browser, GameView, RecordedPositions, can_run
from protocol.records.record import Player, Termination
from tests.judge.helpers.random_games import recorded_game


def reported(side, ply):
    return {"value": (ply % 21 - 10) / 10, "depth": ply, "iterations": 1000 * ply}


def view_of(record):
    return GameView(RecordedPositions(record), "games.jsonl, game 7", Console(file=io.StringIO()))


RECORDS = {game: recorded_game(game, report=reported) for game in GAMES}  # on the largest boards
VIEWS = {game: view_of(record) for game, record in RECORDS.items()}
POSITIONS = {game: RecordedPositions(record) for game, record in RECORDS.items()}


def screen(game, ply, width, height, view=None):
    """The lines of a screen, as text."""
    browser = Browser(POSITIONS[game].last)
    browser.ply = ply
    lines = (view or VIEWS[game]).lines(browser, width, height)
    assert len(lines) == height
    assert all(line.cell_len <= width for line in lines)
    return [line.plain.rstrip() for line in lines]


def picture(game, ply):
    return [line.rstrip() for line in POSITIONS[game].game.rendering(POSITIONS[game].position(ply)).plain.split("\n")]


def has_picture(lines, game, ply):
    """Whether the board stands there, row by row and whole."""
    rows = picture(game, ply)
    return any(
        all(line.startswith(row) for line, row in zip(lines[top:], rows, strict=False))
        for top in range(len(lines) - len(rows) + 1)
    )


@pytest.mark.parametrize("game", GAMES)
def test_the_largest_board_fits_the_usual_terminal_at_every_ply_with_all_the_rest(game):
    last = POSITIONS[game].last
    for ply in range(last + 1):
        lines = screen(game, ply, 80, 24)
        assert has_picture(lines, game, ply)
        assert f"ply {ply} of {last}" in lines[-1]
        assert any("games.jsonl, game 7" in line for line in lines)
        curves = [line for line in lines if line[:3] in ("A X", "B O") and not line.endswith(("one", "two"))]
        assert len(curves) == 2
    assert any("wins after" in line or "Draw" in line for line in lines)
    assert any("The rules agree with the record." in line for line in lines)


@settings(max_examples=120)
@given(st.sampled_from(sorted(GAMES)), st.integers(1, 160), st.integers(1, 60), st.data())
def test_a_board_is_whole_or_the_screen_says_what_is_needed(game, width, height, data):
    last = POSITIONS[game].last
    ply = data.draw(st.one_of(st.integers(0, last), st.just(last)))
    lines = screen(game, ply, width, height)
    rows = picture(game, ply)
    widest = max(line.cell_len for line in POSITIONS[game].game.rendering(POSITIONS[game].position(ply)).split("\n"))
    if widest <= width and len(rows) + 2 <= height:
        assert has_picture(lines, game, ply)
        assert lines[-1].startswith(f"ply {ply} of {last}"[: width - 1])
    else:
        said = "".join(lines).replace(" ", "")
        needed = f"theboardneeds{widest}columnsand{len(rows) + 2}rows,"
        assert needed.startswith(said[: len(needed)])


def test_a_small_terminal_shows_players_above_the_board_and_the_result_in_their_place():
    before = screen("reversi", 3, 50, 19)
    assert before[:2] == ["A moves first: A X one against B O two", "games.jsonl, game 7"]
    last = POSITIONS["reversi"].last
    after = screen("reversi", last, 50, 19)
    assert "wins after" in after[0] and after[1] == "The rules agree with the record."


def test_a_screen_of_connect_four():
    record = recorded_game("connect_four", {"rows": 9, "cols": 9, "forbidden": [8, 4]}, seed=3, report=reported)
    view = GameView(RecordedPositions(record), "games.jsonl, game 1", Console(file=io.StringIO()))
    browser = Browser(len(record.moves))
    browser.ply = browser.last
    browser.helps = True
    assert [line.plain.rstrip() for line in view.lines(browser, 80, 24)] == [*GOLDEN[1:-1].split("\n"), HELP]


GOLDEN = """
     0  1  2  3  4  5  6  7  8    B (two) wins after 36 plies: B has four in a
  0  .  .  .  .  .  .  .  .  .    line
  1  .  .  .  .  .  .  .  .  .    The rules agree with the record.
  2  .  .  .  .  .  .  .  .  .    games.jsonl, game 1
  3  .  .  .  .  .  .  .  O  .    2024-02-29T12:00:00.000+00:00
  4  .  .  X  .  .  .  X  O  X    A X one
  5  O  .  X  X  X  .  O  O  X        1.0
  6  O  .  O  O  X  .  X  X  O    B O two
  7  X  O  O  X  X *O**O**O**O*   A moves first
  8  X  O  X  X  #  O  X  X  O
     0  1  2  3  4  5  6  7  8

ply 36: B plays column 5 (row 7)  0.25 s  value +0.500  depth 36  iterations 36…
A X +0.40 ▁▁▂▂▃▃▃▃▄▄▅▅▆▆▇▇▇▇██▁▁▁▁▂▂▃▃▄▄▅▅▅▅▆▆
B O +0.50  ▁▁▂▂▃▃▄▄▅▅▅▅▆▆▇▇████▁▁▂▂▃▃▃▃▄▄▅▅▆▆▇
                                             ^







"""


def test_a_forfeit_and_a_false_record_are_told():
    record = RECORDS["connect_four"]
    crashed = structs.replace(
        record,
        moves=record.moves[:9],
        termination=Termination.CRASH,
        winner="A",
        at_fault="B",
        extra={"reason": "B ended with status 3", "B": {"stderr": "a\x1b[2Jb\nboom\n"}},
    )
    shown = "\n".join(view_of(crashed).result)
    assert "CRASH by B (two): B ended with status 3" in shown
    assert "the last lines that B wrote to stderr:\n  a\\x1b[2Jb\n  boom\nThe rules agree with the record." in shown
    false = view_of(structs.replace(crashed, winner="B"))
    assert false.result[-1] == "The record disagrees with the rules: the recorded winner is B, expected A after CRASH"


def test_what_does_not_fit_beside_the_board_is_announced():
    record = structs.replace(
        RECORDS["connect_four"],
        moves=RECORDS["connect_four"].moves[:9],
        termination=Termination.CRASH,
        winner="A",
        at_fault="B",
        extra={"reason": "B ended", "B": {"stderr": "\n".join(f"{number} {'long ' * 60}" for number in range(9))}},
    )
    browser = Browser(9)
    browser.ply = 9
    lines = [line.plain for line in view_of(record).lines(browser, 80, 24)]
    assert sum("(press q for the rest)" in line for line in lines) == 1
    assert has_picture(lines, "connect_four", 9)


def test_names_are_data():
    name = "[red]\x1b[2J\r\nx"
    record = structs.replace(RECORDS["dots"], players=(Player(name, "a", name), Player("界" * 90, "b")))
    lines = screen("dots", 5, 80, 24, view_of(record))
    assert any("A X [red]\\x1b[2J\\r\\nx" in line for line in lines)


def test_a_terminal_without_blocks_gets_other_characters():
    latin = Console(file=io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    view = GameView(POSITIONS["dots"], "games.jsonl, game 7", latin)
    assert all(line.isascii() for line in screen("dots", 20, 80, 24, view))


def test_only_a_terminal_that_draws_is_looked_at_by_keys(monkeypatch):
    class Stream(io.StringIO):
        terminal = True

        def isatty(self):
            return self.terminal

    streams = {name: Stream() for name in ("stdin", "stdout")}
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)

    def possible(term="xterm", **others):
        monkeypatch.setenv("TERM", term)
        return can_run(Console(**{"file": io.StringIO(), "force_terminal": True, "force_interactive": True, **others}))

    assert possible()
    assert not any(possible(term) for term in ("", "dumb", "DUMB", "unknown"))
    assert not possible(force_terminal=False) and not possible(force_interactive=False)
    for stream in streams.values():
        stream.terminal = False
        assert not possible()
        stream.terminal = True
    monkeypatch.delenv("TERM")
    assert not can_run(Console(file=io.StringIO(), force_terminal=True, force_interactive=True))
