"""scripts/train_connect_four: a short training as a user runs it, stops it and goes on, and how learning reckons."""

import json
import math
import os
import random
import signal
import subprocess
import sys
import time
import types

import numpy as np
import pytest

from bot.backends.compiled import Kernels
from bot.games.connect_four import network_weights
from bot.games.connect_four.network import evaluate, network_at
from bot.games.connect_four.network_weights import NETWORK_FILE
from bot.games.connect_four.plain import tactical_columns
from bot.games.connect_four.rules import load_root
from bot.games.connect_four.solver_engine import SolverEngine
from bot.search.engine import Decision, MoveValue
from connect_four_training import __main__ as training
from connect_four_training import features, fit, network, positions, self_play
from tests.bot.helpers.probe import probe
from tests.places import REPOSITORY
from tests.scripts.helpers.run_here import run_here

COMMAND = REPOSITORY / "scripts" / "train_connect_four"
ENVIRONMENT = {**os.environ, "DROPFOUR_PYTHON": sys.executable}
PATIENCE_S = 300
GAMES, POSITIONS, EPOCHS = 160, 1500, 20


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """POSITION[POSITIONS] of quick games, the same on every machine."""
    path = tmp_path_factory.mktemp("training") / "some.positions"
    assert self_play.play_games(path, math.inf, 7, 0.4, None, GAMES) == GAMES
    found = positions.read([path])
    assert len(found) >= POSITIONS and len(set(found["game"])) == GAMES
    return found[:POSITIONS]


@probe
def values_of(address, halves, values):
    for index in range(len(halves)):
        values[index] = evaluate(network_at(address), load_root(halves[index], 0))


def learn(weights, seen, target, chosen, gradient):
    """(error, values) of network.learn_from."""
    values = np.zeros(len(chosen), np.float32)
    importance = np.ones(len(target), np.float32)
    return network.learn_from(weights, *seen, target, importance, chosen, gradient, values), values


@pytest.mark.slow
def test_learning_reckons_as_the_search_does(known):
    weights, chosen = fit.first_weights(3), np.arange(100)
    _, told = learn(weights, features.features_of(known), fit.targets(known)[0], chosen, np.zeros(0, np.float32))
    memory = np.zeros(network_weights.WEIGHTS_OFFSET + 4 * network_weights.NUMBERS + 64, np.uint8)
    skipped = -memory.ctypes.data % 64
    memory[skipped + network_weights.WEIGHTS_OFFSET :][: 4 * network_weights.NUMBERS].view(np.float32)[:] = weights
    halves = np.stack([np.frombuffer(positions.board_of(row).to_bytes(), np.uint16) for row in known[:100]])
    values = np.zeros(100, np.float32)
    values_of(memory.ctypes.data + skipped, halves, values)
    assert np.std(values) > 0.001
    assert told == pytest.approx(values, abs=1e-5)


@pytest.mark.slow
def test_the_gradient_is_the_errors_slope(known, monkeypatch):
    """Where nothing is clipped: there what is asked goes on in part only."""
    generator, seen, target = np.random.default_rng(1), features.features_of(known), fit.targets(known)[0]
    weights = np.zeros(network_weights.NUMBERS, np.float32)
    weights[network_weights.GATES : network_weights.STEPS] = generator.uniform(
        0.1, 0.3, network_weights.STEPS - network_weights.GATES
    )
    weights[network_weights.STEPS : network_weights.TOPS] = generator.uniform(
        0.05, 0.1, network_weights.TOPS - network_weights.STEPS
    )
    weights[network_weights.TOPS : network_weights.FIRST] = generator.uniform(
        0.2, 0.6, network_weights.FIRST - network_weights.TOPS
    )
    weights[network_weights.FIRST : network_weights.FIRST_BIAS] = generator.uniform(
        -0.02, 0.02, network_weights.FIRST_BIAS - network_weights.FIRST
    )
    weights[network_weights.FIRST_BIAS : network_weights.SECOND] = 0.5
    weights[network_weights.SECOND :] = generator.uniform(-0.5, 0.5, network_weights.NUMBERS - network_weights.SECOND)
    chosen, gradient = np.arange(20), np.zeros(network_weights.NUMBERS, np.float32)
    learn(weights, seen, target, chosen, gradient)
    for begin, end in zip((0, *PARTS), (*PARTS, network_weights.NUMBERS), strict=True):
        place = begin + int(np.argmax(np.abs(gradient[begin:end])))
        errors = []
        for step in (0.01, -0.01):
            moved = weights.copy()
            moved[place] += step
            errors.append(learn(moved, seen, target, chosen, np.zeros(0, np.float32))[0])
        assert gradient[place] == pytest.approx((errors[0] - errors[1]) / 0.02, rel=0.05, abs=1e-3), begin


PARTS = (
    network_weights.STEPS,
    network_weights.TOPS,
    network_weights.FIRST,
    network_weights.FIRST_BIAS,
    network_weights.SECOND,
    network_weights.BIAS,
)


def test_what_is_called_exact_is(tmp_path):
    """By another search of the solver's, which may take longer."""
    assert self_play.play_games(tmp_path / "positions", math.inf, 7, 0.4, None, 6) == 6
    found = positions.read([tmp_path / "positions"])
    assert len(set(found["game"])) == 6
    solver = SolverEngine(Kernels("connect_four").obtain(), 8)
    exact = found[found["is_exact"] > 0][:12]
    assert len(exact) >= 6
    for row in exact:
        position = positions.board_of(row)
        outcome = tactical_columns(position)[0] or (
            solver.solve(position, nodes=1_000_000).outcome if position.floor else "draw"
        )
        assert outcome is None or self_play.RESULTS[outcome] == row["result"]


def test_targets_are_results_or_half_the_searchs_values():
    rows = np.zeros(3, positions.POSITION)
    rows["result"], rows["is_exact"], rows["value"] = (1, -1, 0), (1, 0, 0), (0.5, 0.5, 0.25)
    target, importance = fit.targets(rows)
    assert target.tolist() == [1.0, -0.25, 0.125] and importance.tolist() == [1.0, 0.5, 0.5]
    assert fit.explained(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])) == pytest.approx(1.0)
    assert fit.explained(np.array([1.0, 1.0]), np.array([1.0, 2.0])) == 0.0


def test_what_a_game_is_decides_whether_it_is_held_back_not_its_number():
    generator = random.Random(1)
    starts = [self_play.start_position(generator, 8) for _ in range(400)]
    games = [(number, (start, start.play(start.legal_moves()[0]))) for number, start in enumerate(starts)]
    rows = [positions.row_of(position, 0, False, 0.0, number) for number, game in games for position in game]
    found = np.array(rows, positions.POSITION)
    is_learnt = fit.learnt_from(found)
    assert np.array_equal(is_learnt[::2], is_learnt[1::2]) and 10 <= sum(~is_learnt[::2]) <= 30
    elsewhere = found[200:].copy()
    elsewhere["game"] -= 93
    assert np.array_equal(fit.learnt_from(elsewhere), is_learnt[200:])
    assert len(fit.learnt_from(found[:0])) == 0


@pytest.mark.parametrize(
    "proven, of_moves, expected",
    [
        (None, (None, "loss", "draw", None), (30, 0, 20, 0)),
        ("draw", ("loss", "loss", "draw", "loss"), (0, 0, 20, 0)),
        ("loss", ("loss",) * 4, (30, 40, 20, 0)),
        ("win", (None, "loss", "win", None), (0, 0, 1, 0)),
    ],
)
def test_no_visits_are_learnt_of_what_the_search_has_refuted(proven, of_moves, expected):
    visits = (30, 40, 20, None)
    moves = [MoveValue(move, 0.0, False, visits[move], of_moves[move], None) for move in range(4)]
    engine = types.SimpleNamespace(move_values=lambda *words: moves)
    decision = Decision(2, 0.0, proven, None, [2], 90, 1, 1, 0.0)
    shares, values = self_play._moves(engine, None, decision)
    assert shares == positions.shares_of(dict(enumerate(expected)))
    assert values[:4] == (0.0,) * 4 and all(math.isnan(value) for value in values[4:])


@pytest.mark.slow
def test_weights_are_learnt_that_explain_what_they_were_taught(known):
    said = []
    weights, _ = fit.fit(known, features.features_of(known), EPOCHS, 1, lambda epoch, text: said.append(text))
    target, chosen = fit.targets(known)[0], np.flatnonzero(fit.learnt_from(known))
    seen, nothing = features.features_of(known), np.zeros(0, np.float32)
    _, before = learn(fit.first_weights(1), seen, target, chosen, nothing)
    _, after = learn(weights, seen, target, chosen, nothing)
    assert fit.explained(after, target[chosen]) > fit.explained(before, target[chosen]) + 0.05
    assert len(said) == EPOCHS


def train(*words):
    """The command run to its end, in text."""
    return subprocess.run([COMMAND, *map(str, words)], env=ENVIRONMENT, capture_output=True, text=True)


@pytest.mark.slow
def test_too_few_positions_leave_the_weights_as_they_are(tmp_path):
    weights = tmp_path / "weights.bin"
    weights.write_bytes(b"as they were")
    done = train("--minutes", 1e-9, "--jobs", 1, "--folder", tmp_path / "kept", "--weights", weights)
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: " in done.stderr and "has 0 positions to learn from" in done.stderr
    assert "Traceback" not in done.stderr and weights.read_bytes() == b"as they were"


@pytest.mark.parametrize(
    "words, message",
    [
        (("--minutes", "-1"), "expected a number of minutes above 0, got '-1'"),
        (("--share", "5"), "expected a number from 0 to 1, got '5'"),
        (("--share", "nan"), "expected a number from 0 to 1, got 'nan'"),
        (("--seed", "-1"), "expected a whole number of 1 or more, got '-1'"),
        (
            ("--jobs", "101", "--minutes", "0.001", "--folder", "new"),
            "101 processes are to play, expected 100 at most: lower --jobs",
        ),
        (("--folder", "a file"), "--folder a file: File exists"),
        (("--folder", "new", "--weights", "nowhere/weights.bin"), "there is no folder nowhere"),
        (("--folder", "damaged"), "run.json cannot be read: "),
        (("--folder", "of one generation"), "generation-1.weights: [Errno 2] No such file or directory"),
    ],
)
def test_what_a_training_cannot_begin_with_is_named(tmp_path, words, message):
    (tmp_path / "a file").touch()
    for folder, kept in (("damaged", "{"), ("of one generation", '{"learnt": 1, "played_s": 1.0}')):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.json").write_text(kept)
    before = sorted(tmp_path.rglob("*"))
    done = run_here(training.main, tmp_path, ("--weights", "weights.bin", *words))
    assert done.returncode == 2
    assert message in done.stderr
    assert set(tmp_path.rglob("*")) - set(before) <= {tmp_path / "new"}


@pytest.mark.slow
def test_a_training_is_stopped_and_goes_on(tmp_path):
    folder, weights = tmp_path / "kept", tmp_path / "weights.bin"
    words = ["--generations", "2", "--jobs", "1", "--folder", str(folder), "--weights", str(weights)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    run = subprocess.Popen([COMMAND, *words], env=ENVIRONMENT, start_new_session=True, **pipes)
    deadline = time.monotonic() + PATIENCE_S
    while not list(folder.glob("*" + positions.SUFFIX)) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    _, said = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 130 and "the same command goes on" in said and "Traceback" not in said
    minutes = 0.02
    while (done := train(*words, "--minutes", minutes)).returncode:
        assert "positions to learn from, expected 256 or more: more --minutes" in done.stderr
        minutes *= 4
    assert "are learnt; another" in train(*words, "--minutes", minutes).stdout
    numbers, made = NETWORK_FILE.unpack(weights.read_bytes())
    assert not np.allclose(np.frombuffer(numbers, "<f4"), fit.first_weights(1), atol=1e-3)
    assert weights.read_bytes() == (folder / "generation-2.weights").read_bytes()
    before, of_before = NETWORK_FILE.unpack((folder / "generation-1.weights").read_bytes())
    # On a busy machine a round may take all of the time: then there is nothing new to learn from.
    assert (numbers == before) == (json.loads(made)["positions"] == json.loads(of_before)["positions"])
    assert {"command", "revision", "games", "positions", "hours"} <= set(json.loads(made))
    assert "--folder kept" in json.loads(made)["command"] and str(tmp_path) not in made
    found = positions.read(sorted(folder.glob("*" + positions.SUFFIX)))
    found = found[fit.learnt_from(found)]
    assert (json.loads(made)["positions"], json.loads(made)["games"]) == (len(found), len(set(found["game"])))
