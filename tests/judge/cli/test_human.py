"""`judge human`: prompts, boards, taking back, hints, values, and the record; most of it without a terminal."""

import io
import itertools
import os
import re
import sys

import pexpect
import pytest

from judge.__main__ import main
from judge.games.dots.rules import Dots
from judge.games.reversi.board import worth
from judge.games.reversi.rules import Reversi
from judge.play.recheck import disagreements
from protocol.records.record import Termination, read_records
from tests.judge.helpers.scripted import command, run_judge, whatever_the_machine
from tests.judge.helpers.started import in_terminal

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
DRAWN_OVER = "\x1b[2K"  # what rich begins a line with that takes the place of another


class Person(io.StringIO):
    """Who sits at the console: a generator that is sent what was shown since, and yields what is typed."""

    def __init__(self, talk, console):
        super().__init__()
        self.talk, self.console, self.read_to = talk, console, 0
        next(talk)

    def shown(self):
        text = self.console.getvalue()[self.read_to :]
        self.read_to += len(text)
        return text.removesuffix(">>> ")

    def readline(self, *_):
        return f"{self.talk.send(self.shown())}\n"


def sit_down(folder, talk, *words):
    """(exit status, what was shown last, the records) of a game in this process against talk, a generator function."""
    console, errors, path = io.StringIO(), io.StringIO(), folder / "human.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        person = Person(talk(), console)
        for name, stream in (("stdin", person), ("stdout", console), ("stderr", errors)):
            patch.setattr(sys, name, stream)
        patch.setenv("COLUMNS", "200")
        status = main(whatever_the_machine(["human", *words, "--seed", "3", "--record", str(path)]))
    assert errors.getvalue() == ""
    return status, person.shown(), read_records(path)[0] if path.exists() else None


def last_board(shown):
    """The cells of the last board shown, row by row, each one of X O + . without brackets."""
    rows = re.findall(r"^ +\d+ ([ \[\]XO+.#]+)\r?$", shown, re.MULTILINE)
    size = len(rows[-1].replace("[", " ").replace("]", " ").split())
    return [row.replace("[", " ").replace("]", " ").split() for row in rows[-size:]]


def cells_marked(shown):
    """The moves that the last board of reversi marks."""
    board = last_board(shown)
    return [
        f"{'abcdefghij'[column]}{row + 1}"
        for row, cells in enumerate(board)
        for column, cell in enumerate(cells)
        if cell == "+"
    ]


def test_a_whole_game_of_reversi_is_recorded(tmp_path):
    def talk():
        shown = yield
        assert "you play X, random_mover.py plays O" in shown
        assert re.search(r"the position is worth [+-]\d+ to random_mover.py", shown)
        while True:
            shown = yield cells_marked(shown)[0]
            assert "you play " in shown and "random_mover.py is thinking, for at most 3 s" in shown

    mover = command("random_mover", "--seed", "{seed}", game="reversi")
    status, _, (record,) = sit_down(tmp_path, talk, "--game", "reversi", "--size", "4", mover)
    assert (status, record.game, record.players[0].name) == (0, "reversi", "human")
    assert disagreements(record) == []
    assert {move.side for move in record.moves} == {"A", "B"}


def test_a_whole_game_of_dots_is_recorded_with_every_edge(tmp_path):
    """The human draws edge by edge, the player whole turns."""

    def talk():
        shown = yield
        assert "you play X, greedy_mover.py plays O" in shown
        for edge in reversed(Dots(2, 3).legal_moves()):
            yield edge.lower()  # a taken edge is refused

    mover = command("greedy_mover", "--seed", "{seed}", game="dots")
    status, shown, (record,) = sit_down(tmp_path, talk, "--game", "dots", "--size", "2x3", mover)
    assert (status, record.game, len(record.moves)) == (0, "dots", 17)
    assert "boxes" in shown
    assert disagreements(record) == []
    assert any(before.side == after.side == "B" for before, after in itertools.pairwise(record.moves))


def test_taking_back_hints_and_what_is_typed_wrong(tmp_path):
    def talk():
        start = yield
        assert "you have made no move that could be taken back" in (yield "undo")
        for typed, words in (
            ("a1", "a1 turns no disc"),
            ("d4", "d4 is taken"),
            ("j10", "off the board"),
            ("hello", "no cell"),
            ("help", "`undo`"),
            ("?", "`undo`"),
        ):
            shown = yield f" {typed.upper()} "
            assert words in shown and ("type `help` to see" in shown) == (typed not in ("help", "?"))
        yield ""  # a blank line is nothing typed
        first = yield "d3"
        assert cells_marked(first) != cells_marked(start)
        taken_back = yield "undo"
        assert last_board(taken_back) == last_board(start)
        # It plays the first legal cell, in its own place and in the human's.
        assert "first_legal.py would play d3" in (yield "hint")
        assert last_board((yield "d3")) == last_board(first)
        yield "quit"

    assert sit_down(tmp_path, talk, "--game", "reversi", command("first_legal", game="reversi"))[0] == 130


def test_the_program_may_begin_and_a_game_that_is_left_is_not_recorded(tmp_path):
    def talk():
        shown = yield
        assert "you play O, first_legal.py plays X" in shown and "first_legal.py plays column" in shown
        yield "quit"

    status, shown, record = sit_down(tmp_path, talk, "--first", "player", command("first_legal"))
    assert (status, shown, record) == (130, "the game is not recorded\n", None)
    done = run_judge(tmp_path, "human", command("first_legal"), "--record", "human.jsonl", input="")
    assert (done.returncode, "the game is not recorded" in done.stdout) == (130, True)


def test_a_player_that_breaks_the_rules_has_lost(tmp_path):
    def talk():
        yield
        yield "4"

    status, shown, (record,) = sit_down(tmp_path, talk, command("misbehave", "crash"))
    assert status == 0 and "CRASH by B" in shown
    assert (record.termination, record.winner, record.at_fault) == (Termination.CRASH, "A", "B")
    assert disagreements(record) == []


def test_a_four_ends_the_game(tmp_path):
    def talk():
        yield
        for _ in range(4):
            yield "5"

    words = ("--rows", "9", "--cols", "9", "--forbidden", "0,0", command("first_legal"))
    status, shown, (record,) = sit_down(tmp_path, talk, *words)
    assert status == 0 and "A (human) wins" in shown and "replay: " in shown and "human.jsonl --number 1" in shown
    assert record.winner == "A" and disagreements(record) == []


def test_the_seeds_measure_of_a_board():
    """Rows 2.6 and 2.11 of the seed: discs, and the size more at the first and at the last edges."""
    position = Reversi(8)
    assert worth(position, 0) == 0
    position.owner[0][3] = 0  # one edge: 1 + 8
    position.owner[7][0] = 0  # first column and last row: 1 + 8 + 8
    position.owner[0][0] = 1  # first row and column count once: 1 + 8
    assert worth(position, 0) == 9 + 17 - 9
    assert worth(position, 1) == -worth(position, 0)


def test_a_player_that_cannot_start_is_refused(tmp_path):
    done = run_judge(tmp_path, "human", "./nothing")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "error: player './nothing' cannot start: ./nothing: No such file or directory"


@pytest.mark.parametrize(
    "game, move",
    [
        ("reversi", "d3"),
        pytest.param("connect_four", "4", marks=pytest.mark.slow),
        pytest.param("dots", "aab", marks=pytest.mark.slow),
    ],
)
def test_values_are_our_bots_whoever_the_player_is(tmp_path, game, move):
    def talk():
        start = yield
        assert "`values` shows what our bot thinks of each of your moves" in start
        for typed in (move, "quit"):
            shown = yield "values"
            lines = [line.strip() for line in shown.splitlines() if line.strip()]
            assert re.fullmatch(r"after [1-9]\d*\.\d s, depth \d+: best move \S+, value [+-]0\.\d{3}", lines[0]), shown
            assert len(lines) > 4
            listed = [re.fullmatch(r"(\S+) +[+-]0\.\d{3}(  .+)?|and \d+ more moves", line) for line in lines[1:]]
            assert all(listed), lines
            names = [found[1] for found in listed if found[1]]
            assert lines[0].split()[7].rstrip(",") == names[0]
            if game == "reversi":
                assert set(names) == set(cells_marked(start))
            start = yield typed

    assert sit_down(tmp_path, talk, "--game", game, command("first_legal", game=game))[0] == 130


def test_a_position_without_values_leaves_the_game_as_it_is(tmp_path, monkeypatch):
    """Without an engine, and without what one could be made with, our bot says so."""
    monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path / "file" / "cache"))
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")

    def talk():
        yield
        shown = yield "values"
        assert "our bot cannot compute values: " in shown and "Traceback" not in shown
        assert "first_legal.py plays column" in (yield "4")
        yield "quit"

    assert sit_down(tmp_path, talk, command("first_legal"))[0] == 130


def test_on_a_terminal_values_deepen_in_one_line_and_ctrl_c_leaves_no_record(tmp_path):
    words = ("human", command("first_legal"), "--seed", 3, "--record", "human.jsonl")
    process = in_terminal(tmp_path, *words, size=(60, 200), HOME=str(tmp_path))
    process.expect_exact("\r\n>>> ")
    for _ in range(5):  # without a core for the whole second there is one line alone
        process.sendline("values")
        process.expect_exact("\r\n>>> ")
        shown = COLOURS.sub("", process.before)
        drawn = [float(seconds) for seconds in re.findall(r"(\d+\.\d) s, depth", shown)]
        if len(set(drawn)) > 1:
            break
    assert len(set(drawn)) > 1 and drawn == sorted(drawn)
    shown = shown[shown.index("s, depth") :]  # behind the bar of an engine that took a second to be found compiled
    assert shown.count(DRAWN_OVER) == len(drawn) - 1  # each takes the place of the one before
    process.sendintr()
    # Python sees a signal between the prompt and the reading of the line only when that line ends.
    process.sendline("")
    process.expect(pexpect.EOF)
    process.close()
    assert process.exitstatus == 130
    assert os.listdir(tmp_path) == []
