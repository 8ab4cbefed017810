"""A bot at connect four as a process: several turns, pieces of them, a terminal. tests/contracts has the rest."""

import os
import sys

import pexpect
import pytest

from protocol.games.connect_four import WIRES, ReplyDecoder, Turn, encode_game_over, encode_turn
from tests.bot.games.connect_four.helpers.wire_games import WireGame
from tests.bot.helpers.bot_here import run_bot_here
from tests.bot.helpers.bot_process import ENGINE_LINE, PATIENCE_S, QUICK_BOT, REPOSITORY, BotProcess, play_turns

# So long a limit that the guard of a busy machine's bot has nothing to say: the turns are short by other means.
QUICK = ("--backend", "python", "--limit", "60", "--seed", "1")
PROMPT_S = 20.0  # less than the limit: nobody has waited for that
FIRST_TURN = WireGame().opening() + WireGame().turn()


def quick_bot(*words, wire="saiblo"):
    """A process of a bot whose turns are short."""
    return BotProcess("--protocol", wire, *QUICK, *words, wire=wire, command=QUICK_BOT)


def replies_of(done):
    """All replies in a finished bot's stdout."""
    decoder, replies = ReplyDecoder("saiblo"), []
    decoder.feed(done.stdout)
    while (reply := decoder.next_reply()) is not None:
        replies.append(reply)
    assert not decoder.partial
    return replies


@pytest.mark.parametrize("wire", WIRES)
def test_a_game_byte_by_byte(wire):
    """Opening and turns, a greeting where there is one, one legal reply a turn, nothing else."""
    game = WireGame(wire=wire)
    with quick_bot(wire=wire) as bot:
        pending = game.opening()
        for _ in range(3):
            for byte in pending + game.turn():
                bot.send(bytes([byte]))
            game.take(bot.reply()[0])
            pending = b""
        bot.send(encode_game_over(wire))
        status, extra, _ = bot.end()
    assert (status, extra, bot.last_words) == (0, [], "dropfour: engine python (asked for)\n")


def test_a_turn_sent_with_the_next_ones_first_bytes():
    """Trailing data waits: the first reply comes without it, the second when the rest is there."""
    game = WireGame()
    with quick_bot() as bot:
        # The second turn is a restart: the same empty board once more.
        bot.send(game.opening() + game.turn() + game.turn()[:30])
        game.rules.play_cell(*bot.reply()[0])
        assert bot.is_silent(0.2)
        bot.send(WireGame().turn()[30:])
        WireGame().rules.play_cell(*bot.reply()[0])
        assert bot.end()[:2] == (0, [])


def test_two_whole_turns_at_once_get_two_replies():
    done = run_bot_here(FIRST_TURN + WireGame().turn())
    assert done.returncode == 0 and len(replies_of(done)) == 2
    for reply in replies_of(done):
        WireGame().rules.play_cell(*reply)


def test_any_blanks_between_messages():
    for line_end in (b"\r\n", b" \r\n\t", b"\n\n\n", b" "):
        done = run_bot_here(line_end + FIRST_TURN.replace(b"\n", line_end))
        (reply,) = replies_of(done)
        WireGame().rules.play_cell(*reply)
        assert done.returncode == 0


@pytest.mark.parametrize(
    "turns, backend, wire",
    [
        (None, "native", "saiblo-v1"),
        (2, "jit", "saiblo-v2"),
        pytest.param(0, "native", "saiblo", marks=pytest.mark.slow),
        pytest.param(2, "native", "saiblo", marks=pytest.mark.slow),
    ],
)
def test_end_of_input_between_messages_is_the_end(wire, backend, turns):
    game = WireGame(wire=wire)
    with quick_bot("--backend", backend, "--set", "move_seconds=0.05", wire=wire) as bot:
        if turns is not None:
            bot.send(game.opening())
            play_turns(bot, game, turns)
        status, extra, seconds = bot.end()
    assert (status, extra) == (0, [])
    assert seconds < PROMPT_S


def test_end_of_input_while_thinking_ends_after_the_reply_that_is_due():
    with BotProcess("--backend", "python", "--limit", "0.4") as bot:
        bot.send(FIRST_TURN)
        status, extra, seconds = bot.end()
    assert (status, len(extra)) == (0, 1)
    assert seconds < PROMPT_S


def test_malformed_input_after_a_turn_ends_the_game():
    game = WireGame()
    with quick_bot() as bot:
        bot.send(game.opening())
        play_turns(bot, game, 1)
        bot.send(b"what?\n")
        assert bot.end()[:2] == (2, [])
    assert "what?" in bot.last_words


def test_the_game_goes_on_after_turns_that_cannot_be():
    """The turn is named and answered where there is a move, and the next one as any other."""
    floating = tuple(int(place == 74) for place in range(90))
    full = tuple(1 + ((place % 10 + 1) // 2 + place // 10) % 2 for place in range(90))
    full = (*full[:83], 0, *full[84:])
    game = WireGame()
    with quick_bot() as bot:
        bot.send(game.opening() + encode_turn(Turn((8, 4), (9, 9, 9, 8, 7, 9, 9, 9, 9, 9), floating), "saiblo"))
        row, column = bot.reply()[0]
        assert row == {3: 7, 4: 6}.get(column, 8)
        bot.wait_for_words("floats in column 4")
        bot.send(encode_turn(Turn((0, 0), (0,) * 10, full), "saiblo"))
        bot.wait_for_words("every column is full")
        assert bot.is_silent(0.1)
        play_turns(bot, game, 1)
        assert bot.end()[:2] == (0, [])


@pytest.mark.parametrize("backend", ["native", pytest.param("jit", marks=pytest.mark.slow)])
def test_the_wires_board_is_the_truth(backend):
    """Positions that do not follow from the ones before are taken over without a word."""
    with quick_bot("--backend", backend, "--set", "move_seconds=0.05") as bot:
        game = WireGame(seed=1)
        bot.send(game.opening())
        bot.wait_for_words(ENGINE_LINE)  # the engine is loaded: the guard has nothing to say
        play_turns(bot, game, 2)
        for seed in (2, 3):
            jump = WireGame(seed=seed, first=False)
            for _ in range(4 * seed):
                jump.take((jump.rules.legal_cells())[seed % 3])
            play_turns(bot, jump, 1)
        assert bot.end()[:2] == (0, [])
    assert bot.words_but_for_the_engine() == []


def test_a_bot_on_a_terminal():
    """A terminal hands over whole lines and its own line ends; the reply is the same frame."""
    child = pexpect.spawn(
        sys.executable,
        [*QUICK_BOT, *QUICK],
        cwd=str(REPOSITORY),
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        timeout=PATIENCE_S,
        echo=False,
    )
    try:
        child.sendline(WireGame().opening().decode().strip())
        child.sendline(WireGame().turn().decode().strip())
        child.expect(rb"\x00\x00\x00\x03(\d) (\d)")
        WireGame().rules.play_cell(*map(int, child.match.groups()))
        child.sendeof()
        child.expect(pexpect.EOF)
        child.wait()
        assert child.exitstatus == 0
    finally:
        child.close(force=True)
