"""Records altered at random, through every command and report that reads them.

Whatever is in the file: no exception, an exit status with a meaning, an error that names the file, and nothing on the
terminal that it would obey. Each alteration has a number, which fixes it.
"""

import base64
import json
import re
import shutil
import zlib

import pytest

from judge.cli import batch, playing
from judge.formats import compete
from judge.play.scoresheet import Conditions
from judge.players.players import contestants
from judge.reports import batch as batch_report
from judge.reports import forfeits, prints, verdict
from judge.reports import match as report
from judge.runs.config import RunConfig
from judge.runs.ledger import ResumeError, identity, open_ledger
from judge.runs.schedule import paired_games
from judge.terminal import console, json_line
from tests.contracts.games import GAMES
from tests.judge.helpers.alterations import altered, chance_of, faults_of
from tests.judge.helpers.chinese import HAN, in_chinese
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command, run_judge

IN_THE_SUITE, IN_CHINESE, AT_LENGTH = 110, 20, 3_000
WHOLE_GAMES = 4  # of so many games the others end after six plies, by a crash: a picture for each ply takes its time
SEED = 7
EXPORTS = (("saiblo",), ("compete",), ("csv",), ("csv", "--lines", "moves"), ("text",))
REPORT = {"value": 0.5, "depth": 3, "iterations": 5000, "proven": "win"}
KEPT = {"stderr": 'boom\n{"value": 1}\n', "stdout": "hello", "printed": "hm", "printed_bytes": 2, "waits_s": [0.5]}


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """{name: lines of a record file}: a match, a batch, and a game of each other game."""
    folder = tmp_path_factory.mktemp("records")
    common = ("--seed", SEED, "--limit", WIDE_LIMIT_S, "--free-start", "--record")
    mover = command("first_legal")
    assert run_judge(folder, "match", mover, mover, "--games", 2, *common, "match").returncode == 0
    assert run_judge(folder, "batch", mover, "--against", mover, *common, "batch").returncode == 0
    for game in GAMES[1:]:
        players = [command("first_legal", game=game)] * 2
        assert run_judge(folder, "play", "--game", game, *players, *common, game).returncode == 0
    return {path.name: path.read_bytes().splitlines(keepends=True) for path in folder.iterdir()}


def with_everything(line, chance):
    """A line of a record file with what a record may hold beside: reports, and how a player has failed."""
    content = json.loads(line)
    content["moves"][0]["report"] = content["moves"][1]["report"] = REPORT
    if chance.randrange(WHOLE_GAMES):
        content["moves"] = content["moves"][:6]
        content.update(termination="CRASH", at_fault="A", winner="B")
        content["extra"]["A"].update(KEPT)
    return json.dumps(content).encode() + b"\n"


def damaged(lines, number, path):
    """Write the file of the alteration of this number; returns (which file it was, the game's number in it)."""
    chance = chance_of(number)
    name = chance.choice(("match", "match", "batch", *GAMES[1:]))
    chosen = list(lines[name])
    game = chance.randrange(len(chosen))
    chosen[game] = altered(with_everything(chosen[game], chance), chance)
    path.write_bytes(b"".join(chosen))
    return name, game + 1


def reports_on(path, name):
    """All that a command says of the games of a file that it continues, printed; ResumeError where it refuses it."""
    config = RunConfig(path, GAMES[0], conditions=Conditions(WIDE_LIMIT_S, free_start=True), seed=SEED, resume=True)
    player, _ = contestants([command("first_legal")] * 2)
    who, games = (
        (identity(batch.FORMAT, config, opponents=1), batch.schedule(player, [player], 2, config))
        if name == batch.FORMAT
        else (identity(playing.PAIRS, config), paired_games([player] * 2, 4, config))
    )
    with open_ledger(config, who, games) as ledger:
        records = ledger.records
    out = console()
    results = batch_report.results([player], records, 2)
    of_match = [*report.tables(records), *report.details(records), verdict.of_match(records)] if records else []
    tables = [*of_match, *batch_report.tables(results, {}, verbose=True)]
    notes = [*forfeits.first_of_each_kind(records, {}), *prints.notes(records), *prints.batch_notes(results)]
    for shown in (*tables, *notes, report.sample_in_words(records)):
        out.print(shown)
    print(json_line({**report.summary(records), **batch_report.summary(results, {})}))
    if len(records) == 2 and all(record.termination != "VOID" for record in records):
        assert compete.result_file([records]).startswith(b"0:\n")


def is_error(done, path):
    """Whether a command has refused a file in one line that names it, and told where help is."""
    found = re.fullmatch(r"(note: .*\n)?error: .*\n.* --help explains the arguments\n", done.stderr)
    return done.returncode == 2 and found is not None and (path.name in done.stderr or "game " in done.stderr)


def others(path, folder, number):
    """The words of the other commands that read a record file, each with what it writes: that is not there yet."""
    form = EXPORTS[number % len(EXPORTS)]
    return {
        ("view", path, "--output", folder / "page.html"): folder / "page.html",
        ("export", path, "--format", *form, "--output", folder / "exported"): folder / "exported",
        ("import", path, "--record", folder / "imported.jsonl"): folder / "imported.jsonl",
    }


def texts_of(content):
    """All texts of a JSON value."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        for name, value in content.items():
            yield name
            yield from texts_of(value)
    elif isinstance(content, list):
        for value in content:
            yield from texts_of(value)


def unprintable(html):
    """What of the texts inside a page a terminal or a browser would obey."""
    packed = re.findall(r'<script type="application/octet-stream" id="[\w-]+">([^<]*)</script>', html)
    assert len(packed) >= 2
    contents = [json.loads(zlib.decompress(base64.b64decode(data))) for data in packed]
    return {
        character
        for text in texts_of(contents)
        for character in text
        if not (character.isprintable() or character == "\n")
    }


def check_others(path, folder, number):
    """Have the commands that read whole files read this one."""
    for words, out in others(path, folder, number).items():
        done = run_judge(folder, *words)
        assert done.returncode in (0, 1) or is_error(done, path), (number, done)
        assert faults_of(done.stdout + done.stderr) == [], number
        if words[0] == "view" and done.returncode == 0:
            assert unprintable(out.read_text("utf-8")) == set(), number
        assert not list(folder.glob("*.part"))
        if out.is_dir():
            shutil.rmtree(out)
        out.unlink(missing_ok=True)


def check_alterations(lines, numbers, folder, capsys):
    path = folder / "altered.jsonl"
    refused = 0
    for number in numbers:
        name, game = damaged(lines, number, path)
        replayed = run_judge(folder, "replay", path, "--number", game)
        repro = run_judge(folder, "repro", path, "--number", game, "--output", folder / "sent.txt")
        for done in (replayed, repro):
            assert done.returncode in (0, 1) or is_error(done, path), (number, done)
            assert faults_of(done.stdout + done.stderr) == [], number
        (folder / "sent.txt").unlink(missing_ok=True)
        try:
            reports_on(path, name)
        except ResumeError as error:
            refused += 1
            print(error)
        shown = capsys.readouterr()
        assert faults_of(shown.out + shown.err) == [], number
        check_others(path, folder, number)
    assert len(numbers) // 20 < refused < len(numbers) * 19 // 20  # else not much was tried


def test_altered_records_are_told_of_or_shown(lines, tmp_path, capsys):
    check_alterations(lines, range(IN_THE_SUITE), tmp_path, capsys)


def test_altered_records_are_shown_in_chinese(lines, tmp_path):
    """What is recorded in English is taken apart there, whatever it is made of."""
    path = tmp_path / "altered.jsonl"
    for number in range(IN_THE_SUITE, IN_THE_SUITE + IN_CHINESE):
        _, game = damaged(lines, number, path)
        with in_chinese():
            done = run_judge(tmp_path, "replay", path, "--number", game)
        assert done.returncode in (0, 1, 2), (number, done)
        assert (done.stderr == "") == (done.returncode != 2)
        assert HAN.search(done.stdout + done.stderr)
        assert faults_of(done.stdout + done.stderr) == [], number


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_many_altered_records_are_told_of_or_shown(lines, tmp_path, capsys):
    check_alterations(lines, range(IN_THE_SUITE, AT_LENGTH), tmp_path, capsys)


@pytest.mark.parametrize("numbers", [range(4), pytest.param(range(4, 30), marks=pytest.mark.slow)])
def test_whole_commands_continue_or_refuse_altered_records(lines, tmp_path, numbers):
    """The two games of a match are played, or what is left of them is refused; nothing of the file is lost."""
    for number in numbers:
        folder = tmp_path / str(number)
        folder.mkdir()
        continue_or_refuse(lines, folder, number)


def continue_or_refuse(lines, tmp_path, number):
    path, chance = tmp_path / "match.jsonl", chance_of(number)
    first, second = lines["match"]
    path.write_bytes(first + altered(second, chance))
    before = path.read_bytes()
    words = ("match", command("first_legal"), command("first_legal"), "--games", 2, "--seed", SEED, "--json")
    done = run_judge(tmp_path, *words, "--limit", WIDE_LIMIT_S, "--free-start", "--record", path, "--resume")
    assert done.returncode == 0 or is_error(done, path), done
    assert faults_of(done.stdout + done.stderr) == []
    torn = [aside.read_bytes().rstrip(b"\n") for aside in tmp_path.glob("*.torn")]
    assert path.read_bytes().startswith(before.removesuffix(torn[0]) if torn else before)
