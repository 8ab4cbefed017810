"""scripts/train_deep, play_deep and measure_deep: the array rules, learning, the network's own games, and the commands.

PyTorch is an extra of its own: the first of these tests installs it into the environment that the suite runs in.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree

import numpy as np
import pytest

from bot.backends.compiled import Kernels
from bot.games.connect_four.adapter import GAME
from bot.games.connect_four.board import COLUMN_BITS
from bot.games.connect_four.config import DEFAULT
from bot.games.connect_four.plain import empty_position, tactical_columns, winning_cells
from bot.games.connect_four.policy_weights import POLICY_FILE
from bot.games.connect_four.uct_engine import UctEngine
from bot.search.limits import PROCESS_MB, SMALLEST_SEARCH_MB
from connect_four_training import positions
from connect_four_training.self_play import start_position
from protocol.records.record import read_records
from tests.judge.helpers.scripted import run_judge
from tests.places import REPOSITORY

pytestmark = pytest.mark.slow

ENVIRONMENT = {**os.environ, "PYTHONUNBUFFERED": "1"}
PATIENCE_S = 600
SIZES = range(9, 13)  # rows and columns, as the ladder draws them
OUTCOMES = {None: np.nan, "win": 1.0, "draw": 0.0, "loss": -1.0}


@pytest.fixture(scope="module", autouse=True)
def torch():
    done = subprocess.run(
        [REPOSITORY / "scripts" / "setup", "train", "--no-engines"], env=ENVIRONMENT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    import torch

    torch.set_num_threads(1)
    return torch


def script(name, *words, **options):
    """The command run to its end, in text."""
    words = [REPOSITORY / "scripts" / name, *map(str, words)]
    return subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, **options)


def rows_of(found):
    """POSITION[n] of Positions."""
    return np.array([positions.row_of(position, 0, False, 0.0, 0) for position in found], positions.POSITION)


def random_game(generator, rows, columns, forbidden):
    """All Positions of a game of random moves in which nobody has won yet."""
    position, seen = empty_position(rows, columns, forbidden), []
    while not position.opponent_has_won():
        seen.append(position)
        if not position.floor:
            break
        position = position.play(generator.choice(position.legal_moves()))
    return seen


@pytest.fixture(scope="module")
def games():
    """A random game for every board of the ladder's sizes, with the forbidden cell everywhere: 1,764 of them."""
    generator = random.Random(1)
    return [
        random_game(generator, rows, columns, (row, column))
        for rows in SIZES
        for columns in SIZES
        for row in range(rows)
        for column in range(columns)
    ]


def test_array_rules_are_the_plain_ones(games, torch):
    from deep_training import board

    found = [position for game in games for position in game]
    boards = board.boards_of(rows_of(found))
    seen = board.look(boards)
    expected = [tactical_columns(position) for position in found]
    # A full board has no outcome there, as nobody asks for a move; here it is the draw that it is.
    outcomes = [
        OUTCOMES["draw" if not position.floor else outcome]
        for position, (outcome, _) in zip(found, expected, strict=True)
    ]
    assert np.array_equal(seen.outcome.numpy(), np.array(outcomes, np.float32), equal_nan=True)
    is_worth = np.zeros((len(found), board.COLUMNS), bool)
    for number, (_, columns) in enumerate(expected):
        is_worth[number, columns] = True
    assert np.array_equal(seen.columns.numpy(), is_worth)


def test_array_games_go_where_the_plain_ones_go(games, torch):
    """All games side by side, a move in each at a time."""
    from deep_training import board

    boards = board.boards_of(rows_of([game[0] for game in games]))
    for ply in range(max(map(len, games)) - 1):
        under_way = [number for number, game in enumerate(games) if len(game) > ply + 1]
        columns = torch.zeros(len(games), dtype=torch.int64)
        for number in under_way:
            before, after = games[number][ply], games[number][ply + 1]
            columns[number] = (after.opponent ^ before.own).bit_length() // 16
        boards = boards.play(columns)
        expected = board.boards_of(rows_of([games[number][ply + 1] for number in under_way]))
        for cells, plain in zip(boards.chosen(under_way), expected, strict=True):
            assert torch.equal(cells, plain)


def cells_of_planes(position):
    """The set of cells of each plane, by plain.py's layout."""
    free = position.board & ~(position.own | position.opponent | position.forbidden)
    cells = [(column, row) for column in range(position.columns) for row in range(position.rows)]

    def cells_above_odd(below):
        """Those for which an odd number of free cells lies in the rows of their column that below(row) gives."""
        return sum(
            1 << 16 * column + row for column, row in cells if (free >> 16 * column & below(row)).bit_count() % 2
        )

    return {
        "own stones": position.own,
        "opponent's stones": position.opponent,
        "forbidden cell": position.forbidden,
        "free cells": free,
        "own winning cells": winning_cells(position.own) & free,
        "opponent's winning cells": winning_cells(position.opponent) & free,
        "floor": position.floor,
        "cells above the floor": position.cell_above(position.floor),
        "odd rows": sum(1 << 16 * column + row for column, row in cells if row % 2),
        "columns with an odd number of free cells": cells_above_odd(lambda row: 0xFFFF),
        "cells above an odd number of free cells": cells_above_odd(lambda row: (1 << row) - 1),
        "board": position.board,
    }


def test_planes_show_the_position():
    from deep_training import board

    generator = random.Random(2)
    found = [start_position(generator, 60) for _ in range(50)]
    planes = board.planes_of(board.boards_of(rows_of(found))).numpy()
    for position, seen in zip(found, planes, strict=True):
        expected = cells_of_planes(position)
        assert tuple(expected) == board.PLANES
        for (name, cells), plane in zip(expected.items(), seen, strict=True):
            bits = [[cells >> 16 * column + row & 1 for row in range(12)] for column in range(12)]
            assert np.array_equal(plane, bits), name


def test_a_mirrored_position_is_the_position_seen_in_a_mirror(torch):
    from deep_training import board

    generator = random.Random(3)
    found = [start_position(generator, 30) for _ in range(20)]
    planes = board.planes_of(board.boards_of(rows_of(found)))
    mirrored = board.planes_of(board.boards_of(rows_of(found)).mirrored(torch.arange(20) % 2 == 0))
    for number, position in enumerate(found):
        seen = planes[number, :, : position.columns]
        assert torch.equal(mirrored[number, :, : position.columns], seen.flip(1) if number % 2 == 0 else seen)


def test_halving_gives_every_move_that_is_left_the_same_visits():
    from deep_training.gumbel import halving

    assert halving(1, 4) == [0, 1, 2, 3]
    assert halving(4, 16) == [0] * 4 + [1] * 4 + [2, 2, 3, 3, 4, 4, 5, 5]
    assert halving(8, 8) == [0] * 8
    assert [len(halving(moves, 32)) for moves in range(1, 13)] == [32] * 12


def test_gumbel_search_finds_what_it_can_see(torch):
    """With values of nothing: the search alone sees that the opponent would have two winning cells."""
    from deep_training import gumbel
    from deep_training.board import boards_of
    from deep_training.network import SIZES, Network

    torch.manual_seed(1)
    network = Network(SIZES["tiny"]).eval()
    position = empty_position(9, 9)
    for column in (8, 3, 8, 4):  # the opponent has two in a row on the floor, both ends open
        position = position.play(column)
    noise = torch.zeros(1, 12)
    found = gumbel.search(network, boards_of(rows_of([position])), 256, noise)
    assert int(found.columns) in (2, 5) and float(found.values) < 0.5
    assert found.policy[0, [2, 5]].sum() > 0.9 and float(found.policy.sum()) == pytest.approx(1)


def test_its_own_games_are_games(torch, tmp_path):
    """Each row follows from the one before by a legal move, and the last one's side wins, loses or draws at once."""
    from deep_training import gumbel
    from deep_training.network import SIZES, Network

    torch.manual_seed(2)
    path, said = tmp_path / f"own{positions.SUFFIX}", []
    games = gumbel.Games(Network(SIZES["tiny"]).eval(), 12, 8, 1, "cpu", first=5)
    while not path.exists() or len(set(positions.read([path])["game"])) < 14:  # some begin where others have ended
        gumbel.play_games(games, path, 0.5, lambda *told: said.append(told))
    rows = positions.read([path])
    assert min(rows["game"]) == 5 and all(passed <= 0.5 for passed, _ in said)
    for number in set(rows["game"]):
        game = rows[rows["game"] == number]
        seen = [positions.board_of(row) for row in game]
        for before, after in zip(seen, seen[1:], strict=False):
            assert after in [before.play(column) for column in before.legal_moves()]
        assert set(game["result"]) <= {-1, 0, 1} and all(game["result"][:-1] == -game["result"][1:])
        assert all(tactical_columns(position)[0] is None for position in seen)
        ends = [tactical_columns(seen[-1].play(column))[0] for column in seen[-1].legal_moves()]
        end = {1: "loss", -1: "win"}.get(int(game["result"][-1]))
        assert end in ends
        assert all(abs(game["visits"].sum(1).astype(int) - positions.VISITS) <= 12)


def test_a_torn_record_goes_before_the_next_one(tmp_path):
    path = tmp_path / f"a{positions.SUFFIX}"
    rows = rows_of([empty_position(9, 9)])
    assert positions.next_game(path) == 0
    positions.append(path, rows)
    path.write_bytes(path.read_bytes() + b"half a record")
    assert (len(positions.read([path])), positions.next_game(path)) == (1, 1)
    positions.append(path, rows)
    assert np.array_equal(positions.read([path])["own"], np.concatenate([rows, rows])["own"])


def made_games(folder, count):
    """A folder with positions whose result is plain to see: many columns with an odd number of free cells win."""
    generator = random.Random(4)
    rows = []
    for game in range(count):
        position = start_position(generator, 8)
        odd = cells_of_planes(position)["columns with an odd number of free cells"].bit_count()
        result = 1 if odd > position.board.bit_count() / 2 else -1
        visits = positions.shares_of({position.columns // 2: 3, position.legal_moves()[0]: 1})
        rows.append(positions.row_of(position, result, True, result, game, (visits, positions.NO_MOVES[1])))
    folder.mkdir()
    positions.append(folder / ("engine-0" + positions.SUFFIX), rows)


def test_what_is_taught_is_learnt_and_a_checkpoint_goes_on(torch, tmp_path):
    from deep_training import learning
    from deep_training.network import NetworkError, load_network, save_network

    made_games(tmp_path / "games", 3000)
    known = learning.read_known(tmp_path / "games")
    assert len(known.learnt) + len(known.held_back) == 3000 and 100 < len(known.held_back) < 200
    learner = learning.Learner("tiny", "cpu", 1)
    before = learning.figures_of(known.held_back, *learning.evaluate(learner.average, known.held_back, "cpu"))
    first = learner.learn(known, 100)
    learner.save(tmp_path / "checkpoint")
    again = learning.Learner("tiny", "cpu", 7)
    again.load(tmp_path / "checkpoint")
    assert again.steps == 100 and again.samples == 100 * again.batch
    assert again.learn(known, 500) < first
    figures = learning.figures_of(known.held_back, *learning.evaluate(again.average, known.held_back, "cpu"))
    assert figures.explained[learning.EXACT] > before.explained[learning.EXACT] + 0.3
    assert figures.named > 0.5 and figures.entropy <= figures.nats < before.nats
    save_network(tmp_path / "a.network", again.average)
    kept = learning.evaluate(load_network(tmp_path / "a.network"), known.held_back, "cpu")
    for values, others in zip(kept, learning.evaluate(again.average, known.held_back, "cpu"), strict=True):
        assert np.allclose(np.maximum(values, -20), np.maximum(others, -20), atol=0.05)
    with pytest.raises(NetworkError, match="the network there is tiny, expected small"):
        learning.Learner("small", "cpu", 1).load(tmp_path / "checkpoint")
    (tmp_path / "damaged").write_bytes(b"damaged")
    for load in (load_network, learning.Learner("tiny", "cpu", 1).load):
        with pytest.raises(NetworkError, match="damaged"):
            load(tmp_path / "damaged")
    with pytest.raises(NetworkError, match="No such file"):
        load_network(tmp_path / "nowhere")


def test_a_smaller_network_learns_from_a_larger_ones_answers(torch, tmp_path):
    from deep_training import learning
    from deep_training.network import SIZES, Network

    made_games(tmp_path / "games", 600)
    known = learning.read_known(tmp_path / "games")
    torch.manual_seed(5)
    teacher, pupil = Network(SIZES["tiny"]).eval(), learning.Learner("tiny", "cpu", 1)
    first = pupil.learn(known, 20, teacher)
    assert pupil.learn(known, 200, teacher) < first


def test_so_many_positions_are_the_same_ones_when_more_are_played(tmp_path):
    from deep_training import learning

    made_games(tmp_path / "games", 1000)
    first = learning.read_known(tmp_path / "games", 300).learnt
    assert len(first) == 300
    path = tmp_path / "games" / ("engine-0" + positions.SUFFIX)
    more = positions.read([path])
    more["game"] += 1000
    positions.append(path, more)
    assert learning.read_known(tmp_path / "games", 300).learnt.tobytes() == first.tobytes()
    path.rename(path.with_name("own" + positions.SUFFIX))  # of its own games none is held back
    assert len(learning.read_known(tmp_path / "games").learnt) == 2000


def test_two_trainings_do_not_share_a_folder(tmp_path):
    from connect_four_training.rounds import Run, TrainingError

    run = Run(tmp_path)
    with pytest.raises(TrainingError, match="in use by another training"):
        Run(tmp_path)
    del run


def test_a_search_is_the_same_however_many_leaves_are_evaluated_at_once(torch, monkeypatch):
    """Nearly: a descent may begin before the value of another is known, and never to the same leaf."""
    from deep_training import player
    from deep_training.network import SIZES, Network

    torch.manual_seed(6)
    engine, visits = player.DeepEngine(Network(SIZES["tiny"]).eval()), []
    for together in (1, player.TOGETHER):
        monkeypatch.setattr(player, "TOGETHER", together)
        root = player._Node(empty_position(9, 9))
        engine._expand([root])
        done = 0
        while done < 200:
            done += engine._evaluate_some(root, min(together, 200 - done))
        assert root.visits == 200 and root.waiting == 0
        assert sum(child.visits for child in root.children.values()) == 200
        visits.append([root.children[column].visits if column in root.children else 0 for column in root.columns])
    assert sum(abs(one - other) for one, other in zip(*visits, strict=True)) <= 20


def test_half_of_a_value_is_the_result_and_half_the_searchs():
    from deep_training import learning

    rows = np.zeros(3, positions.POSITION)
    rows["result"], rows["is_exact"], rows["value"] = (1, -1, 0), (1, 0, 0), (0.5, 0.5, 0.0)
    rows["visits"][1, 3] = 5000
    assert learning.value_targets(rows).tolist() == [[0, 0, 1], [0.625, 0, 0.375], [0.25, 0.5, 0.25]]
    assert learning.policy_targets(rows)[1].tolist() == [0, 0, 0, 1] + [0] * 8
    assert learning.phase_of(rows).tolist()[0] == learning.EXACT


def test_a_policy_is_learnt_from_visits_and_the_kernels_say_what_pytorch_says(torch, games, tmp_path):
    """The visits are those of a search that likes the columns with the most free cells."""
    from deep_training import policy

    generator, known = random.Random(5), []
    for game in generator.sample(games, 400):
        position = generator.choice(game)
        columns = tactical_columns(position)[1]
        taken = position.own | position.opponent | position.forbidden
        free = {
            column: bin((position.board & ~taken) >> (COLUMN_BITS * column) & (1 << COLUMN_BITS) - 1).count("1")
            for column in columns
        }
        liked = [column for column in columns if free[column] == max(free.values())]
        visits = tuple(positions.VISITS // len(liked) if column in liked else 0 for column in range(12))
        known.append((position, (visits, (np.nan,) * 12)))
    rows = [positions.row_of(position, 0, False, 0.0, game, moves) for game, (position, moves) in enumerate(known)]
    positions.append(tmp_path / ("engine-0" + positions.SUFFIX), rows * 10)
    weights = tmp_path / "policy.bin"
    done = script("train_policy", tmp_path, "--weights", weights, "--passes", 20)
    assert done.returncode == 0, done.stderr
    numbers, made = POLICY_FILE.unpack(weights.read_bytes())
    assert "positions; of" in json.loads(made)["learnt"]
    learnt = policy.policy_of(numbers)
    lesson = policy.Lesson(np.array(rows, positions.POSITION))
    even = lesson.allowed.sum(1).float().log().mean().item()
    entropy = -(lesson.shares * lesson.shares.clamp_min(1e-9).log()).sum(1).mean().item()
    nats, _ = policy.judged(learnt, lesson)
    assert nats - entropy < 0.5 * (even - entropy)
    engine = UctEngine(Kernels(GAME).obtain(), DEFAULT, PROCESS_MB + SMALLEST_SEARCH_MB, 1, policy=numbers)
    for position, _ in known[:50]:
        outcome, columns = tactical_columns(position)
        if outcome is None and len(columns) > 1:
            seen = [torch.as_tensor(part.astype(np.int64)) for part in policy.seen_in(rows_of([position]))]
            with torch.no_grad():
                logits = learnt(*seen)[0][columns]
            expected = logits.softmax(0).tolist()
            found = engine.priors(position)
            assert [found[column] for column in columns] == pytest.approx(expected, abs=2e-3)


def test_a_training_is_stopped_killed_and_goes_on(tmp_path):
    folder = tmp_path / "kept"
    words = ["--network", "tiny", "--jobs", "1", "--folder", str(folder)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    for number in (signal.SIGTERM, signal.SIGKILL):
        # An interpreter, not the script around it, so that the signal meets what it is meant for.
        command = [sys.executable, REPOSITORY / "scripts" / "run_module.py", "deep_training", *words]
        run = subprocess.Popen([*command, "--minutes", "60"], env=ENVIRONMENT, **pipes)
        files, deadline = folder.glob("*" + positions.SUFFIX), time.monotonic() + PATIENCE_S
        size = sum(path.stat().st_size for path in files)
        while sum(path.stat().st_size for path in folder.glob("*" + positions.SUFFIX)) <= size:
            assert time.monotonic() < deadline and run.poll() is None
            time.sleep(0.1)
        run.send_signal(number)
        _, said = run.communicate(timeout=PATIENCE_S)  # its players have its stderr: they are gone too
        if number == signal.SIGTERM:
            assert run.returncode == 130 and "the same command goes on" in said and "Traceback" not in said
    known = sum(path.stat().st_size for path in folder.glob("*" + positions.SUFFIX))
    minutes = 0.25
    while not (folder / "tiny.network").exists():
        done = script("train_deep", *words, "--minutes", minutes)
        assert done.returncode == 0, done.stderr
        minutes *= 2
    assert sum(path.stat().st_size for path in folder.glob("*" + positions.SUFFIX)) >= known
    line = json.loads((folder / "tiny.figures").read_text("utf-8").splitlines()[-1])
    assert line["positions"] >= 256 and line["samples"] > 0 and "explained" in line
    minutes = 0.25
    while not (folder / f"own{positions.SUFFIX}").exists():
        done = script("train_deep", *words, "--own-games", 4, "--simulations", 4, "--minutes", minutes, "--passes", 1)
        assert done.returncode == 0, done.stderr
        minutes *= 2
    words = (folder / "tiny.network", "--folder", folder, "--search", 50, "--most", 20, "--picture", tmp_path / "a.svg")
    done = script("measure_deep", "figures", *words)
    assert done.returncode == 0, done.stderr
    assert "tiny" in done.stdout and "network in use" in done.stdout and "search of 50" in done.stdout
    drawn = "".join(ElementTree.parse(tmp_path / "a.svg").getroot().itertext())
    assert "network, tiny" in drawn and "search of 50" in drawn
    adds_to_searches(tmp_path, folder)
    plays(tmp_path, folder / "tiny.network")
    sides_with_searches(tmp_path, folder / "tiny.network")


def plays(folder, network):
    """The network wins a judged match against a bot that always takes the first column, as a player of the match."""
    player = f"{sys.executable} {REPOSITORY}/scripts/run_module.py deep_training.player {network} --evaluations 30"
    first_legal = f"{sys.executable} {REPOSITORY}/tests/engines/first_legal.py"
    words = ("match", player, first_legal, "--games", 2, "--limit", 60, "--free-start", "--record", "m.jsonl")
    # The player's rules and wire; a sandbox shows the folder of its script alone.
    words += ("--show", REPOSITORY / "bot", "--show", REPOSITORY / "protocol")
    done = run_judge(folder, *words)
    assert done.returncode == 0, done.stderr
    records, _ = read_records(folder / "m.jsonl")
    assert [record.termination for record in records] == ["NORMAL"] * 2


def adds_to_searches(folder, training):
    """Held-back positions are searched once, and a line that a kill has cut goes; both tables are made of them."""
    file = folder / "looked.jsonl"
    for command, iterations, heading in (
        ("together", (20, 50), "network in use"),
        ("siblings", (20, 50, 200), "network in use"),
        ("choices", (20, 50, 200), "all: "),
    ):
        words = ("measure_deep", command, file, training / "tiny.network", "--folder", training)
        done = script(*words, "--minutes", 10, "--iterations", *iterations)
        assert done.returncode == 0 and heading in done.stdout, done.stderr
        lines = file.read_text().splitlines()
        assert len(lines) == len({json.loads(line)["position"] for line in lines}) > 1
        file.write_text("\n".join(lines)[:-5])
        done = script(*words, "--iterations", *iterations)
        assert done.returncode == 0 and file.read_text().splitlines() == lines[:-1]
        file.unlink()


def test_lines_explain_what_they_were_not_fitted_to():
    from deep_training import beside

    generator = np.random.default_rng(1)
    games, known, learnt = np.repeat(np.arange(500, dtype=np.uint32) * 20, 4), *generator.normal(size=(2, 2000))
    truth = 3 + known + 0.5 * learnt + generator.normal(size=2000)
    search, both = (beside.told_by(numbers, truth, games, False) for numbers in ([known], [known, learnt]))
    assert search.share() == pytest.approx(1 / 2.25, abs=0.05) and both.share() == pytest.approx(1.25 / 2.25, abs=0.05)
    low, high = beside.gain_range(search, both, games)
    assert 0.05 < low < both.share() - search.share() < high < 0.18
    noise = beside.told_by([known, generator.normal(size=2000)], truth, games, False)
    assert noise.share() <= search.share() + 0.002


def test_siblings_are_the_likely_moves_and_their_differences():
    from deep_training import beside

    board = empty_position(9, 9, (0, 0))
    moves = {3: (0.3, 500), 4: (0.1, 400), 5: (-0.9, 40), 6: (0.2, 100)}
    certain = (1.0, 2, {3: (0.1, 10)})
    searches = {50: [(0.0, 4, {4: (0.5, 9), 6: (0.1, 5)}), certain], 900: [(0.3, 3, moves), certain]}
    looked = beside.Looked(rows_of([board, board]), np.array([7, 8], np.uint32), searches)
    siblings = beside.siblings_of(looked, 900)
    assert siblings.columns.tolist() == [3, 4, 6] and siblings.place.tolist() == [0, 0, 0]
    assert siblings.longest == pytest.approx([0.1, -0.1, 0.0]) and siblings.is_best.tolist() == [True, False, False]
    assert positions.board_of(siblings.rows[1]) == board.play(4)
    assert beside.short_values(looked, siblings, 50) == pytest.approx([0.0, 0.2, -0.2])
    assert [beside.named(np.array(said), siblings) for said in ([2, 1, 0], [0, 1, 0])] == [1.0, 0.0]


def test_choices_are_foretold_by_what_leads_to_them_and_by_nothing_else():
    from deep_training import beside

    generator, board = np.random.default_rng(1), empty_position(9, 9, (0, 0))
    telling, noise = generator.normal(size=(2, 800, 12))
    chosen = (2 * telling[:, :9] + generator.gumbel(size=(800, 9))).argmax(1).tolist()
    moves = [{column: (-float(column != best), 10) for column in range(9)} for best in chosen]
    certain = (1.0, 2, {3: (0.1, 10)})
    searches = {900: [certain, *((0.0, best, known) for best, known in zip(chosen, moves, strict=True))]}
    games = np.append(99, np.repeat(np.arange(200), 4)).astype(np.uint32)
    looked = beside.Looked(rows_of([board] * 801), games, searches)
    choices = beside.choices_of(looked, 900)
    assert choices.place.tolist() == list(range(1, 801)) and choices.counts.sum(1).tolist() == [9] * 800
    by_noise, told = (beside.foretold_by([said], choices, games[choices.place]) for said in (noise, telling))
    assert by_noise.logs.mean() == pytest.approx(-np.log(9), abs=0.02) and by_noise.is_named.mean() < 0.2
    right = 2 * telling[:, :9] - np.log(np.exp(2 * telling[:, :9]).sum(1, keepdims=True))
    assert told.logs.mean() == pytest.approx(right[np.arange(800), chosen].mean(), abs=0.02)
    assert told.lost.tolist() == [float(not named) for named in told.is_named]
    low, high = beside.mean_range(told.logs - by_noise.logs, games[choices.place])
    assert low < (told.logs - by_noise.logs).mean() < high < low + 0.3


def sides_with_searches(folder, network):
    """Every position of the games in m.jsonl is searched once, and a line that a kill has cut is made anew."""
    known = {"name": "a 1 2", "board": [9, 9, [0, 0]], "moves": [4, 4], "short": 3, "long": 4, "values": [0.0, 0.1]}
    file = folder / "choices.jsonl"
    file.write_text(json.dumps(known) + '\n{"name": "m.jsonl 1 ')
    words = ("measure_deep", "disagreements", file, network)
    for _ in range(2):
        done = script(*words, "--record", folder / "m.jsonl", "--minutes", 10, "--iterations", 20, 200)
        assert done.returncode == 0 and "with two choices" in done.stdout and "tiny" in done.stdout
    first, *lines = map(json.loads, file.read_text().splitlines())
    records, _ = read_records(folder / "m.jsonl")
    plies = [range(4, len(record.moves) - 1) for record in records]
    expected = {f"m.jsonl {number} {ply}" for number, of_game in enumerate(plies, start=1) for ply in of_game}
    assert first == known and sorted(line["name"] for line in lines) == sorted(expected)


@pytest.mark.parametrize(
    "name, words, message",
    [
        ("train_deep", ("--minutes", "0"), "expected a number of minutes above 0, got '0'"),
        ("train_deep", ("--network", "huge"), "invalid choice: 'huge'"),
        ("train_deep", ("--name", "a/b"), "expected letters, digits and '-', got 'a/b'"),
        ("train_deep", ("--folder", "{file}"), "File exists"),
        ("train_deep", ("--folder", "{folder}", "--teacher", "nowhere"), "nowhere: No such file or directory"),
        ("play_deep", ("nowhere",), "nowhere: No such file or directory"),
        ("play_deep", ("{file}",), "not a network of scripts/train_deep"),
        ("measure_deep", ("figures", "--folder", "{folder}"), "has no positions held back"),
        ("measure_deep", ("siblings", "{folder}.jsonl"), "has no positions searched by 300, 3000, 20000, 600000"),
    ],
)
def test_what_it_cannot_begin_with_is_named(tmp_path, name, words, message):
    (tmp_path / "a file").touch()
    words = [word.format(file=tmp_path / "a file", folder=tmp_path / "a folder") for word in words]
    done = script(name, *words, stdin=subprocess.DEVNULL)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr
