"""What a shell is answered that asks how a line may go on: argcomplete's protocol, and a real bash."""

import os
import re
import shutil
import subprocess
import sys

import pexpect
import pytest

from bot.games import NAMES, adapter_of
from judge.command_table import COMMANDS
from judge.games import DEFAULT_GAME
from tests.judge.helpers.scripted import PATIENCE_S, judge_environment, run_judge, run_judge_process

BREAKS = " \t\n\"'@><=;|&(:"  # bash's own COMP_WORDBREAKS


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """`dropfour` of this checkout, in a folder of its own."""
    path = tmp_path_factory.mktemp("bin") / "dropfour"
    path.write_text(f"#!{sys.executable}\nimport sys\nfrom judge.__main__ import dropfour\nsys.exit(dropfour())\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def ask(program, tmp_path):
    """A function from a line, with the cursor at its end, to the words that a shell is answered; others: variables."""
    folder = tmp_path / "here"
    folder.mkdir()

    def answer(line, words=(), **others):
        variables = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "COMP_LINE": line, "COMP_POINT": str(len(line))}
        environment = judge_environment(**variables, _ARGCOMPLETE_SUPPRESS_SPACE="1", **others)
        place = tmp_path / "answer"
        command = ["sh", "-c", 'answer=$1; shift; exec "$@" 8>"$answer"', "sh", place, *(words or [program])]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        answer.status, answer.errors = done.returncode, done.stderr
        assert done.stdout == ""
        return place.read_text("utf-8").splitlines()

    answer.folder = folder
    return answer


def test_the_first_word_is_a_command(ask):
    assert ask("dropfour ") == [*COMMANDS, "bot"]
    assert ask("dropfour re") == ["replay", "review", "repro"]
    assert ask("dropfour --v") == ["--version"]
    assert (ask.status, ask.errors) == (0, "")


def test_a_command_is_shown_with_what_it_does(ask):
    assert ask("dropfour replay", _ARGCOMPLETE_SHELL="zsh") == [f"replay:{COMMANDS['replay']}"]


def test_the_shell_is_told_in_the_readers_language(ask):
    chinese = {"LC_ALL": "", "LANG": "zh_CN.UTF-8", "PYTHONUTF8": "1"}
    assert ask("dropfour doc", _ARGCOMPLETE_SHELL="zsh", **chinese) == ["doctor:这台机器有什么，缺什么，怎么装"]
    assert ask("dropfour play --first ", **chinese) == ["A", "B"]
    assert (ask.status, ask.errors) == (0, "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_tells_its_options_and_does_nothing_else(ask, command):
    help_text = run_judge(ask.folder, command, "--help").stdout
    options = re.findall(r"^  (?:-h, )?(--[a-z0-9-]+)", help_text, re.MULTILINE)
    assert "--help" in options
    assert sorted(ask(f"dropfour {command} --")) == sorted(options)
    assert (ask.status, ask.errors) == (0, "")
    assert list(ask.folder.iterdir()) == []


@pytest.mark.parametrize(
    "line, expected",
    [
        ("dropfour play --game ", list(NAMES)),
        ("dropfour play --game=re", ["--game=reversi"]),
        ("dropfour play --first ", ["A", "B"]),
        ("dropfour completion ", ["bash", "zsh", "fish"]),
        ("dropfour match bot bot --games ", []),
        ("dropfour play --seed ", []),
        ("dropfour doctor ", []),
        ("dropfour bot --", []),  # a program of its own
        ("dropfour nosuch --", []),
        ("", []),
    ],
)
def test_values_are_completed_where_they_are_known(ask, line, expected):
    assert ask(line) == expected
    assert ask.errors == ""


def test_players_are_named_by_the_players_file(ask):
    (ask.folder / "players.toml").write_text('[basil]\npreset = "mcts"\n[other]\ncommand = "true"\n')
    (ask.folder / "elsewhere.toml").write_text('[best]\npreset = "mcts"\n')
    kinds = ["bot", "bot:", "bot@", "src:", "lib:", "elsewhere.toml", "players.toml"]
    assert ask("dropfour match ") == ["basil", "other", *kinds]
    assert ask("dropfour match bot b") == ["basil", "bot", "bot:", "bot@"]
    assert ask("dropfour play --players elsewhere.toml b") == ["best", "bot", "bot:", "bot@"]
    assert ask("dropfour play --players ") == ["elsewhere.toml", "players.toml"]
    (ask.folder / "players.toml").write_text("[")
    assert ask("dropfour batch bot --against b") == ["bot", "bot:", "bot@"]
    assert ask.errors == ""


@pytest.mark.parametrize("game", NAMES)
def test_presets_are_those_of_the_game(ask, game):
    presets = list(adapter_of(game).PRESETS)
    assert ask(f"dropfour play --game {game} bot:") == [f"bot:{preset}" for preset in presets]
    assert ask(f"dropfour human --game {game} bot@HEAD:def") == ["bot@HEAD:default"]


def test_revisions_begin_with_the_last_commit(ask):
    assert ask("dropfour play bot@HEA")[0] == "bot@HEAD"


def test_libraries_are_for_the_game_that_has_them(ask):
    assert ask("dropfour play l") == ["lib:"]
    others = [game for game in NAMES if game != DEFAULT_GAME]
    assert [ask(f"dropfour play --game {game} l") for game in others] == [[]] * len(others)


def test_files_are_those_that_serve(ask):
    for name in ("old.jsonl", "notes.txt", "mine.cpp", "100.so", ".hidden.jsonl"):
        (ask.folder / name).write_text("")
    (ask.folder / "deep er").mkdir()
    (ask.folder / "deep er" / "new.jsonl").write_text("")
    assert ask("dropfour replay ") == ["deep\\ er/", "old.jsonl"]
    assert ask("dropfour replay deep\\ er/") == ["deep\\ er/new.jsonl"]
    assert ask('dropfour replay "deep er/n') == ["deep er/new.jsonl"]
    assert ask("dropfour replay .") == [".hidden.jsonl"]
    assert ask("dropfour match bot bot --record o") == ["old.jsonl"]
    assert ask("dropfour batch bot --compete ") == ["deep\\ er/"]
    assert ask("dropfour play src:") == ["src:deep\\ er/", "src:mine.cpp"]
    assert ask("dropfour play lib:1") == ["lib:100.so"]
    assert ask('dropfour play "python no') == ["python notes.txt"]
    assert ask("dropfour replay nowhere/") == []
    assert ask("dropfour replay ~/", HOME=str(ask.folder)) == ["~/deep\\ er/", "~/old.jsonl"]
    assert ask.errors == ""


def test_what_bash_breaks_words_at_is_left_out(ask):
    assert ask("dropfour play bot:mc", _ARGCOMPLETE_COMP_WORDBREAKS=BREAKS) == ["mcts"]
    assert ask("dropfour play bot@HEAD:mc", _ARGCOMPLETE_COMP_WORDBREAKS=BREAKS) == ["mcts"]


def imported(ask, line):
    """The packages that an answer imports."""
    ask(line, PYTHONPROFILEIMPORTTIME="1")
    return {found.split(".")[0] for found in re.findall(r"\| +(\S+)$", ask.errors, re.MULTILINE)}


def test_an_answer_imports_little(ask):
    first = imported(ask, "dropfour ma")
    assert "argcomplete" in first
    assert first.isdisjoint({"rich", "psutil", "scipy", "numpy", "bot"})
    for command in COMMANDS:
        found = imported(ask, f"dropfour {command} --")
        assert "argcomplete" in found and found.isdisjoint({"scipy", "numpy", "bot"})


def test_without_argcomplete_there_is_no_answer_and_no_noise(ask):
    """-S leaves out the packages that are installed."""
    assert ask("dropfour ma", [sys.executable, "-S", "-m", "judge"]) == []
    assert (ask.status, ask.errors) == (1, "")


def test_without_argcomplete_the_command_says_how_to_get_it():
    command = [sys.executable, "-S", "-m", "judge", "completion", "bash"]
    done = subprocess.run(command, env=judge_environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 2
    assert "argcomplete" in done.stderr and "pip install" in done.stderr


@pytest.mark.parametrize(
    "shell, word", [("bash", "complete -o nospace -F"), ("zsh", "compdef"), ("fish", "complete --command dropfour")]
)
def test_each_shell_is_told_in_its_own_words(tmp_path, shell, word):
    done = run_judge(tmp_path, "completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert word in done.stdout and "dropfour" in done.stdout


def test_another_shell_is_refused(tmp_path):
    done = run_judge_process(tmp_path, "completion", "csh")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 2)


@pytest.fixture
def bash(program, tmp_path):
    """An interactive bash that has evaluated what `completion bash` prints."""
    path = shutil.which("bash")
    if path is None:
        pytest.skip("no bash on this machine")
    variables = {"PATH": f"{program.parent}:{os.environ['PATH']}", "TERM": "dumb", "HOME": str(tmp_path)}
    shell = pexpect.spawn(
        path,
        ["--norc", "--noprofile", "-i"],
        cwd=str(tmp_path),
        env=judge_environment(**variables),
        encoding="utf-8",
        timeout=PATIENCE_S,
        dimensions=(24, 200),
    )
    shell.sendline('eval "$(dropfour completion bash)"; echo rea""dy $?')
    shell.expect_exact("ready 0")
    yield shell
    shell.close(force=True)


@pytest.mark.parametrize(
    "typed, line",
    [
        ("dropfour ma\t", "dropfour match"),
        ("dropfour play --ga\tdo\t", "dropfour play --game dots"),
        ("dropfour play bot:puct\t", "dropfour play bot:puct-basic"),
        ("dropfour play --seed \t5", "dropfour play --seed 5"),
        ("dropfour replay ga\t--ga\t3", "dropfour replay games.jsonl --game 3"),
    ],
)
def test_a_real_bash_completes_the_line(bash, tmp_path, typed, line):
    """The keys wait in the terminal until bash reads them: back to the line's start, and have it printed."""
    (tmp_path / "games.jsonl").write_text("")
    bash.sendline(f'{typed}\x01echo pri""nted: \x05 .')
    bash.expect(r"printed: (.*?) +\.\r\n")
    assert bash.match[1] == line
