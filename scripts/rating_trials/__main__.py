"""What a tournament's ratings are worth, on players whose strengths are known: `scripts/try_ratings [--players N] ..`.

For so many worlds of players it prints, of a round robin and of `--adaptive`, with the same games in all,
  covered   how many of the errors hold the truth: 95 % should;
  pairs     how many pairs of games there are until every error is as small as --target-error, and their mean.
"""

import argparse
import json
import random
import statistics

from judge.runs.tournament import InTurn, round_robin_order
from judge.statistics.ratings import ELO
from option_types import count
from rating_trials.simulation import Course, adaptive, covered, drawn_world, pairs_to_error

STEP = 8  # pairs between two looks at the errors
MODES = ("round robin", "adaptive")


def plan_for(mode, world, course, seed, rounds, target):
    """The plan of a tournament that is to play so many rounds."""
    order = round_robin_order(len(world.strengths))
    return InTurn(order, rounds) if mode == MODES[0] else adaptive(world, course, rounds * len(order), seed, target)


def trial(mode, number, options):
    """(whether each error holds after so many rounds, pairs until the target or None) of one world."""
    found = []
    for target in (0.0, options.target_error):
        chance = random.Random(f"{options.seed} {number}")
        others = {"first_move": options.first_move / ELO, "draw": options.draw}
        others["board_deviation"] = options.board_deviation / ELO
        world = drawn_world(options.players, options.spread, chance, **others)
        course = Course(world, chance)
        rounds = options.rounds if not target else options.most_rounds
        plan = plan_for(mode, world, course, number, rounds, target)
        pairs = rounds * len(round_robin_order(options.players))
        if target:
            found.append(pairs_to_error(world, plan, course, target, pairs, STEP))
        else:
            course.play(plan, pairs)
            found.append([is_held for is_held in covered(world, course.boards) if is_held is not None])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=count, default=8)
    parser.add_argument("--spread", type=float, default=250.0, help="deviation of the strengths, Elo")
    parser.add_argument("--first-move", type=float, default=50.0, help="what moving first is worth, Elo")
    parser.add_argument("--draw", type=float, default=0.1, help="the weight of draws, 1 is a third between equals")
    parser.add_argument("--board-deviation", type=float, default=150.0, help="of what a board adds to that, Elo")
    parser.add_argument("--rounds", type=count, default=8)
    parser.add_argument("--target-error", type=float, default=50.0, help="Elo")
    parser.add_argument("--most-rounds", type=count, default=200, help="give a world up after so many")
    parser.add_argument("--worlds", type=count, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.players < 2:
        parser.error("--players: at least two")
    found = {}
    for mode in MODES:
        trials = [trial(mode, number, options) for number in range(options.worlds)]
        held = [is_held for one, _pairs in trials for is_held in one]
        pairs = [pairs for _one, pairs in trials]
        reached = [number for number in pairs if number is not None]
        found[mode] = {
            "covered": round(sum(held) / len(held), 4) if held else None,
            "errors": len(held),
            "pairs": pairs,
            "mean_pairs": round(statistics.fmean(reached), 1) if reached else None,
        }
    if options.json:
        print(json.dumps(found))
        return
    for mode, figures in found.items():
        shown = " ".join("-" if number is None else str(number) for number in figures["pairs"])
        covered_share = "-" if figures["covered"] is None else f"{figures['covered']:.1%}"
        mean = "-" if figures["mean_pairs"] is None else figures["mean_pairs"]
        print(f"{mode:12} covered {covered_share} of {figures['errors']}")
        print(f"{'':12} pairs to +-{options.target_error:g}: mean {mean}: {shown}")


if __name__ == "__main__":
    main()
