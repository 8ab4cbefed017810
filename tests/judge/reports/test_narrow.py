"""On a narrow terminal every number is whole and the same as on a wide one, and no name is broken."""

import contextlib
import functools
import io
import itertools
import json
import re

import pytest
from msgspec import structs
from rich.console import Console

from judge import terminal
from judge.checks.checks import Group, Outcome, Result
from judge.cli import check, sprt
from judge.language import _
from judge.players.players import Contestant
from judge.reports import batch, match
from judge.reports.tables import ReportTable
from judge.runs.progress import Progress, duration_in_words
from judge.statistics.sprt import Hypotheses, SequentialTest
from judge.terminal import columns
from protocol.records.record import GameRecord, Player, Termination
from tests.judge.helpers.chinese import in_chinese
from tests.judge.helpers.records import ended
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command, run_judge

COLUMNS = 80
WIDTHS = (40, 48, 56, 60, 72, COLUMNS)
LONG_NAMES = ("a_name_that_is_as_long_as_they_get_here_", "bot:preset --set one=1 --set two=2 --se")
WINS, DRAWS, LOSSES = 10101, 2023, 8456
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?%?")


@functools.cache
def games(wins: int, draws: int, losses: int) -> list[GameRecord]:
    """Records with these results for A, in pairs."""
    record = ended(Termination.NORMAL)
    players = tuple(Player(name, f"python {name}") for name in LONG_NAMES)
    results = itertools.chain.from_iterable(
        itertools.repeat(winner, count) for winner, count in (("A", wins), (None, draws), ("B", losses))
    )
    return [
        structs.replace(
            record,
            players=players,
            winner=winner,
            first="AB"[number % 2],
            pair=number // 2,
            board={"number": number // 2},
            extra={"id": str(number), "index": number, "reason": "", "A": {}, "B": {}},
        )
        for number, winner in enumerate(results)
    ]


def shown(tables, width=COLUMNS):
    """The lines of tables on a terminal of this width."""
    console = Console(width=width, file=io.StringIO(), markup=False, highlight=False, emoji=False)
    for table in tables:
        console.print(table, crop=False)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert not [line for line in lines if "…" in line]
    return lines


def numbers(lines):
    return NUMBER.findall("\n".join(lines))


def row(lines, name):
    """The cells of the first row that begins so."""
    return next(line for line in lines if line.strip().startswith(name)).split()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_numbers_of_a_match_are_whole(width):
    for records in (games(WINS, DRAWS, LOSSES), games(11, 0, 1), games(1, 0, 11), games(12, 0, 0)):
        for table in match.tables(records):
            lines = shown([table], width)
            assert set(numbers(lines)) <= set(numbers(shown([table], 200)))
        lines = shown(match.tables(records)[:1], width)
        total = sum(record.winner == "A" for record in records)
        assert str(total) in numbers(lines) and str(len(records)) in numbers(lines)


def test_the_score_of_a_long_match_is_whole():
    lines = shown(match.tables(games(WINS, DRAWS, LOSSES)))
    assert row(lines, "games") == ["games", "number", "won", "drawn", "lost", "score", "Elo", "95", "%"]
    number = WINS + DRAWS + LOSSES
    score = f"{(WINS + DRAWS / 2) / number:.1%}"
    assert row(lines, "all")[:6] == ["all", str(number), str(WINS), str(DRAWS), str(LOSSES), score]


@pytest.mark.parametrize("width", WIDTHS)
def test_the_score_of_a_batch_is_whole_and_its_names_too(width):
    one, other = (Contestant(name, name) for name in LONG_NAMES)
    records = games(WINS, DRAWS, LOSSES)
    result = batch.Result(one, records[:-3], len(records))
    lines = shown(batch.tables([result, batch.Result(other, records[-3:], 4)], {}, verbose=False)[:1], width)
    assert all(any(name in line for line in lines) for name in LONG_NAMES)
    last = numbers(lines[lines.index(next(line for line in lines if line.startswith("all"))) :])
    assert last[:3] == [str(WINS), str(DRAWS), str(LOSSES)]
    assert f"{WINS / (WINS + DRAWS + LOSSES):.1%}" in last


def test_columns_go_first_and_then_rows_become_blocks():
    table = ReportTable("Title", ("", "player", "won", "seen"), left=("player",), spare=(("seen",),))
    table.add_row("1", "somebody with a name", "12345", "678")
    assert [line.split() for line in shown([table], 40)[1:2]] == [["player", "won", "seen"]]
    assert [line.split() for line in shown([table], 32)[1:2]] == [["player", "won"]]
    assert shown([table], 31) == ["Title", "1  somebody with a name", "  won 12345  seen 678", ""]


@pytest.mark.parametrize("width", WIDTHS)
def test_no_word_of_a_check_is_broken(width):
    reason = 'the player printed "thinking about column 6\\n" in 24 of 31 games; stdout is for replies alone'
    path = "a/path/of/a/header/that/is/longer/than/some/screens.hpp:12:34:"
    found = [
        Outcome("output limit", Group.LIMITS, Result.FAILED, reason, 1.0),
        Outcome("built by the platform's line alone", Group.BUILD, Result.FAILED, f"{path} no such file", 1.0),
        Outcome("nothing but replies on stdout", Group.LIMITS, Result.WARNING, reason, 1.0, moves=10**7, longest=54321),
    ]
    wide = Console(width=300, file=io.StringIO(), markup=False)
    narrow = Console(width=width, file=io.StringIO(), markup=False)
    for console in (wide, narrow):
        console.print(check.table(Contestant(LONG_NAMES[0], "x"), found, verbose=False), crop=False)
    words, whole = (set(console.file.getvalue().replace("─", " ").split()) for console in (narrow, wide))
    assert words <= whole and whole - words <= {"check"}  # a heading that blocks do without
    assert path in words


@pytest.mark.parametrize("width", [0, *WIDTHS])
def test_what_a_match_shows_is_what_its_json_has(tmp_path, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    mover, loser = command("random_mover", "--seed", "{seed}"), command("misbehave", "off_board")
    words = ("match", mover, loser, "--games", 12, "--seed", 1, "--record", "games.jsonl", "--free-start", "--json")
    done = run_judge(tmp_path, *words, "--limit", WIDE_LIMIT_S, "--keep-going")
    content = json.loads(done.stdout.splitlines()[-1])
    score = done.stdout.partition("Score of A\n")[2].partition("\n\n")[0]
    block = re.search(r"all\n  number (\d+)  won (\d+)  drawn (\d+)\s+lost (\d+)", score)
    found = block.groups() if block else row(score.splitlines(), "all")[1:5]
    assert [int(cell) for cell in found] == [content[name] for name in ("games", "wins", "draws", "losses")]
    assert f"over {content['pairs']['elo_interval'][0]:+.0f}" in done.stdout


def test_a_screen_of_unknown_width_is_no_screen_without_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "0")
    assert terminal.console().width > 0


def test_a_line_of_progress_begins_with_the_results():
    """On a terminal it is cut where that ends."""
    records = games(WINS, DRAWS, LOSSES)
    score = f"{(WINS + DRAWS / 2) / (WINS + DRAWS + LOSSES):.1%}"
    whole = f"{WINS} won {DRAWS} drawn {LOSSES} lost  {score}"
    for line in (match.running_score(records, 50000), batch.running_score(records, 50000)):
        assert whole in line[:COLUMNS]


@pytest.mark.parametrize("translated", [False, True])
def test_the_progress_of_a_test_fits_a_line(translated):
    test = SequentialTest(Hypotheses(0.0, 5.0))
    records = games(5200, 100, 5000)
    for record in records:
        test.add(record)
    with in_chinese() if translated else contextlib.nullcontext():
        line = f"{sprt._state_in_words(test, records)}  {_('{duration} left').format(duration=duration_in_words(7000))}"
    assert columns(line) <= COLUMNS
    assert f"{len(records)}/~" in line and f"LLR {test.llr:+.2f}" in line


def test_a_line_on_a_terminal_is_cut_to_its_width():
    written = io.StringIO()
    progress = Progress(lambda records: "12 won 3 drawn 4 lost  " + "x" * 200)
    progress.console = Console(
        file=written, force_terminal=True, width=COLUMNS, markup=False, _environ={"TERM": "xterm"}
    )
    progress.live.console = progress.console
    with progress:
        progress.show([])
    assert "12 won 3 drawn 4 lost" in written.getvalue()
    assert "x" * COLUMNS not in written.getvalue()
