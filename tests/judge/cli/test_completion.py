"""What a shell is answered that asks how a line may go on: argcomplete's protocol, and a real bash."""

import os
import re
import shutil
import subprocess
import sys

import pexpect
import pytest

from bot.games import NAMES, adapter_of
from dropfour import main as dropfour
from judge.cli.commands import COMMANDS
from judge.games import DEFAULT_GAME
from tests.judge.helpers.scripted import PATIENCE_S, judge_environment, run_judge
from tests.places import PYTHON

BREAKS = " \t\n\"'@><=;|&(:"  # bash's own COMP_WORDBREAKS


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """`dropfour` of this checkout, in a folder of its own."""
    path = tmp_path_factory.mktemp("bin") / "dropfour"
    start = f"#!/bin/sh\n'''exec' {PYTHON} \"$0\" \"$@\"\n' '''\n"  # sh and Python read it: a path may have blanks
    path.write_text(f"{start}import sys\nfrom dropfour import main\nsys.exit(main())\n")
    path.chmod(0o755)
    return path


class Ask:
    """Asks how a line goes on, with the cursor at its end; what is asked is a fork of this process, which is quick."""

    def __init__(self, folder, answer):
        self.folder, self.place, self.complained = folder, answer, answer.with_suffix(".errors")
        folder.mkdir()

    def variables(self, line, others):
        own = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "COMP_LINE": line, "COMP_POINT": str(len(line))}
        return {**own, "_ARGCOMPLETE_SUPPRESS_SPACE": "1", **others}

    def __call__(self, line, **others):
        """The words that a shell is answered; others: variables of the environment."""
        self.place.write_bytes(b"")
        child = os.fork()
        if child == 0:
            status = 99
            try:
                errors = os.open(self.complained, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                for number in (1, 2, 9):
                    os.dup2(errors, number)
                os.dup2(os.open(self.place, os.O_WRONLY), 8)
                sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
                sys.argv = ["dropfour"]
                os.chdir(self.folder)
                os.environ.update(self.variables(line, others))
                status = dropfour()
                sys.stderr.flush()
            finally:
                os._exit(status)
        self.status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        self.errors = self.complained.read_text()
        return self.place.read_text("utf-8").splitlines()

    def in_a_process(self, line, command, **others):
        """The same of a program that is started."""
        words = ["sh", "-c", 'answer=$1; shift; exec "$@" 8>"$answer"', "sh", self.place, *command]
        environment = judge_environment(**self.variables(line, others))
        done = subprocess.run(
            words, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        assert done.stdout == ""
        self.status, self.errors = done.returncode, done.stderr
        return self.place.read_text("utf-8").splitlines()


@pytest.fixture
def ask(tmp_path):
    return Ask(tmp_path / "here", tmp_path / "answer")


def test_the_first_word_is_a_command(ask):
    assert ask("dropfour ") == [*COMMANDS, "analyze", "bot"]
    assert ask("dropfour re") == ["replay", "review", "repro"]
    assert ask("dropfour --v") == ["--version"]
    assert (ask.status, ask.errors) == (0, "")


def test_a_command_is_shown_with_what_it_does(ask):
    assert ask("dropfour replay", _ARGCOMPLETE_SHELL="zsh") == [f"replay:{COMMANDS['replay'].purpose}"]


def test_the_shell_is_told_in_the_readers_language(ask):
    chinese = {"LC_ALL": "", "LANG": "zh_CN.UTF-8", "PYTHONUTF8": "1"}
    assert ask("dropfour doc", _ARGCOMPLETE_SHELL="zsh", **chinese) == ["doctor:报告这台机器有什么，缺什么，怎么装"]
    assert ask("dropfour play --first ", **chinese) == ["A", "B"]
    assert (ask.status, ask.errors) == (0, "")


def test_every_command_tells_its_options_and_does_nothing_else(ask):
    for command in COMMANDS:
        help_text = run_judge(ask.folder, command, "--help-all").stdout
        options = re.findall(r"^  (?:-h, )?(--[a-z0-9-]+)", help_text, re.MULTILINE)
        assert "--help" in options
        assert sorted(ask(f"dropfour {command} --")) == sorted(options), command
        assert (ask.status, ask.errors) == (0, ""), command
        assert list(ask.folder.iterdir()) == [], command


def test_values_are_completed_where_they_are_known(ask):
    for line, expected in (
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
    ):
        assert ask(line) == expected, line
        assert ask.errors == "", line


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


def test_presets_are_those_of_the_game(ask):
    for game in NAMES:
        presets = list(adapter_of(game).PRESETS)
        assert ask(f"dropfour play --game {game} bot:") == [f"bot:{preset}" for preset in presets]
    assert ask("dropfour human --game reversi bot@HEAD:def") == ["bot@HEAD:default"]


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
    assert ask("dropfour new ") == ["deep\\ er/"]
    assert ask("dropfour play src:") == ["src:deep\\ er/", "src:mine.cpp"]
    assert ask("dropfour play lib:1") == ["lib:100.so"]
    assert ask('dropfour play "python no') == ["python notes.txt"]
    assert ask("dropfour replay nowhere/") == []
    assert ask("dropfour replay ~/", HOME=str(ask.folder)) == ["~/deep\\ er/", "~/old.jsonl"]
    assert ask.errors == ""


def test_what_bash_breaks_words_at_is_left_out(ask):
    assert ask("dropfour play bot:mc", _ARGCOMPLETE_COMP_WORDBREAKS=BREAKS) == ["mcts"]
    assert ask("dropfour play bot@HEAD:mc", _ARGCOMPLETE_COMP_WORDBREAKS=BREAKS) == ["mcts"]


def imported(ask, program, line):
    """The packages that an answer imports."""
    ask.in_a_process(line, [program], PYTHONPROFILEIMPORTTIME="1")
    return {found.split(".")[0] for found in re.findall(r"\| +(\S+)$", ask.errors, re.MULTILINE)}


def test_an_answer_imports_little(ask, program):
    first = imported(ask, program, "dropfour ma")
    assert "argcomplete" in first
    assert first.isdisjoint({"rich", "prompt_toolkit", "psutil", "scipy", "numpy", "bot"})
    for command in ("play", "tournament"):
        found = imported(ask, program, f"dropfour {command} --")
        assert "argcomplete" in found and found.isdisjoint({"scipy", "numpy", "bot"})


@pytest.mark.slow
def test_every_commands_answer_imports_little(ask, program):
    for command in COMMANDS:
        found = imported(ask, program, f"dropfour {command} --")
        assert "argcomplete" in found and found.isdisjoint({"scipy", "numpy", "bot"}), command


def test_without_argcomplete_there_is_no_answer_and_no_noise(ask):
    """-S leaves out the packages that are installed."""
    assert ask.in_a_process("dropfour ma", [sys.executable, "-S", "-m", "judge"]) == []
    assert (ask.status, ask.errors) == (1, "")


def test_without_argcomplete_the_command_says_how_to_get_it():
    command = [sys.executable, "-S", "-m", "judge", "completion", "bash"]
    done = subprocess.run(command, env=judge_environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 2
    assert "argcomplete" in done.stderr and "pip install" in done.stderr


def test_each_shell_is_told_in_its_own_words(tmp_path):
    for shell, word in (
        ("bash", "complete -o nospace -F"),
        ("zsh", "compdef"),
        ("fish", "complete --command dropfour"),
    ):
        done = run_judge(tmp_path, "completion", shell)
        assert (done.returncode, done.stderr) == (0, ""), shell
        assert word in done.stdout and "dropfour" in done.stdout, shell
    done = run_judge(tmp_path, "completion", "csh")
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


def test_a_real_bash_completes_the_line(bash, tmp_path):
    """The keys wait in the terminal until bash reads them: back to the line's start, and have it printed."""
    (tmp_path / "games.jsonl").write_text("")
    for typed, line in (
        ("dropfour play --ga\tdo\t", "dropfour play --game dots"),
        ("dropfour play bot:puct\t", "dropfour play bot:puct-basic"),
        ("dropfour replay ga\t--nu\t3", "dropfour replay games.jsonl --number 3"),
    ):
        bash.sendline(f'{typed}\x01echo pri""nted: \x05 .')
        bash.expect(r"printed: (.*?) +\.\r\n")
        assert bash.match[1] == line
