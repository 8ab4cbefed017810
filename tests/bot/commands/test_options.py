"""The playing bot's command line: what its options change, what --info says, which arguments are refused."""

import time

import pytest

from tests.bot.games.connect_four.helpers.wire_games import WireGame
from tests.bot.helpers.bot_process import PATIENCE_S, QUICK_BOT, BotProcess, play_turns, run_bot

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
        assert line["proven"] or line["iterations"] > 100 and line["depth"] > 1
        assert 0 <= line["elapsed_s"] < LIMIT_S
        assert "guard" not in line


def test_info_stays_below_48_kilobytes_in_an_endless_game():
    game = WireGame()
    with BotProcess("--iterations", 20, "--info") as bot:
        bot.send(game.opening())
        play_turns(bot, game, 700)
        assert bot.end()[:2] == (0, [])
    lines = [line for line in bot.last_words.splitlines(keepends=True) if line.startswith("{")]
    size = sum(map(len, lines))
    assert 47 * 1024 < size <= 48 * 1024
    assert len(bot.last_words) <= 56 * 1024
    assert len(bot.info_lines()) == len(lines)


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


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("--limit", "0"), "--limit: expected a positive number"),
        (("--limit", "soon"), "--limit: "),
        (("--limit", "nan"), "--limit: expected a positive number"),
        (("--margin", "-1"), "--margin: expected a number of 0 or more"),
        (("--memory", "100"), "--memory: expected at least"),
        (("--memory", "0"), "--memory: expected a whole number of 1 or more"),
        (("--seed", "x"), "--seed: "),
        (("--iterations", "0"), "--iterations: expected a whole number of 1 or more"),
        (("--iterations", "5", "--backend", "python"), "--iterations needs the compiled search"),
        (("--protocol", "saiblo-v9"), "--protocol: invalid choice"),
        (("--engine", "magic"), "--engine: invalid choice"),
        (("--engine", "plain"), "--engine: invalid choice"),
        (("--backend", "magic"), "--backend: invalid choice"),
        (("--preset", "fastest"), "preset 'fastest': unknown; expected one of alphabeta"),
        (("--set", "colour=red"), "setting 'colour': unknown"),
        (("--set", "exploration"), "expected KEY=VALUE"),
        (("--set", "expand_visits=0"), "expand_visits: expected a whole number from 1"),
        (("--speed", "5"), "unrecognized arguments"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    result = run_bot(b"", *arguments)
    assert (result.returncode, result.stdout) == (2, b"")
    assert words in result.stderr.decode()


def test_settings_reach_the_search():
    game = WireGame()
    with BotProcess(
        "--iterations",
        "500",
        "--seed",
        "3",
        "--info",
        "--preset",
        "puct-basic",
        "--set",
        "share=off",
        "--set",
        "selection=ucb1",
        "--memory",
        "300",
    ) as bot:
        bot.send(game.opening())
        play_turns(bot, game, 2)
        assert bot.end()[:2] == (0, [])
    assert bot.info_lines()[0]["iterations"] == 500


@pytest.mark.parametrize(
    "backend, words",
    [
        ("auto", "the engine cannot be had: KernelsUnavailable: the kernel cache cannot be used: "),
        ("native", "the engine cannot be had: KernelsUnavailable: no native engine here"),
        ("x86-64", "the engine cannot be had: KernelsUnavailable: no native engine here"),
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
