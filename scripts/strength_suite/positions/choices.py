"""`scripts/strength choices`: how many of the bot's turns at dots and boxes win on where the solver says "won".

In three steps, each of which can be stopped and goes on: positions from random safe play are solved until so many are
won for the side to move (a lost one would be a question without a wrong answer); the bot is asked for its turn in each,
a new engine for each; the positions after its turn and after a random safe edge are solved. What the first step finds
is true of every version of the bot, so it has a record of its own, which every run goes on with.
"""

import random

from bot.games import adapter_of
from bot.games.dots.board import turn_of
from bot.games.dots.notation import edges_named, name_of
from bot.games.dots.plain import numbers_of, safe_edges
from bot.games.dots.solver_engine import SolverEngine, deciding_window
from dots_solving.safe_play import safely_drawn
from strength_suite.json_lines import Answers, SuiteError
from strength_suite.positions.measurement import measurement
from strength_suite.positions.solving import load_kernels
from strength_suite.progress import Steps
from strength_suite.runs.players import settings_of
from strength_suite.runs.store import file_name

KIND = "choices"
ADAPTER = adapter_of("dots")
TABLE_MB = 1024
TURN, VALUE = "turn", "value"  # steps of a run


def main(options, store):
    """Make the positions, ask the bot and judge its turns; returns the exit status."""
    settings = settings_of(options.preset, ADAPTER)
    asked = {
        "preset": options.preset,
        "size": list(options.size),
        "free": options.free,
        "count": options.count,
        "budget_s": options.budget,
        "memory_mb": ADAPTER.DEFAULT_MEMORY_MB,
        "seed": options.seed,
    }
    size = "x".join(map(str, options.size))
    name = file_name(KIND, options.preset, size, f"{options.free}-free", f"{options.budget:g}s")
    facts = {"size": list(options.size), "free": options.free, "seed": options.seed}
    won_name = file_name("won", size, f"{options.free}-free", str(options.seed))

    def conclude(found):
        summary = summarize(found)
        return (summary, summary["asked"] == options.count, in_words(summary)) if summary["asked"] else None

    with measurement(options, store, name, KIND, asked, ("step", "candidate"), conclude) as answers:
        positions = Answers(store.record(won_name), facts, ("candidate",), resume=True)
        kernels = load_kernels("dots")
        with Steps(f"positions won with {options.free} free edges", options.count, _count_won(positions)) as steps:
            won = _won_positions(kernels, positions, options, steps)
        with Steps(f"turns of {options.preset}", options.count, _done(TURN, won, answers)) as steps:
            _ask(kernels, settings, won, answers, options, steps)
        with Steps("turns judged", options.count, _done(VALUE, won, answers)) as steps:
            _judge(kernels, won, answers, options, steps)
    return 0


def _count_won(positions):
    return sum(answer["value"] == 1 for answer in positions.found.values())


def _done(step, won, answers):
    return sum((step, number) in answers for number in won)


def _candidate(number, options):
    """The numbered Position, the same in every run with these options."""
    generator = random.Random(f"{options.seed} {number}")
    position = safely_drawn(generator, *options.size, options.free)
    if position is None:
        raise SuiteError(f"no safe play leaves {options.free} free edges on {options.size[0]}x{options.size[1]}")
    return position


def _sign(engine, position):
    """1, 0 or -1: whether the side to move gets more boxes from here on, as many or fewer. `engine`: a SolverEngine."""
    found = engine.solve(position, window=deciding_window(position))
    return 1 if found.lower > 0 else -1 if found.upper < 0 else 0


def _won_positions(kernels, positions, options, steps):
    """{number: Position} of the first candidates that are won, as many as asked for."""
    engine = SolverEngine(kernels, TABLE_MB)
    won, number = {}, 0
    while len(won) < options.count:
        position = _candidate(number, options)
        if (number,) not in positions:
            value = _sign(engine, position)
            positions.keep({"candidate": number, "value": value})
            if value == 1:
                steps.advance(f"candidate {number}")
        if positions.found[number,]["value"] == 1:
            won[number] = position
        number += 1
    return won


def _ask(kernels, settings, won, answers, options, steps):
    """A new engine for every position: no tree and no table of another one may help."""
    for number, position in won.items():
        if (TURN, number) in answers:
            continue
        engine = ADAPTER.make_engine(kernels, settings, ADAPTER.DEFAULT_MEMORY_MB, options.seed)
        decision = engine.think(position, budget_s=options.budget)
        answers.keep(
            {
                "step": TURN,
                "candidate": number,
                "edges": name_of(turn_of(numbers_of(position.edges))),
                "turn": name_of(decision.move),
                "value": round(decision.value, 4),
                "proven": decision.proven,
                "iterations": decision.iterations,
                "elapsed_s": round(decision.elapsed_s, 4),
            }
        )
        steps.advance(f"candidate {number}: {name_of(decision.move)}")


def _judge(kernels, won, answers, options, steps):
    """Solve what the bot's turn leads to, and a random safe edge."""
    engine = SolverEngine(kernels, TABLE_MB)
    for number, position in won.items():
        if (VALUE, number) in answers:
            continue
        generator = random.Random(f"{options.seed} {number} edge")
        turn = turn_of(edges_named(answers.found[TURN, number]["turn"]))
        chance = turn_of([generator.choice(numbers_of(safe_edges(position)) or position.legal_edges())])
        kept, chance_kept = (engine.outcome_after(position, move) == "win" for move in (turn, chance))
        answers.keep({"step": VALUE, "candidate": number, "kept": kept, "random_kept": chance_kept})
        steps.advance(f"candidate {number}: {'kept' if kept else 'given away'}")


def summarize(answers):
    """Counts as a JSON object; answers: a list of those of both steps. Only judged turns count."""
    values = [answer for answer in answers if answer["step"] == VALUE]
    judged = {answer["candidate"] for answer in values}
    turns = [answer for answer in answers if answer["step"] == TURN and answer["candidate"] in judged]
    return {
        "asked": len(values),
        "kept": sum(answer["kept"] for answer in values),
        "random_kept": sum(answer["random_kept"] for answer in values),
        "proven": sum(answer["proven"] is not None for answer in turns),
        "slowest_s": max((answer["elapsed_s"] for answer in turns), default=0.0),
    }


def in_words(summary):
    """One line on the turns."""
    asked = summary["asked"]
    return (
        f"{summary['kept']} of {asked} turns keep the win ({summary['kept'] / asked:.1%}), "
        f"{summary['random_kept']} of {asked} random safe edges; {summary['proven']} called proven"
    )
