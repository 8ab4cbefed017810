"""Our bot asked about a position: lines as they come, what it refuses, and that nothing of it is left."""

import os
import signal
import subprocess
import sys
import time
import uuid

import pytest

from judge import analysis as analyst_module
from judge.analysis import Analysis, AnalysisError, Analyst, BadAnalysis, MoveValue, input_after_moves, read_analysis
from judge.cli import human
from judge.games import GAMES
from judge.terminal import console
from tests.judge.helpers.scripted import BOARDS, PATIENCE_S, judge_environment, processes_with

LINE = (
    b'{"best": 3, "value": 0.25, "proven": null, "proven_by": null, "pv": [3, 4], "iterations": 20, "depth": 9, '
    b'"nodes": 5, "elapsed_s": 0.2, "moves": [{"move": 3, "value": 0.25, "at_most": false, "proven": null, "visits": '
    b'12, "depth": null}, {"move": 4, "value": null, "at_most": false, "proven": null, "visits": null, "depth": 3}], '
    b'"final": false}'
)


def all_of(analyst):
    found = []
    while not analyst.has_ended:
        line = analyst.next_analysis(PATIENCE_S)
        if line is not None:
            found.append(line)
    return found


def asked(game, moves=(), budget_s=0.4):
    return Analyst(game, *input_after_moves(game, BOARDS[game].as_json(), moves), budget_s)


@pytest.mark.parametrize("game", GAMES)
def test_values_deepen(game):
    with asked(game) as analyst:
        found = all_of(analyst)
    assert len(found) > 1 and [analysis.final for analysis in found] == [False] * (len(found) - 1) + [True]
    assert [analysis.elapsed_s for analysis in found] == sorted(analysis.elapsed_s for analysis in found)
    position = GAMES[game].new_position(BOARDS[game])
    legal = {str(move) for move in position.legal_moves()}
    for analysis in found:
        assert analysis.best == analysis.moves[0].move == analysis.pv[0]
        assert {known.move[: 3 if game == "dots" else None] for known in analysis.moves} <= legal
        best = analysis.moves[0]
        assert analysis.as_json()["moves"][0] == {
            "move": best.move,
            "value": best.value,
            "at_most": best.is_bound,
            "proven": best.proven,
            "visits": best.visits,
            "depth": best.depth,
        }
        priors = {prior.move: prior.prior for prior in analysis.priors}
        if game == "connect_four":  # the one game with a network and a policy
            assert analysis.evaluation is not None
            assert {each.move for each in analysis.evaluation.moves} == priors.keys() == legal
            assert sum(priors.values()) == pytest.approx(1, abs=0.01)
        else:
            assert analysis.evaluation is None and not priors


def test_a_proven_position_ends_early():
    with asked("connect_four", [0, 8, 1, 8, 2, 7], budget_s=60) as analyst:
        (analysis,) = all_of(analyst)
    assert (analysis.proven, analysis.best, analysis.final) == ("win", "3", True)


def test_what_the_bot_refuses_is_told():
    for game, moves, message in [
        ("reversi", ["a1"], "move 1 is 'a1'; expected one of "),
        ("connect_four", [0, 1, 0, 1, 0, 1, 0], "the game is over after move 7"),
        ("dots", ["ZZZ"], "edge 1, in 'ZZZ': expected one of"),
    ]:
        with asked(game, moves) as analyst, pytest.raises(AnalysisError) as refused:
            all_of(analyst)
        assert message in str(refused.value) and "\n" not in str(refused.value), game
        assert analyst.has_ended, game


def test_it_can_be_stopped_at_any_moment():
    for lines in (0, 1):
        analyst = asked("connect_four", budget_s=600)
        analyst.start()
        for _ in range(lines):
            assert analyst.next_analysis(PATIENCE_S) is not None
        pid = analyst._process.pid
        analyst.stop()
        analyst.stop()
        assert (analyst.has_ended, analyst.next_analysis(1.0)) == (True, None)
        assert not os.path.exists(f"/proc/{pid}")


def test_nothing_yet_is_not_the_end():
    with asked("connect_four", budget_s=600) as analyst:
        assert analyst.next_analysis() is None
        assert not analyst.has_ended
        assert analyst.fileno() > 2


def stand_in(monkeypatch, code):
    """An Analyst whose program is this one."""
    monkeypatch.setattr(analyst_module.program, "bot_command", lambda words: [sys.executable, "-S", "-c", code])
    return asked("connect_four")


def test_an_end_without_a_word_is_told(monkeypatch):
    words = "import os; os.write(2, b'one\\nt\\x1bwo\\n'); os._exit(7)"
    with (
        stand_in(monkeypatch, words) as analyst,
        pytest.raises(AnalysisError, match=r"failed with exit status 7: t\\x1bwo"),
    ):
        all_of(analyst)
    killed = stand_in(monkeypatch, "import os; os.kill(os.getpid(), 9)")
    with killed as analyst, pytest.raises(AnalysisError, match="failed with exit status -9"):
        all_of(analyst)


@pytest.mark.parametrize("said", ["hello", "{}", "[[[[[[[[[[[[]]]]]]]]]]]]", "x" * 5_000_000])
def test_what_is_no_analysis_ends_it(monkeypatch, said):
    content = f"'{said[:1]}' * {len(said)}" if len(said) > 100 else f"'{said}'"
    talker = stand_in(monkeypatch, f"print({content}, flush=True); import time; time.sleep(600)")
    with talker as analyst, pytest.raises(AnalysisError, match="the bot's analysis cannot be read: "):
        all_of(analyst)
    assert analyst.has_ended


def test_several_lines_at_once_and_lines_in_pieces(monkeypatch):
    line = LINE.decode()
    code = f"import os; line = b'''{line}\\n'''; os.write(1, line + line + line[:50]); os.write(1, line[50:])"
    with stand_in(monkeypatch, code) as analyst:
        assert len(all_of(analyst)) == 3


def test_a_program_that_cannot_start_is_told(monkeypatch):
    monkeypatch.setattr(analyst_module.program, "bot_command", lambda words: ["./no-such-program"])
    with pytest.raises(AnalysisError, match=r"\./no-such-program: No such file or directory"):
        asked("connect_four").start()


def test_it_ends_with_a_judge_that_is_killed(tmp_path):
    token = f"DROPFOUR_TEST={uuid.uuid4().hex}"
    name, _, value = token.partition("=")
    code = (
        "import time\n"
        "from judge.analysis import Analyst, input_after_moves\n"
        "with Analyst('reversi', *input_after_moves('reversi', {'size': 8, 'opening': []}, []), 600) as analyst:\n"
        "    while analyst.next_analysis(1.0) is None: pass\n"
        "    print('analysing', flush=True)\n"
        "    time.sleep(600)\n"
    )
    judge = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=judge_environment(**{name: value}),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert judge.stdout.readline() == "analysing\n"
    assert len(processes_with(token)) >= 2
    judge.send_signal(signal.SIGKILL)
    judge.wait()
    judge.stdout.close()
    give_up = time.monotonic() + PATIENCE_S
    while processes_with(token) and time.monotonic() < give_up:
        time.sleep(0.05)
    assert processes_with(token) == []


def test_a_line_is_read():
    found = read_analysis(LINE)
    assert (found.best, found.value, found.pv, found.moves[0].visits) == ("3", 0.25, ("3", "4"), 12)
    assert found.moves[1] == MoveValue("4", None, False, None, None, 3)


def test_an_odd_line_is_none():
    for before, after in [
        (b'"value": 0.25, "proven": null, "proven_by"', b'"value": 2, "proven": null, "proven_by"'),
        (b'"value": 0.25', b'"value": "0.25"'),
        (b'"value": 0.25', b'"value": true'),
        (b'"value": 0.25', b'"value": NaN'),
        (b'"depth": 9', b'"depth": -1'),
        (b'"depth": 9', b'"depth": 9.5'),
        (b'"iterations": 20', b'"iterations": null'),
        (b'"proven": null, "proven_by"', b'"proven": "won", "proven_by"'),
        (b'"proven": null, "proven_by"', b'"proven": [], "proven_by"'),
        (b'"pv": [3, 4]', b'"pv": 3'),
        (b'"pv": [3, 4]', b'"pv": [3.5]'),
        (b'"move": 3', b'"move": null'),
        (b'"final": false', b'"final": 0'),
        (b'"final": false', b'"last": false'),
        (b'"moves": [', b'"moves": [7, '),
    ]:
        assert before in LINE, after
        with pytest.raises(BadAnalysis):
            read_analysis(LINE.replace(before, after, 1))


def analysis_of(*moves):
    return Analysis(0.25, None, "d3", ("d3",), 9, 20, 1.0, moves, True)


def test_moves_are_listed_with_what_was_looked_at():
    found = human.move_lines(
        analysis_of(
            MoveValue("d3", 0.25, False, None, 1234, None),
            MoveValue("c10", -0.5, True, None, None, 7),
            MoveValue("a1", 1.0, False, "win", None, None),
            MoveValue("b1", None, False, None, None, None),
        )
    )
    assert found == [
        "  d3   +0.250  1,234 visits",
        "  c10  at most -0.500  depth 7",
        "  a1   win",
        "  b1   this move was not searched",
    ]


def test_many_and_long_moves_are_cut():
    moves = [MoveValue("AAB" * 20, 0.0, False, None, None, None) for _ in range(40)]
    found = human.move_lines(analysis_of(*moves))
    assert len(found) == human.MOST_LISTED + 1
    assert found[0] == "  AABAABAABAABAABAABAABA..  +0.000"
    assert found[-1] == "  and 16 more moves"


def test_elsewhere_than_on_a_terminal_the_last_line_alone_is_returned(capsys):
    with asked("connect_four") as analyst:
        found = human.show_analysis(console(), analyst)
    assert found.final and capsys.readouterr().out == ""
