"""Connect four positions of known value: how many moves of the bot keep it, and how long the exact solver takes.

positions         the positions of tests/positions/exact.jsonl, the value of every move of which is known
solver-random     positions of 6 rows x 7 columns from random legal play: each one's value and the time it takes
solver-endgames   games between strong players, taken back from their end one move at a time until the solver no longer
                  settles the position in its time: how many empty cells it settles
An engine, or the solver's table, is new for every position: no tree and no table of another one may help.
"""

import gzip
import itertools
import json
import random
import statistics
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import track

from bot.backends.compiled import Kernels, KernelsUnavailable
from bot.games import adapter_of
from bot.games.connect_four.plain import empty_position, winning_cells
from bot.games.connect_four.solver_engine import SolverEngine
from checkout import CHECKOUT, revision
from measurement.kept import Answers, MeasureError, Run, file_name
from protocol.records.record import GameRecord, RecordError, Termination

GAME = "connect_four"
SUITE = CHECKOUT / "tests" / "positions" / "exact.jsonl"
OUTCOMES = ("win", "draw", "loss")
TABLE_MB = 256
RANDOM_ROWS, RANDOM_COLUMNS = 6, 7
SOON_S = 5.0
# A game that ended with more empty cells than this was decided in the middle game: the solver would find its end at
# once however many cells are empty.
LAST_EMPTY_AT_MOST = 40


def settings_of(text, adapter):
    """The settings value of "NAME[+KEY=VALUE...]", such as "default+solver=false". Raises MeasureError."""
    name, *assignments = text.split("+")
    try:
        return adapter.preset(name).with_values(assignments)
    except adapter.SettingsError as error:
        raise MeasureError(f"{text!r}: {error}") from error


def load_kernels(game):
    """A game's compiled entry points. Raises MeasureError where there are none to be had."""
    try:
        return Kernels(game).obtain(report=lambda text: print(text, file=sys.stderr))
    except KernelsUnavailable as error:
        raise MeasureError(str(error)) from error


def answered(run, key, questions, answer, summarize, in_words):
    """Answer the questions that the run has no answer to yet, keep all, and print the summary, however it ends.

    questions: {key of an answer: what answer(..) takes}; summarize(answers) gives a JSON object, in_words(it) lines.
    """
    of_bot = revision("--tags")
    answers = Answers(run, of_bot, key)
    try:
        left = [question for name, question in questions.items() if name not in answers.found]
        for question in track(left, run.name, console=Console(stderr=True), transient=True):
            answers.keep(answer(question))
    finally:
        answers.reread()
        if answers.found:
            summary = summarize(list(answers.found.values()))
            run.keep(summary, answers.found.keys() >= questions.keys(), of_bot)
            print(*in_words(summary), sep="\n")
    return 0


def start_of(rows, columns, forbidden):
    """The empty board; forbidden is [row from the top, column] or None."""
    return empty_position(rows, columns, None if forbidden is None else (rows - 1 - forbidden[0], forbidden[1]))


def position_of(entry):
    """The Position of an entry of the suite, for its side to move. Raises MeasureError where a move is not legal."""
    position = start_of(entry["rows"], entry["columns"], entry["forbidden"])
    for ply, column in enumerate(entry["moves"], start=1):
        if position.opponent_has_won() or column not in position.legal_moves():
            raise MeasureError(f"{entry}: move {ply} is not legal")
        position = position.play(column)
    return position


def name_of(entry):
    """A text that tells positions apart: size, forbidden cell, moves."""
    forbidden = "-" if entry["forbidden"] is None else ",".join(map(str, entry["forbidden"]))
    return f"{entry['rows']}x{entry['columns']} {forbidden} {','.join(map(str, entry['moves']))}"


def empty_cells(position):
    """How many stones can still be dropped."""
    return position.rows * position.columns - bool(position.forbidden) - position.plies()


def suite(path, count=None):
    """{name: entry} of the suite in a file, or of so many of them at even distances. Raises MeasureError."""
    try:
        entries = [json.loads(line) for line in Path(path).read_text("ascii").splitlines()]
    except (OSError, ValueError) as error:
        raise MeasureError(f"{path} is no file of positions: {error}") from error
    if count is not None and count < len(entries):
        entries = [entries[index * len(entries) // count] for index in range(count)]
    return {name_of(entry): entry for entry in entries}


def of_suite(options):
    """Ask for a move in every position at every budget."""
    adapter = adapter_of(GAME)
    settings, entries = settings_of(options.preset, adapter), suite(options.suite, options.limit_count)
    kernels = load_kernels(GAME)

    def answer(question):
        budget_s, name = question
        engine = adapter.make_engine(kernels, settings, options.memory, options.seed)
        decision = engine.think(position_of(entries[name]), budget_s=budget_s)
        return {
            "budget_s": budget_s,
            "position": name,
            "column": decision.move,
            "kept": keeps_value(entries[name], decision.move),
            "proven": decision.proven,
            "iterations": decision.iterations,
            "elapsed_s": round(decision.elapsed_s, 4),
        }

    asked = {"preset": options.preset, "seed": options.seed, "memory_mb": options.memory, "positions": len(entries)}
    run = Run("positions", file_name("positions", options.preset), asked, options)
    questions = {question: question for question in itertools.product(options.budgets, entries)}
    whole = suite(options.suite)
    return answered(
        run, ("budget_s", "position"), questions, answer, lambda found: summary_of_suite(whole, found), _rows_in_words
    )


def keeps_value(entry, column):
    """Whether that move leaves the side that plays it what the position is worth."""
    return entry["moves_values"][str(column)] == entry["value"]


def random_share(entry):
    """The share of an entry's legal moves that keep its value: what a random player scores."""
    return sum(value == entry["value"] for value in entry["moves_values"].values()) / len(entry["moves_values"])


def summary_of_suite(entries, answers):
    """Counts for each budget and kind of position, as a JSON object; the kind "all" comes last."""
    rows = []
    budgets = sorted({answer["budget_s"] for answer in answers})
    kinds = sorted({entry["kind"] for entry in entries.values()})
    for budget_s, kind in itertools.product(budgets, [*kinds, "all"]):
        found = [
            answer
            for answer in answers
            if answer["budget_s"] == budget_s and kind in (entries[answer["position"]]["kind"], "all")
        ]
        if found:
            shares = [random_share(entries[answer["position"]]) for answer in found]
            rows.append(
                {
                    "kind": kind,
                    "budget_s": budget_s,
                    "asked": len(found),
                    "kept": sum(answer["kept"] for answer in found),
                    "proven": sum(answer["proven"] is not None for answer in found),
                    "slowest_s": max(answer["elapsed_s"] for answer in found),
                    "random_share": round(sum(shares) / len(shares), 4),
                }
            )
    return {"rows": rows}


def _rows_in_words(summary):
    for row in summary["rows"]:
        share = f"{row['kept']} of {row['asked']} moves keep the value ({row['kept'] / row['asked']:.1%})"
        yield f"{row['budget_s']:g} s, {row['kind']}: {share}"


def solver_random(options):
    """Solve positions from random legal play."""
    least, most = options.plies
    solver = SolverEngine(load_kernels(GAME), table_mb=TABLE_MB)
    asked = {"plies": [least, most], "limit_s": options.limit, "seed": options.seed, "table_mb": TABLE_MB}
    run = Run("solver-random", f"solver-random_plies-{least}-{most}", asked, options)
    questions = random_positions(options.count, options.plies, options.seed)
    return answered(
        run,
        ("position",),
        {(name,): (name, position) for name, position in questions.items()},
        lambda question: _solved(solver, *question, options.limit),
        summary_of_random,
        lambda summary: [
            f"{summary['settled']} of {summary['asked']} settled, {summary['within_5_s']} within 5 s; "
            f"median {summary['median_s']:g} s, worst {summary['worst_s']:g} s"
        ],
    )


def random_positions(count, plies, seed):
    """{name: Position} of so many different positions without a win at once, after so many plies (least, most)."""
    found, keys = {}, set()
    for number in itertools.count():
        if len(found) == count:
            return found
        generator = random.Random(f"dropfour/{seed}/solver/{number}")
        entry = _random_play(generator, generator.randint(*plies))
        position = position_of(entry) if entry else None
        if position and not winning_cells(position.own) & position.floor and position.key() not in keys:
            keys.add(position.key())
            found[name_of(entry)] = position


def _random_play(generator, plies):
    """The entry of a position after so many random legal moves; None where the game is over by then."""
    position, moves = start_of(RANDOM_ROWS, RANDOM_COLUMNS, None), []
    while position.floor and not position.opponent_has_won():
        if len(moves) == plies:
            return {"rows": RANDOM_ROWS, "columns": RANDOM_COLUMNS, "forbidden": None, "moves": moves}
        moves.append(generator.choice(position.legal_moves()))
        position = position.play(moves[-1])
    return None


def _solved(solver, name, position, limit_s):
    """The answer on one position, the table emptied before."""
    solver.forget()
    solution = solver.solve(position, budget_s=limit_s)
    return {
        "position": name,
        "ply": position.plies(),
        "outcome": solution.outcome,
        "nodes": solution.nodes,
        "elapsed_s": round(solution.elapsed_s, 4),
    }


def summary_of_random(answers):
    """Counts and times as a JSON object; a position that was not settled counts with the time it had."""
    times = [answer["elapsed_s"] for answer in answers]
    outcomes = [answer["outcome"] for answer in answers]
    return {
        "asked": len(answers),
        "settled": sum(outcome is not None for outcome in outcomes),
        "within_5_s": sum(answer["outcome"] is not None and answer["elapsed_s"] <= SOON_S for answer in answers),
        "outcomes": {name: outcomes.count(name) for name in OUTCOMES},
        "median_s": round(statistics.median(times), 3),
        "worst_s": round(max(times), 3),
        "nodes_per_s": _nodes_per_s(answers),
    }


def _nodes_per_s(answers):
    elapsed_s = sum(answer["elapsed_s"] for answer in answers)
    return round(sum(answer["nodes"] for answer in answers) / elapsed_s) if elapsed_s else None


def solver_endgames(options):
    """Take games back until the solver fails."""
    games = dict(itertools.islice(dict(_played_down(options.games)).items(), options.count))  # each once
    if not games:
        raise MeasureError(f"no game in these files was played down to {LAST_EMPTY_AT_MOST} empty cells")
    solver = SolverEngine(load_kernels(GAME), table_mb=TABLE_MB)
    asked = {"budget_s": options.budget, "table_mb": TABLE_MB}
    run = Run("solver-endgames", f"solver-endgames_{options.budget:g}s", asked, options)
    return answered(
        run,
        ("game",),
        {(name,): (name, positions) for name, positions in games.items()},
        lambda question: settled_cells(solver, *question, options.budget),
        summary_of_endgames,
        lambda summary: [
            f"empty cells settled in {summary['games']} games: "
            f"median {summary['median']:g}, worst {summary['worst']}, best {summary['best']}"
        ],
    )


def _played_down(paths):
    """(name, positions before each move) of the connect four games in record files, plain or .gz, that ended late."""
    for path in map(Path, paths):
        try:
            content = path.read_bytes()
            lines = (gzip.decompress(content) if path.suffix == ".gz" else content).splitlines()
            records = [GameRecord.from_json(line) for line in lines]
        except (OSError, EOFError, RecordError) as error:
            raise MeasureError(f"{path} cannot be read: {error}") from error
        for record in records:
            if record.game == GAME and record.termination is Termination.NORMAL:
                entry, positions = course(record.board, [move.move for move in record.moves])
                if empty_cells(positions[-1]) <= LAST_EMPTY_AT_MOST:
                    yield name_of(entry), positions


def course(board, moves):
    """(the entry of a game's end, the positions before each of its moves); board: as in records."""
    entry = {"rows": board["rows"], "columns": board["cols"], "forbidden": board["forbidden"], "moves": moves}
    positions = [position_of({**entry, "moves": []})]
    for column in moves[:-1]:
        positions.append(positions[-1].play(column))
    return entry, positions


def settled_cells(solver, name, positions, budget_s):
    """How many empty cells of a game are settled: its position with so many, and each one after it, in time."""
    solved, settled = [], empty_cells(positions[-1]) - 1
    for position in reversed(positions):
        solved.append(_solved(solver, name, position, budget_s))
        if solved[-1]["outcome"] is None:
            break
        settled = empty_cells(position)
    return {
        "game": name,
        "rows": positions[0].rows,
        "columns": positions[0].columns,
        "settled_empty": settled,
        "last_empty": empty_cells(positions[-1]),
        "nodes": sum(answer["nodes"] for answer in solved),
        "elapsed_s": round(sum(answer["elapsed_s"] for answer in solved), 3),
        "slowest_s": max(answer["elapsed_s"] for answer in solved),
    }


def summary_of_endgames(answers):
    """Empty cells settled in the games, as a JSON object."""
    cells = [answer["settled_empty"] for answer in answers]
    return {
        "games": len(answers),
        "median": statistics.median(cells),
        "worst": min(cells),
        "best": max(cells),
        "slowest_s": max(answer["slowest_s"] for answer in answers),
        "nodes_per_s": _nodes_per_s(answers),
    }
