"""The playing bot's command line: what its options change, what --info says, which arguments are refused."""

import sys
import time
import types

import pytest

from bot import ladder
from bot.__main__ import _game_in
from bot.backends.compiled import Kernels
from bot.commands import options
from bot.games.connect_four import adapter as connect_four
from bot.shell import session as session_module
from tests.bot.commands.helpers.tool import run_tool
from tests.bot.games.connect_four.helpers.wire_games import WireGame
from tests.bot.helpers.bot_process import PATIENCE_S, QUICK_BOT, BotProcess, play_turns

MOST_TURNS = 1000
LIMIT_S = 60.0  # which no machine is so busy as to reach


def test_info_lines():
    game = WireGame()
    with BotProcess("--limit", LIMIT_S, "--set", "move_seconds=0.2", "--info") as bot:
        bot.send(game.opening())
        bot.wait_until_idle()  # the engine is loaded before the first turn
        play_turns(bot, game, 4)
        assert bot.end_after_report(4)[:2] == (0, [])
    lines = bot.info_lines()
    assert len(lines) == 4
    for number, line in enumerate(lines, 1):
        assert {"iterations", "depth", "value", "proven", "pv", "elapsed_s"} <= set(line)
        assert line["turn"] == number and line["pv"][0] == line["move"]
        assert -1 <= line["value"] <= 1
        assert line["proven"] in (None, "win", "draw", "loss")
        assert line["proven"] or line["iterations"] > 0 and line["depth"] > 0
        assert 0 <= line["elapsed_s"] < LIMIT_S
        assert "guard" not in line


def counted_games(seed):
    """(replies, what --info says but for the time) of two turns in each of two games."""
    game = WireGame(seed=4)
    with BotProcess("--iterations", "3000", "--seed", seed, "--info") as bot:
        bot.send(game.opening())
        play_turns(bot, game, 4)
        assert bot.end()[:2] == (0, [])
    lines = bot.info_lines()
    for line in lines:
        assert line["proven"] or line["iterations"] == 3000
        del line["elapsed_s"]
    return lines


def test_seed_and_iterations_give_the_same_game_in_every_process():
    assert counted_games(5) == counted_games(5)


WRONG = [
    ("--limit 0", "--limit: expected a positive number, got 0"),
    ("--limit soon", "--limit: expected a positive number, got soon"),
    ("--limit nan", "--limit: expected a positive number"),
    ("--limit inf", "--limit: expected a positive number"),
    ("--margin -1", "--margin: expected a number of 0 or more"),
    ("--margin inf", "--margin: expected a number of 0 or more"),
    ("--memory 100", "--memory: expected at least"),
    ("--memory 0", "--memory: expected a whole number of 1 or more"),
    ("--seed x", "--seed: "),
    ("--iterations 0", "--iterations: expected a whole number of 1 or more"),
    ("--iterations 5 --backend python", "--iterations needs the compiled search"),
    ("--protocol saiblo-v9", "--protocol: invalid choice"),
    ("--engine magic", "--engine: invalid choice"),
    ("--engine plain", "--engine: invalid choice"),
    ("--backend magic", "--backend: invalid choice"),
    ("--preset fastest", "preset 'fastest': unknown; expected one of alphabeta"),
    ("--set colour=red", "setting 'colour': unknown"),
    ("--set exploration", "expected KEY=VALUE"),
    ("--set expand_visits=0", "expand_visits: expected a whole number from 1"),
    ("--speed 5", "unrecognized arguments"),
    ("--game chess", "--game: invalid choice"),
]


def test_wrong_arguments_are_named():
    for arguments, words in WRONG:
        done = run_tool(*arguments.split())
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert words in done.stderr, arguments


@pytest.fixture
def built(monkeypatch):
    """built(words, game="connect_four"): what the session of a command line is built of, by names."""

    def built(words, game="connect_four", **others):
        known = []
        monkeypatch.setattr(options, "build_session", lambda *unnamed, **named: known.append((unnamed, named)))
        options.session_from(words.split(), game, **others)
        (((adapter, kernels, log), named),) = known
        return {"adapter": adapter, "kernels": kernels, "log": log, **named}

    return built


def test_what_is_not_asked_for_is_as_the_platform_has_it(built):
    known = built("")
    assert (known["limit"], known["margin"], known["first_margin"]) == (3.0, 0.4, 1.0)
    assert (known["wire"], known["memory_mb"]) == ("saiblo", connect_four.DEFAULT_MEMORY_MB)
    assert (known["iterations"], known["report"], known["patient"]) == (None, None, False)
    assert known["settings"] == connect_four.preset("default") and known["adapter"] is connect_four
    assert known["kernels"]._backend == "auto"
    assert built("")["seed"] != known["seed"]  # random ones


def test_what_is_asked_for_reaches_the_session(built):
    known = built(
        "--limit 1.5 --margin 0 --first-margin 0.25 --protocol saiblo-v1 --memory 300 --seed 3 --iterations 500 "
        "--info --backend jit --preset puct-basic --set share=off --set selection=ucb1",
        engines="/nowhere",
        patient=True,
    )
    assert (known["limit"], known["margin"], known["first_margin"]) == (1.5, 0.0, 0.25)
    assert (known["wire"], known["memory_mb"], known["seed"]) == ("saiblo-v1", 300, 3)
    assert (known["iterations"], known["patient"], callable(known["report"])) == (500, True, True)
    assert known["settings"] == connect_four.preset("puct-basic")._replace(share=False, selection="ucb1")
    assert (known["kernels"]._backend, known["kernels"]._engines) == ("jit", "/nowhere")
    assert built("--engine alphabeta")["settings"].engine == "alphabeta"
    assert built("--backend python")["kernels"] is None
    assert built("--game dots", "dots")["adapter"].GAME == "dots"


def test_the_ladder_starts_at_once_or_reads_options(built, monkeypatch):
    """Words that are no options are a platform's own."""
    begun, known = [], []
    monkeypatch.setattr(ladder.gc, "disable", lambda: None)
    monkeypatch.setattr(Kernels, "begin", lambda self: begun.append(self))
    session = types.SimpleNamespace(run=lambda: 5)
    monkeypatch.setattr(session_module, "build_session", lambda *unnamed, **named: known.append(named) or session)
    monkeypatch.setattr(options, "build_session", lambda *unnamed, **named: known.append(named) or session)
    for words in ([], ["0", "--limit"]):
        monkeypatch.setattr(sys, "argv", ["main.py", *words])
        assert ladder.main("connect_four", "/folder", limit=7.0) == 5
    assert known == [{"patient": True, "limit": 7.0}] * 2
    assert [(kernels._backend, kernels._engines) for kernels in begun] == [("auto", "/folder")] * 2
    monkeypatch.setattr(sys, "argv", ["main.py", "--limit", "9"])
    assert ladder.main("connect_four", "/folder") == 5
    assert (known[-1]["limit"], known[-1]["patient"], len(begun)) == (9.0, True, 2)


def test_the_game_decides_which_options_there_are(capsys):
    assert [_game_in(words.split()) for words in ("", "--game dots", "--limit 1 --game=reversi", "--game chess")] == [
        "connect_four",
        "dots",
        "reversi",
        "connect_four",
    ]
    assert _game_in(["--game"]) == "connect_four"
    with pytest.raises(SystemExit):
        options.session_from(["--game", "dots"], "reversi")
    assert "--game: this program plays reversi alone" in capsys.readouterr().err


@pytest.mark.parametrize(
    "backend, words",
    [
        ("auto", "the engine cannot be had: KernelsUnavailable: the kernel cache cannot be used: "),
        ("native", "the engine cannot be had: KernelsUnavailable: no native engine here"),
    ],
)
def test_an_engine_that_cannot_be_had_is_named(backend, words):
    """Without a clock nothing else would do: the bot says so and ends, rather than play something else."""
    game = WireGame()
    with BotProcess("--iterations", 10, "--backend", backend, environment={"DROPFOUR_CACHE_DIR": "/proc/none"}) as bot:
        bot.send(game.opening() + game.turn())
        assert bot.process.wait(PATIENCE_S) == 1
        assert bot.stderr().startswith("dropfour: " + words)
        assert "Traceback" not in bot.stderr()


def test_a_cache_that_cannot_be_written_is_said_once_and_the_game_goes_on():
    game = WireGame()
    with BotProcess("--limit", LIMIT_S, environment={"DROPFOUR_CACHE_DIR": "/proc/none"}, command=QUICK_BOT) as bot:
        bot.send(game.opening())
        words, turns = "the kernels could not be compiled", 0
        while words not in bot.stderr():  # as late as the compiler gets its turn beside other work
            assert turns < MOST_TURNS
            play_turns(bot, game, 1)
            turns += 1
            time.sleep(0.05)
        play_turns(bot, game, 3)
        assert bot.stderr().count(words) == 1
        assert bot.end()[:2] == (0, [])
