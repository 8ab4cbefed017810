"""What every command of the judge keeps to: help in both languages, bad words in two lines, one JSON object, refusals.

A new command's name in judge/cli/commands.py is all that it needs here; what it takes a record file for, or how it is
asked for JSON, is an entry below.
"""

import json
import re
import shutil

import pytest
from rich.cells import cell_len

from judge.cli.commands import COMMANDS, module_of
from protocol.records.record import append_record
from tests.judge.helpers.chinese import HAN, in_chinese
from tests.judge.helpers.random_games import recorded_game
from tests.judge.helpers.scripted import command, run_judge
from tests.places import REPOSITORY

NARROW = 60  # columns of a terminal
MOST_OPTIONS = 16  # that --help shows, itself and --help-all among them
FILE = "games.jsonl"
LOSER = command("misbehave", "off_board")
# Words with which a command succeeds, ending its output with a JSON object.
WITH_JSON = {
    "play": (LOSER, LOSER, "--record", "play.jsonl"),
    "match": (LOSER, LOSER, "--games", 2, "--record", "match.jsonl"),
    "sprt": (LOSER, LOSER, "--games", 2, "--elo0", 0, "--elo1", 5, "--record", "sprt.jsonl"),
    "batch": (LOSER, "--against", LOSER, "--record", "batch.jsonl"),
    "tournament": (LOSER, f"{LOSER} ", "--rounds", 1, "--record", "tournament.jsonl"),
    "elo": ("--single-games", "1,2,3"),
    "llr": ("--single-games", "1,2,3", "--elo0", 0, "--elo1", 5),
    "review": (FILE, "--engine", command("first_legal", "--values", game="dots")),
    "import": (FILE, "--record", "imported.jsonl"),
    "check": None,  # it plays for seconds: tests/judge/checks/test_check.py reads its JSON
    "doctor": (),
}
# Words that have a command read the record file last named.
READING = {
    "replay": (),
    "view": (),
    "repro": (),
    "review": ("--engine", LOSER),
    "export": ("--format", "text"),
    "import": ("no.log", "--record"),
    "play": (LOSER, LOSER, "--record"),
    "match": (LOSER, LOSER, "--games", 2, "--resume", "--record"),
    "sprt": (LOSER, LOSER, "--elo0", 0, "--elo1", 5, "--resume", "--record"),
    "batch": (LOSER, "--against", LOSER, "--resume", "--record"),
    "tournament": (LOSER, f"{LOSER} ", "--rounds", 1, "--resume", "--record"),
}
# Words without which these commands say that something is missing.
NEEDED = {
    "connect": ("127.0.0.1", 7, LOSER),
    "convert": (FILE, "new.jsonl"),
    "completion": ("bash",),
    "check": (LOSER,),
    "human": (LOSER,),
    "serve": (),
    "logic": (),
    "doctor": (),
    "opponents": (),
    "new": ("folder",),
    "pack": ("folder",),
}
ONLY_READING = ("replay", "view", "repro", "review", "export")  # the others make the file


@pytest.fixture
def folder(tmp_path):
    """A folder with a record of a game."""
    append_record(tmp_path / FILE, recorded_game("dots", {"rows": 1, "columns": 2, "opening": []}))
    return tmp_path


def test_every_file_among_the_commands_is_one():
    files = (REPOSITORY / "judge" / "cli").glob("[!_]*.py")
    commands = [file for file in files if "\ndef main(argv: list[str]) -> int:\n" in file.read_text()]
    assert sorted(".".join(file.relative_to(REPOSITORY).with_suffix("").parts) for file in commands) == sorted(
        map(module_of, COMMANDS)
    )


@pytest.mark.parametrize("layer", ["--help", "--help-all"])
@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_told_in_both_languages_and_fits_a_narrow_terminal(tmp_path, monkeypatch, name, layer):
    monkeypatch.setenv("COLUMNS", str(NARROW))
    english = run_judge(tmp_path, name, layer)
    with in_chinese():
        chinese = run_judge(tmp_path, name, layer)
    for done, usage, page in (
        (english, "usage: ", COMMANDS[name].page),
        (chinese, "用法：", f"docs/zh/{COMMANDS[name].page[5:]}"),
    ):
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"{usage}python -m judge {name} ")
        assert done.stdout.endswith(f"{page}\n")
        lines = done.stdout.partition("\n\n")[2].splitlines()  # behind the usage, which is as in English
        assert max(map(cell_len, lines)) <= NARROW
        assert not any(line.lstrip().startswith(tuple("，。；：）")) for line in lines)
    options = [re.findall(r"^  (?:-h, )?(--[a-z0-9-]+)", done.stdout, re.MULTILINE) for done in (english, chinese)]
    assert options[0] == options[1] and "--help" in options[0]
    assert "显示这段帮助，然后退出" in chinese.stdout and not HAN.search(english.stdout)
    assert list(tmp_path.iterdir()) == []
    if layer == "--help":
        assert len(options[0]) <= MOST_OPTIONS
        assert set(re.findall(r"--[a-z0-9-]+", english.stdout.partition("\n\n")[0])) <= {*options[0]}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_that_there_is_not_is_named_in_two_lines(folder, name):
    words = NEEDED[name] if name in NEEDED else WITH_JSON.get(name) or (*READING[name], FILE)
    done = run_judge(folder, name, *words, "--no-such-option")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "error: unrecognized arguments: --no-such-option",
        f"python -m judge {name} --help explains the arguments",
    ]
    with in_chinese():
        done = run_judge(folder, name, *words, "--no-such-option")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "错误：不认识的参数：--no-such-option",
        f"python -m judge {name} --help 有参数说明",
    ]
    assert [path.name for path in folder.iterdir()] == [FILE]


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        (("replay", FILE, "--plain"), ("--game", 1), "--number"),
        (("view", FILE), ("--game", 1), "--number"),
        (("view", FILE), ("--html", "page.html"), "--output"),
        (("repro", FILE), ("--game", 1), "--number"),
        (("export", FILE, "--format", "text"), ("--game", 1), "--number"),
        (("review", FILE, "--engine", command("first_legal", "--values", game="dots")), ("--games", 1), "--numbers"),
        (("elo",), ("--games", "1,2,3"), "--single-games"),
        (("llr", "--elo0", 0, "--elo1", 5), ("--games", "1,2,3"), "--single-games"),
    ],
)
def test_an_option_by_its_former_name_works_and_is_told_its_new_one(folder, words, old, new):
    other = shutil.copytree(folder, folder / "other")  # as a review keeps its answers
    before, after = run_judge(folder, *words, *old), run_judge(other, *words, new, *old[1:])
    same = after.stdout.replace(str(other), str(folder))
    assert (before.returncode, before.stdout) == (after.returncode, same)
    assert before.returncode == 0
    note = f"note: {old[0]} is called {new} now"
    assert (before.stderr.splitlines().count(note), note in after.stderr) == (1, False)


def test_every_command_with_json_is_tried(tmp_path):
    having = [name for name in COMMANDS if " --json" in run_judge(tmp_path, name, "--help").stdout]
    assert sorted(having) == sorted(WITH_JSON)


@pytest.mark.parametrize("name", [name for name, words in WITH_JSON.items() if words is not None])
def test_output_ends_with_one_json_object_on_a_line(folder, name):
    done = run_judge(folder, name, *WITH_JSON[name], "--json")
    assert done.returncode in ((0, 1) if name == "doctor" else (0,)), done.stderr
    *_, last = done.stdout.splitlines()
    assert last.isascii() and done.stdout.endswith(f"{last}\n")
    content = json.loads(last, parse_constant=lambda text: pytest.fail(f"{text} is no JSON"))
    assert isinstance(content, dict) and content


@pytest.mark.parametrize("name", READING)
def test_a_damaged_record_is_refused_with_its_place_and_stays(folder, name):
    path = folder / FILE
    path.write_bytes(path.read_bytes() + b'{"game": "dots"}\n' + path.read_bytes())
    before = path.read_bytes()
    done = run_judge(folder, name, *READING[name], FILE)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert f"{FILE}, line 2" in done.stderr and "sed -i.damaged 2d " in done.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", READING)
def test_a_file_that_cannot_be_read_is_named(folder, name):
    (folder / "folder").mkdir()
    (folder / "empty.jsonl").touch()
    told = {"folder": "folder", "none.jsonl": "No such file", "empty.jsonl": "empty.jsonl holds no game"}
    for path in told if name in ONLY_READING else ("folder",):
        done = run_judge(folder, name, *READING[name], path)
        assert (done.returncode, "Traceback" in done.stderr) == (2, False)
        assert path in done.stderr and told[path] in done.stderr.splitlines()[0], path
