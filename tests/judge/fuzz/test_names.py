"""Names and commands of players, from the players file and the command line, whatever characters they are made of."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.players.players import KINDS, PlayerError, contestants, read_players_file
from judge.reports import verdict
from judge.terminal import console
from protocol.records.record import Player
from tests.judge.helpers.alterations import FORGED, ODD_TEXTS, ODD_VALUES, faults_of
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command, run_judge
from tests.protocol.records.examples import record

TEXTS = st.text(max_size=20) | st.sampled_from([text for text in ODD_TEXTS if "\ud800" not in text])
KEYS = st.sampled_from([*KINDS, "other", "\x1b[31m"])
NESTED = ("[" * 5000 + "]" * 5000, "{a = " * 3000, "inf", "nan", "1979-05-27T07:32:00Z", '"\\u0000"', "0x" + "f" * 5000)


def quoted(text):
    """A text as TOML has it."""
    return json.dumps(text).replace("\x7f", "\\u007f").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@settings(max_examples=50)
@given(TEXTS, st.lists(st.tuples(KEYS, TEXTS.map(quoted) | st.sampled_from(ODD_VALUES + NESTED)), max_size=3))
def test_a_players_file_is_read_or_refused(name, entries):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "players.toml"
        lines = [f"[{quoted(name)}]", *(f"{quoted(key)} = {value}" for key, value in entries)]
        path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
        try:
            found = read_players_file(path)
        except PlayerError as error:
            assert "players.toml" in str(error)
        else:
            assert all("\0" not in entry.text for entry in found.values())


@given(TEXTS, TEXTS)
@settings(max_examples=40)
def test_names_are_safe_once_they_are_players(first, second):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "players.toml"
        path.write_text(f'[{quoted("x" + first)}]\ncommand = "cat"\n', "utf-8")
        try:
            players = contestants(["x" + first, f"no-such-program {second}"], path)
        except PlayerError:
            return
    assert [faults_of(player.name) for player in players] == [[], []]


def test_odd_names_are_shown_in_tables_and_lists(capsys):
    out = console()
    for name in ODD_TEXTS:
        kept = record(players=(Player(name, name, name), Player("B", "b")), extra={"id": "x", "reason": name})
        out.print(verdict.of_match([kept]), soft_wrap=True)
        assert faults_of(capsys.readouterr().out) == [], repr(name)


# What a terminal obeys, a line of its own, turned around, or no text at all.
WORST = ("\x1b[2J\x1b]0;title\x07", f"two\n{FORGED}", "\u202edesrever\u202c \u2066\u2069 \u200b\ufeff", "\ud800 alone")


@pytest.mark.parametrize(
    "text",
    [
        *WORST,
        *(pytest.param(text, marks=pytest.mark.slow) for text in ODD_TEXTS if "\x00" not in text and text not in WORST),
    ],
)
def test_odd_players_are_refused_or_play(tmp_path, text):
    """On the command line, and as a name and an argument in a players file."""
    good = command("first_legal")
    common = ("--limit", WIDE_LIMIT_S, "--free-start", "--games", 1)
    done = run_judge(tmp_path, "match", text, good, *common)
    assert done.returncode in (0, 2)
    shown = done.stdout + done.stderr
    if "\ud800" not in text:
        entry = f"[{quoted('n' + text)}]\ncommand = {quoted(f'{good} ')}\n"
        (tmp_path / "players.toml").write_text(entry, "utf-8")
        done = run_judge(tmp_path, "match", "n" + text, good, *common)
        assert done.returncode == 0, done
        shown += done.stdout + done.stderr + run_judge(tmp_path, "match", "x" + text, good, *common).stderr
    assert [fault for fault in faults_of(shown) if fault != text] == []


def test_odd_numbers_and_names_on_the_command_line_are_refused(tmp_path):
    for words in [
        ("elo", "--single-games", "9" * 400 + ",1,1"),
        ("elo", "--single-games", "9" * 5000 + ",1,1"),
        ("elo", "--pairs", "1,2,3,4," + "9" * 30),
        ("llr", "--elo0", "nan", "--elo1", "5", "--single-games", "1,1,1"),
        ("llr", "--elo0", "0", "--elo1", "1e400", "--single-games", "1,1,1"),
        ("llr", "--elo0", "0", "--elo1", "1e300", "--single-games", "1,1,1"),
        ("match", "a", "b", "--games", "9" * 30),
        ("match", "a", "b", "--games", "9" * 5000),
        ("batch", "a", "--against", "b", "--rounds", "9" * 20),
        ("sprt", "a", "b", "--elo0", "0", "--elo1", "5", "--games", "9" * 20),
        ("play", "--limit", "1e400"),
        ("play", "--limit", "1e300"),
        ("play", "--limit", "nan"),
        ("play", "--seed", "9" * 400),
        ("play", "--seed", "9" * 5000),
        ("play", "--memory-limit", "9" * 5000, "no-such-program"),
        ("play", "--rows", "9" * 5000),
        ("play", "--rows", "9" * 400),
        ("play", "--forbidden", "9" * 5000 + ",1"),
        ("play", "--game", "reversi", "--size", "9" * 5000),
        ("play", "--game", "dots", "--opening-plies", "9" * 5000),
        ("play", "--record", "x" * 5000),
        ("play", "--players", "x" * 5000),
        ("replay", "x" * 5000),
        ("replay", "x", "--number", "9" * 5000),
        ("repro", "x", "--ply", "9" * 5000),
        ("replay", "x", " "),
        ("elo", "--pairs", "1,1,1,1,1", ""),
    ]:
        done = run_judge(tmp_path, *words)
        told = " ".join(word[:12] for word in words)
        assert done.returncode == 2, told
        assert done.stderr.startswith("error: "), told
        assert faults_of(done.stdout + done.stderr) == [], told
