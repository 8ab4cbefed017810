"""`scripts/strength positions`: how many of the bot's moves keep the value of positions known exactly."""

import itertools

from checkout import revision
from strength_suite.json_lines import Answers
from strength_suite.positions.exact_positions import keeps_value, name_of, position_of, random_share, read_suite, spread
from strength_suite.positions.solving import load_kernels
from strength_suite.progress import Steps
from strength_suite.runs.players import ADAPTER, settings_of
from strength_suite.runs.store import file_name

KIND = "positions"


def main(options, store):
    """Ask for a move in every position at every budget; returns the exit status."""
    settings = settings_of(options.preset)
    entries = spread(read_suite(options.suite), options.limit_count)
    name = file_name(KIND, options.preset)
    asked = {
        "preset": options.preset,
        "seed": options.seed,
        "memory_mb": options.memory,
        "revision": revision("--tags"),
    }
    answers = Answers(store.record(name), asked, ("budget_s", "position"), options.resume)
    questions = [(budget_s, name_of(entry)) for budget_s in options.budgets for entry in entries]
    try:
        _ask(settings, {name_of(entry): entry for entry in entries}, questions, answers, options)
    finally:
        answers.reread()
        if answers.found:
            complete = all(question in answers for question in questions)
            summary = summarize(read_suite(options.suite), answers.found)
            store.export(name, KIND, complete, {**asked, "positions": len(entries)}, summary, asked["revision"])
            for row in summary["rows"]:
                print(in_words(row))
    return 0


def _ask(settings, entries, questions, answers, options):
    """A new engine for every question: no tree and no table of another position may help."""
    kernels = load_kernels()
    kept = sum(answer["kept"] for answer in answers.found.values())
    with Steps(f"positions, {options.preset}", len(questions), sum(map(answers.__contains__, questions))) as steps:
        for budget_s, position in questions:
            if (budget_s, position) in answers:
                continue
            entry = entries[position]
            engine = ADAPTER.make_engine(kernels, settings, options.memory, options.seed)
            decision = engine.think(position_of(entry), budget_s=budget_s)
            answer = {
                "budget_s": budget_s,
                "position": position,
                "column": decision.move,
                "kept": keeps_value(entry, decision.move),
                "proven": decision.proven,
                "iterations": decision.iterations,
                "elapsed_s": round(decision.elapsed_s, 4),
            }
            answers.keep(answer)
            kept += answer["kept"]
            steps.advance(f"{kept} of {len(answers.found)} kept the value")


def summarize(entries, answers):
    """Counts for each budget and kind of position, as a JSON object; the kind "all" comes last.

    entries: the suite; answers: {(budget in seconds, name of a position): answer}.
    """
    kinds = sorted({entry["kind"] for entry in entries})
    rows = []
    for budget_s, kind in itertools.product(sorted({budget_s for budget_s, _ in answers}), [*kinds, "all"]):
        chosen = [entry for entry in entries if kind in (entry["kind"], "all")]
        asked = [entry for entry in chosen if (budget_s, name_of(entry)) in answers]
        found = [answers[budget_s, name_of(entry)] for entry in asked]
        if found:
            rows.append(
                {
                    "kind": kind,
                    "budget_s": budget_s,
                    "asked": len(found),
                    "kept": sum(answer["kept"] for answer in found),
                    "proven": sum(answer["proven"] is not None for answer in found),
                    "slowest_s": max(answer["elapsed_s"] for answer in found),
                    "random_share": round(sum(map(random_share, asked)) / len(asked), 4),
                }
            )
    return {"rows": rows}


def in_words(row):
    """One line on a row of the summary."""
    share = f"{row['kept']} of {row['asked']} moves keep the value ({row['kept'] / row['asked']:.1%})"
    return f"{row['budget_s']:g} s, {row['kind']}: {share}"
