"""`scripts/strength solver random|endgames`: how long the exact solver takes, and how much board it settles.

random     positions of 6 rows x 7 columns from random legal play: each one's value and the time it takes.
endgames   games between strong players, taken back from their end one move at a time until the solver no
           longer settles the position in its time: how many empty cells it settles.
The table is emptied before every position, so that none profits from another.
"""

import statistics

from strength_suite.json_lines import SuiteError
from strength_suite.positions import candidates
from strength_suite.positions.exact_positions import OUTCOMES, name_of, position_of
from strength_suite.positions.measurement import measurement
from strength_suite.positions.recorded_games import read_games
from strength_suite.positions.solving import TABLE_MB, load_solver
from strength_suite.progress import Steps

KIND_RANDOM, KIND_ENDGAMES = "solver-random", "solver-endgames"
# A game that ended with more empty cells than this was decided in the middle game: the solver would find its
# end at once however many cells are empty.
LAST_EMPTY_AT_MOST = 40


def random_positions(options, store):
    """Solve random positions; returns the exit status."""
    least, most = options.plies
    name = f"{KIND_RANDOM}_plies-{least}-{most}"
    asked = {"plies": [least, most], "limit_s": options.limit, "seed": options.seed, "table_mb": TABLE_MB}

    def conclude(found):
        summary = summarize_random(found)
        return summary, len(found) >= options.count, random_in_words(summary)

    with measurement(options, store, name, KIND_RANDOM, asked, ("position",), conclude) as answers:
        entries = _random_entries(options.count, options.plies, options.seed)
        _solve_each(
            "random positions",
            [(name_of(entry), entry) for entry in entries],
            answers,
            lambda solver, entry: _solved(solver, entry, options.limit),
            lambda answer: f"ply {answer['ply']}: {answer['outcome']} in {answer['elapsed_s']:.2f} s",
        )
    return 0


def _solve_each(title, questions, answers, solve, in_words):
    """Have the solver do what has no answer yet, and keep and tell the answers.

    questions: [(name, question)]; solve(solver, question) gives the answer, in_words(answer) tells it.
    """
    with Steps(title, len(questions), sum((name,) in answers for name, _ in questions)) as steps:
        solver = load_solver()
        for name, question in questions:
            if (name,) not in answers:
                answer = solve(solver, question)
                answers.keep(answer)
                steps.advance(in_words(answer))


def _random_entries(count, plies, seed):
    """So many different positions without a win at once."""
    entries, number = {}, 0
    while len(entries) < count:
        found = candidates.numbered("solver", lambda generator: candidates.standard(generator, plies), seed, number)
        number += 1
        if found is not None:
            entries.setdefault(found[1].key(), found[0])
    return list(entries.values())


def _solved(solver, entry, limit_s):
    """The answer on one position, the table emptied before."""
    solver.forget()
    solution = solver.solve(position_of(entry), budget_s=limit_s)
    return {
        "position": name_of(entry),
        "ply": len(entry["moves"]),
        "outcome": solution.outcome,
        "nodes": solution.nodes,
        "elapsed_s": round(solution.elapsed_s, 4),
    }


def summarize_random(answers):
    """Counts and times as a JSON object; a position that was not settled counts with the time it had."""
    times = [answer["elapsed_s"] for answer in answers]
    outcomes = [answer["outcome"] for answer in answers]
    return {
        "asked": len(answers),
        "settled": sum(outcome is not None for outcome in outcomes),
        "within_5_s": sum(answer["outcome"] is not None and answer["elapsed_s"] <= 5 for answer in answers),
        "outcomes": {name: outcomes.count(name) for name in reversed(OUTCOMES)},
        "median_s": round(statistics.median(times), 3),
        "worst_s": round(max(times), 3),
        "nodes_per_s": _nodes_per_s(answers),
    }


def _nodes_per_s(answers):
    seconds = sum(answer["elapsed_s"] for answer in answers)
    return round(sum(answer["nodes"] for answer in answers) / seconds) if seconds else None


def random_in_words(summary):
    """One line on the random positions."""
    return (
        f"{summary['settled']} of {summary['asked']} settled, {summary['within_5_s']} within 5 s; "
        f"median {summary['median_s']:g} s, worst {summary['worst_s']:g} s"
    )


def endgames(options, store):
    """Take games back until the solver fails; returns the exit status."""
    name = f"{KIND_ENDGAMES}_{options.budget:g}s"
    games = [game for game in read_games(options.games) if game.last_empty() <= LAST_EMPTY_AT_MOST][: options.count]
    if not games:
        raise SuiteError(f"no game in these files was played down to {LAST_EMPTY_AT_MOST} empty cells")
    if len(games) < options.count:
        played_down = f"were played down to {LAST_EMPTY_AT_MOST} empty cells"
        print(f"note: {len(games)} games {played_down}, {options.count} asked for")
    asked = {"budget_s": options.budget, "table_mb": TABLE_MB}

    def conclude(found):
        summary = summarize_endgames(found)
        return summary, len(found) >= len(games), endgames_in_words(summary)

    with measurement(options, store, name, KIND_ENDGAMES, asked, ("game",), conclude) as answers:
        _solve_each(
            "endgames",
            [(_name(game), game) for game in games],
            answers,
            lambda solver, game: _settled_cells(solver, game, options.budget),
            lambda answer: f"{answer['rows']}x{answer['columns']}: {answer['settled_empty']} empty cells",
        )
    return 0


def _name(game):
    return name_of({**vars(game), "moves": game.moves})


def _settled_cells(solver, game, budget_s):
    """How many empty cells are settled: the game's position with so many, and each one after it, in time."""
    solved, settled_empty = [], game.last_empty() - 1
    for empty in range(game.last_empty(), game.cells() + 1):
        answer = _solved(solver, game.entry_with(empty), budget_s)
        solved.append(answer)
        if answer["outcome"] is None:
            break
        settled_empty = empty
    return {
        "game": _name(game),
        "rows": game.rows,
        "columns": game.columns,
        "settled_empty": settled_empty,
        "last_empty": game.last_empty(),
        "nodes": sum(answer["nodes"] for answer in solved),
        "elapsed_s": round(sum(answer["elapsed_s"] for answer in solved), 3),
        "slowest_s": max(answer["elapsed_s"] for answer in solved),
    }


def summarize_endgames(answers):
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


def endgames_in_words(summary):
    """One line on the endgames."""
    cells = f"median {summary['median']:g}, worst {summary['worst']}, best {summary['best']}"
    return f"empty cells settled in {summary['games']} games: {cells}"
