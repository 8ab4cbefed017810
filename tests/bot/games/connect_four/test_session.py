"""A bot at connect four: what it says to what it is told, on every wire, and how it ends.

Real processes where that is the subject, else sessions in this one.
"""

import itertools
import os
import sys

import pexpect
import pytest

from protocol.games.connect_four import WIRES, ReplyDecoder, Turn, encode_game_over, encode_turn, greeting
from tests.bot.games.connect_four.helpers.wire_games import WireGame
from tests.bot.helpers.bot_here import run_bot_here
from tests.bot.helpers.bot_process import ENGINE_LINE, PATIENCE_S, QUICK_BOT, REPOSITORY, BotProcess, play_turns

# So long a limit that the guard of a busy machine's bot has nothing to say: the turns are short by other means.
LIMIT = ("--limit", "60")
QUICK = ("--backend", "python", *LIMIT, "--seed", "1")
BACKENDS = ("native", "jit", "python")
PROMPT_S = 20.0  # less than the limit: nobody has waited for that
EMPTY_TOPS = (9, 9, 9, 8, 9, 9, 9, 9, 9, 9)
FIRST_TURN = WireGame().opening() + WireGame().turn()


def pieces_of_one(data):
    return [data[place : place + 1] for place in range(len(data))]


def quick_bot(*words, wire="saiblo"):
    """A process of a bot whose turns are short."""
    return BotProcess("--protocol", wire, *QUICK, *words, wire=wire, command=QUICK_BOT)


def replies_of(done, wire="saiblo"):
    """All replies in a finished bot's stdout."""
    decoder, replies = ReplyDecoder(wire), []
    decoder.feed(done.stdout)
    while (reply := decoder.next_reply()) is not None:
        replies.append(reply)
    assert not decoder.partial
    return replies


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "cut", [pytest.param(lambda data: [data], marks=pytest.mark.slow), pieces_of_one], ids=["whole", "byte by byte"]
)
def test_transcripts(wire, cut):
    """Opening and turns, a greeting where there is one, one legal reply a turn, nothing else."""
    game = WireGame(wire=wire)
    with quick_bot(wire=wire) as bot:
        pending = game.opening()
        for _ in range(3):
            for piece in cut(pending + game.turn()):
                bot.send(piece)
            reply, _ = bot.reply()
            game.take(reply)
            pending = b""
        bot.send(encode_game_over(wire))
        status, extra, _ = bot.end()
    assert (status, extra, bot.last_words) == (0, [], "dropfour: engine python (asked for)\n")


@pytest.mark.parametrize("wire", WIRES)
def test_a_turn_sent_with_the_next_ones_first_bytes(wire):
    """Trailing data waits: the first reply comes without it, the second when the rest is there."""
    game = WireGame(wire=wire)
    with quick_bot(wire=wire) as bot:
        # The second turn is a restart: the same empty board once more.
        first, second = game.turn(), game.turn()
        bot.send(game.opening() + first + second[:30])
        game.rules.play_cell(*bot.reply()[0])
        assert bot.is_silent(0.4)
        bot.send(second[30:])
        WireGame(wire=wire).rules.play_cell(*bot.reply()[0])
        assert bot.end()[:2] == (0, [])


def test_two_whole_turns_at_once_get_two_replies():
    done = run_bot_here(FIRST_TURN + WireGame().turn())
    assert done.returncode == 0 and len(replies_of(done)) == 2
    for reply in replies_of(done):
        WireGame().rules.play_cell(*reply)


@pytest.mark.parametrize("line_end", [b"\r\n", b" \r\n\t", b"\n\n\n", b" "])
def test_any_blanks_between_messages(line_end):
    done = run_bot_here(line_end + FIRST_TURN.replace(b"\n", line_end))
    (reply,) = replies_of(done)
    WireGame().rules.play_cell(*reply)
    assert done.returncode == 0


def cases_of_an_end():
    """Every wire, backend and number of turns; not all of the slow ones at once."""
    often = {
        (2, "native", "saiblo"),
        (None, "native", "saiblo-v1"),
        (0, "python", "saiblo-v2"),
        (2, "jit", "saiblo-v2"),
    }
    for case in itertools.product((None, 0, 2), BACKENDS, WIRES):
        yield pytest.param(*case, marks=() if case in often else pytest.mark.slow)


@pytest.mark.parametrize("turns, backend, wire", list(cases_of_an_end()))
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


V1_TURN = WireGame(wire="saiblo-v1").turn()
V2_TURN = WireGame(wire="saiblo-v2").turn()


@pytest.mark.parametrize(
    "wire, data, words",
    [
        ("saiblo", b"9 10 8", "end of input"),
        ("saiblo", b"9 10 8 3\n-1 -1 9 9", "end of input"),
        ("saiblo", FIRST_TURN[:-2], "end of input"),
        ("saiblo-v2", b"9 10 8 3\n-1 -1 10 9", "end of input"),
        ("saiblo-v1", b'0043{"type":0', "end of input"),
        ("saiblo-v1", b"00", "end of input"),
        ("saiblo", b"hello\n", "hello"),
        ("saiblo", b"13 10 8 3\n", "13"),
        ("saiblo", b"9 10 9 3\n", "9"),
        ("saiblo", b"9 10 8 3\n-2 -1 9 9", "-2"),
        ("saiblo", FIRST_TURN.replace(b" 0 ", b" 3 ", 1), "3"),
        ("saiblo", b"\0\0\0\x08" + FIRST_TURN, "0"),
        ("saiblo-v2", b"9 10 8 3\n" + V2_TURN.replace(b" 90 ", b" 91 "), "91"),
        ("saiblo-v1", b"00x3{}", "00x3"),
        ("saiblo-v1", b"0002{}", "type"),
        ("saiblo-v1", b"0043not json" + b" " * 35, "JSON"),
    ],
)
def test_malformed_input_is_named_and_answered_by_nothing(wire, data, words):
    result = run_bot_here(data, wire=wire)
    assert result.returncode == 2
    assert result.stdout == greeting(wire)
    lines = result.stderr.decode().splitlines()
    assert len(lines) == 1 and lines[0].startswith("dropfour: malformed input: ")
    assert words in lines[0]


def test_malformed_input_after_a_turn_ends_the_game():
    game = WireGame()
    with quick_bot() as bot:
        bot.send(game.opening())
        play_turns(bot, game, 2)
        bot.send(b"what?\n")
        assert bot.end()[:2] == (2, [])
    assert "what?" in bot.last_words


def board_with(stones):
    return tuple(stones.get((place // 10, place % 10), 0) for place in range(90))


@pytest.mark.parametrize(
    "stones, tops, words",
    [
        ({(7, 4): 1}, (9, 9, 9, 8, 7, 9, 9, 9, 9, 9), "floats in column 4"),
        ({(8, 3): 1}, EMPTY_TOPS, "forbidden cell"),
        ({(8, 4): 1}, EMPTY_TOPS, "top[4] is 9, the board says 8"),
        ({(8, 4): 1, (8, 5): 1}, (9, 9, 9, 8, 8, 8, 9, 9, 9, 9), "2 stones ahead"),
    ],
)
def test_an_impossible_position_is_named_and_answered(stones, tops, words):
    game = WireGame()
    with quick_bot() as bot:
        bot.send(game.opening())
        play_turns(bot, game, 1)
        bot.send(encode_turn(Turn((8, 4), tops, board_with(stones)), "saiblo"))
        (row, column), _ = bot.reply()
        # Where the tops contradict a board that stands, the board is the truth.
        free_rows = [free for free in range(9) if board_with(stones)[free * 10 + column] == 0]
        expected = max(free_rows) if "the board says" in words else tops[column] - 1
        assert row == expected - ((expected, column) == (8, 3))
        assert words in bot.stderr()
        play_turns(bot, game, 2)
        assert bot.end()[:2] == (0, [])


def test_a_full_board_has_no_reply_and_the_game_goes_on():
    full = {(row, column): 1 + ((column + 1) // 2 + row) % 2 for row in range(9) for column in range(10)}
    full[8, 3] = 0
    game = WireGame()
    with quick_bot() as bot:
        bot.send(game.opening() + encode_turn(Turn((0, 0), (0,) * 10, board_with(full)), "saiblo"))
        bot.wait_for_words("every column is full")
        assert bot.is_silent(0.3)
        play_turns(bot, game, 1)
        assert bot.end()[:2] == (0, [])


@pytest.mark.parametrize("backend", ["native", "python", pytest.param("jit", marks=pytest.mark.slow)])
def test_the_wires_board_is_the_truth(backend):
    """Positions that do not follow from the ones before are taken over without a word."""
    with quick_bot("--backend", backend, "--set", "move_seconds=0.05") as bot:
        game = WireGame(seed=1)
        bot.send(game.opening())
        bot.wait_for_words(ENGINE_LINE)  # the engine is loaded: the guard has nothing to say
        play_turns(bot, game, 3)
        for seed in (2, 3, 4):
            jump = WireGame(seed=seed, first=False)
            for _ in range(4 * seed):
                jump.take((jump.rules.legal_cells())[seed % 3])
            play_turns(bot, jump, 2)
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
