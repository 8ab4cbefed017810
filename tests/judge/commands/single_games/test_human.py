"""`judge human` as somebody at a terminal has it: prompts, boards, taking back, hints, and the record at the end."""

import itertools
import re
import sys

import pexpect
import pytest

from judge.games.reversi.picture import worth
from judge.games.reversi.rules import Reversi
from judge.play.recheck import disagreements
from protocol.records.record import Termination, read_records
from tests.judge.helpers.scripted import run_judge
from tests.places import REPOSITORY

ENGINES = REPOSITORY / "tests" / "engines"
PATIENCE_S = 120
PROMPT = "\r\n>>> "


COLOURS = re.compile(r"\x1b\[[0-9;]*m")
DRAWN_OVER = "\x1b[2K"  # what rich begins a line with that takes the place of another


def player(game, engine="random_mover.py"):
    seed = " --seed {seed}" if engine in ("random_mover.py", "greedy_mover.py") else ""
    return f"{sys.executable} -S {ENGINES / engine} --game {game}{seed}"


class Terminal:
    """`judge human` in a terminal; says what it shows between prompts."""

    def __init__(self, tmp_path, *words):
        self.record = tmp_path / "human.jsonl"
        command = ["-m", "judge", "human", *words, "--seed", "3", "--record", str(self.record)]
        self.process = pexpect.spawn(
            sys.executable,
            command,
            cwd=str(REPOSITORY),
            encoding="utf-8",
            timeout=PATIENCE_S,
            dimensions=(60, 200),
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.close(force=True)

    def shown(self):
        """What stands before the next prompt, or before the end."""
        self.process.expect([re.escape(PROMPT), pexpect.EOF])
        return COLOURS.sub("", self.process.before)

    def ended(self):
        return self.process.after is pexpect.EOF

    def type(self, text):
        self.process.sendline(text)
        return self.shown()

    def status(self):
        self.process.close()
        return self.process.exitstatus


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
    with Terminal(tmp_path, "--game", "reversi", "--size", "4", player("reversi")) as terminal:
        shown = terminal.shown()
        assert "you are X, random_mover.py is O" in shown
        assert re.search(r"value [+-]\d+ for random_mover.py", shown)
        while not terminal.ended():
            shown = terminal.type(cells_marked(shown)[0])
        assert terminal.status() == 0
    (record,), torn = read_records(terminal.record)
    assert (record.game, record.players[0].name, torn) == ("reversi", "human", [])
    assert disagreements(record) == []
    assert {move.side for move in record.moves} == {"A", "B"}


def free_edges(shown):
    """The names of the edges that the last board of dots leaves free, read off its margins."""
    lines = [line.rstrip("\r") for line in shown.splitlines()]
    top = max(number for number, line in enumerate(lines) if line.strip().startswith("BA"))
    places, names = lines[top - 1], lines[top]
    board = itertools.takewhile(lambda line: re.match(r" +A?[A-H]  ", line), lines[top + 1 :])
    free = []
    for line in board:
        left = line.split()[0]
        if left.startswith("A") and len(left) == 2:
            free += [left + letter.group() for letter in re.finditer("[A-H]", places) if line[letter.start()] == " "]
        else:
            prefixes = re.finditer("B[A-H]", names)
            free += [prefix.group() + left for prefix in prefixes if line[prefix.start()] == " "]
    return free


def test_a_whole_game_of_dots_is_recorded_with_every_edge(tmp_path):
    """The human draws edge by edge, the player whole turns."""
    with Terminal(tmp_path, "--game", "dots", "--size", "2x3", player("dots", "greedy_mover.py")) as terminal:
        shown = terminal.shown()
        assert "you are X, greedy_mover.py is O" in shown
        assert len(free_edges(shown)) == 17
        while not terminal.ended():
            shown = terminal.type(free_edges(shown)[-1].lower())
        assert "boxes" in shown
        assert terminal.status() == 0
    (record,), torn = read_records(terminal.record)
    assert (record.game, len(record.moves), torn) == ("dots", 17, [])
    assert disagreements(record) == []
    assert any(before.side == after.side == "B" for before, after in itertools.pairwise(record.moves))


def test_taking_back_and_a_hint_where_a_bot_keeps_the_board_itself(tmp_path):
    with Terminal(tmp_path, "--game", "dots", "--size", "2x2", player("dots", "first_legal.py")) as terminal:
        start = terminal.shown()
        assert "first_legal.py would play AAA" in terminal.type("hint")
        first = terminal.type("acb")
        assert "first_legal.py plays AAA" in first
        assert "first_legal.py would play AAB" in terminal.type("hint")
        assert free_edges(terminal.type("undo")) == free_edges(start)
        assert "first_legal.py plays AAB" in terminal.type("AAA")
        assert "first_legal.py plays ABA" in terminal.type("acb")
        assert "first_legal.py would play ABB" in terminal.type("hint")
        terminal.type("BAA")  # the player completes a box with BBA and goes on
        assert "would play" in terminal.type("hint")
        shown = terminal.type("undo")
        assert "first_legal.py plays ABB" in terminal.type("bbb"), shown


def test_the_program_may_begin(tmp_path):
    with Terminal(tmp_path, "--first", "player", player("connect_four", "first_legal.py")) as terminal:
        shown = terminal.shown()
        assert "you are O, first_legal.py is X" in shown and "first_legal.py plays column" in shown
        assert terminal.type("quit").strip().endswith("the game is not recorded")
        assert terminal.status() == 130
    assert not terminal.record.exists()


def test_taking_back_and_a_hint(tmp_path):
    with Terminal(tmp_path, "--game", "reversi", player("reversi", "first_legal.py")) as terminal:
        start = terminal.shown()
        assert "no move of yours" in terminal.type("undo")
        first = terminal.type("d3")
        assert cells_marked(first) != cells_marked(start)
        taken_back = terminal.type("undo")
        assert last_board(taken_back) == last_board(start)
        # It plays the first legal cell, in its own place and in the human's.
        assert "first_legal.py would play d3" in terminal.type("hint")
        assert last_board(terminal.type("d3")) == last_board(first)


@pytest.mark.parametrize(
    "typed, words",
    [
        ("a1", "a1 turns no disc"),
        ("d4", "d4 is taken"),
        ("j10", "off the board"),
        ("hello", "no cell"),
        ("help", "undo"),
    ],
)
def test_what_is_typed_wrong_is_explained(tmp_path, typed, words):
    with Terminal(tmp_path, "--game", "reversi", player("reversi")) as terminal:
        start = terminal.shown()
        assert words in terminal.type(typed)
        assert cells_marked(start)[0] in terminal.type("hint") or not terminal.ended()


def test_a_player_that_breaks_the_rules_has_lost(tmp_path):
    misbehaving = f"{sys.executable} -S {ENGINES / 'misbehave.py'} crash"
    with Terminal(tmp_path, misbehaving) as terminal:
        terminal.shown()
        shown = terminal.type("4")
        assert terminal.ended() and "CRASH by B" in shown
        assert terminal.status() == 0
    (record,), _ = read_records(terminal.record)
    assert (record.termination, record.winner, record.at_fault) == (Termination.CRASH, "A", "B")
    assert disagreements(record) == []


def test_a_four_ends_the_game(tmp_path):
    with Terminal(
        tmp_path, "--rows", "9", "--cols", "9", "--forbidden", "0,0", player("connect_four", "first_legal.py")
    ) as terminal:
        terminal.shown()
        for _ in range(4):
            shown = terminal.type("5")
        assert terminal.ended() and "A (human) wins" in shown and "replay:" in shown
    (record,), _ = read_records(terminal.record)
    assert record.winner == "A" and disagreements(record) == []


def test_ctrl_c_leaves_no_record(tmp_path):
    with Terminal(tmp_path, player("connect_four")) as terminal:
        terminal.shown()
        terminal.process.sendintr()
        # Python sees a signal between the prompt and the reading of the line only when that line ends.
        terminal.process.sendline("")
        terminal.process.expect(pexpect.EOF)
        assert terminal.status() == 130
    assert not terminal.record.exists()


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


@pytest.mark.parametrize("game, move", [("connect_four", "4"), ("reversi", "d3"), ("dots", "aab")])
def test_values_are_our_bots_whoever_the_player_is(tmp_path, game, move):
    with Terminal(tmp_path, "--game", game, player(game, "first_legal.py")) as terminal:
        start = terminal.shown()
        assert "`values` for what our bot thinks of each of your moves" in start
        for typed in (move, "undo"):
            shown = terminal.type("values")
            lines = [line.strip() for line in shown.split(DRAWN_OVER)[-1].splitlines() if line.strip()]
            assert re.fullmatch(r"1\.\d s, depth \d+: \S+ [+-]0\.\d{3}", lines[0]), shown
            assert len(lines) > 4
            listed = [re.fullmatch(r"(\S+) +[+-]0\.\d{3}(  .+)?|and \d+ more", line) for line in lines[1:]]
            assert all(listed), lines
            names = [found[1] for found in listed if found[1]]
            assert lines[0].split()[4] == names[0]
            if game == "reversi":
                assert set(names) == set(cells_marked(start))
            start = terminal.type(typed)


def test_values_deepen_in_one_line(tmp_path):
    with Terminal(tmp_path, player("connect_four", "first_legal.py")) as terminal:
        terminal.shown()
        shown = terminal.type("values")
        drawn = re.findall(r"(\d\.\d) s, depth", shown)
        assert len(set(drawn)) == 4 and drawn == sorted(drawn)
        assert shown.count(DRAWN_OVER) == len(drawn) - 1  # each takes the place of the one before


def test_a_position_without_values_leaves_the_game_as_it_is(tmp_path, monkeypatch):
    """Without an engine, and without what one could be made with, our bot says so."""
    monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path / "file" / "cache"))
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with Terminal(tmp_path, player("connect_four", "first_legal.py")) as terminal:
        terminal.shown()
        shown = terminal.type("values")
        assert "there are no values: " in shown and "Traceback" not in shown
        assert "first_legal.py plays column" in terminal.type("4")
