"""`scripts/measure_deep`: what deep networks know, beside the network in use and the search.

figures: how much of held-back games each explains. together: what a look adds to a search of who wins. siblings: what
it adds of which move is better. choices: what a policy adds of which move a longer search chooses. disagreements: whom
it sides with where a short and a long search of the bot choose different moves. speed: evaluations a second on a core.
"""

import argparse
import json
import random
import sys
import time
from concurrent.futures import FIRST_COMPLETED, wait
from pathlib import Path

import numpy as np
import torch
from rich import box
from rich.console import Console
from rich.table import Table

from bot.backends.compiled import Kernels
from bot.games.connect_four.adapter import GAME
from bot.games.connect_four.config import DEFAULT
from bot.games.connect_four.network_weights import NETWORK_FILE
from bot.games.connect_four.plain import empty_position
from bot.games.connect_four.uct_engine import UctEngine
from bot.search.limits import PROCESS_MB
from connect_four_training.positions import POSITION, board_of, row_of
from connect_four_training.rounds import TrainingError, players, progress_bar
from deep_training import beside, learning
from deep_training.__main__ import DEFAULT_FOLDER, print_figures
from deep_training.board import COLUMNS, ROWS
from deep_training.network import SIZES, Network, NetworkError, load_network
from deep_training.picture import picture
from option_types import count, minutes
from protocol.records.json_lines import RecordError
from protocol.records.record import read_records
from stopping import stop_like_ctrl_c
from whole_file import written_whole

SEARCH_MB, BOT_MB = 256, 800
SHORT, LONG = 600_000, 18_000_000  # iterations: what the default does in a second, and in thirty
TOGETHER, SIBLINGS = (3_000, 30_000, 300_000), (300, 3_000, 20_000, 600_000)  # iterations
CHOICES = 64, 256, 1_000, 5_000, 200_000  # iterations
SURE = 0.7  # of the visits, by which the most visited move leads
EARLIEST_PLY = 4
TRIALS, TRIAL_S = 5, 1.0  # of a speed; the best is told
BATCHES = (1, 8, 32)
STOPPED_STATUS, REFUSED_STATUS = 130, 2


def main(words):
    """Run the command; returns the exit status."""
    options = _parser().parse_args(words)
    stop_like_ctrl_c()
    try:
        options.command(options)
    except (NetworkError, RecordError, TrainingError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return REFUSED_STATUS
    except KeyboardInterrupt:
        return STOPPED_STATUS
    return 0


def _figures(options):
    """The table of networks, the network in use and searches, on the same positions held back."""
    networks = [(path.stem, load_network(path)) for path in options.networks]
    rows = learning.judged(learning.read_known(options.folder), options.most)
    if not len(rows):
        raise TrainingError(f"{options.folder} has no positions held back; scripts/train_deep plays")
    judged = [(name, learning.figures_of(rows, *learning.evaluate(network, rows, "cpu"))) for name, network in networks]
    judged.append(("network in use", _without_nats(learning.figures_of(rows, *_in_use(rows)))))
    for iterations in options.search:
        found = learning.figures_of(rows, *_searched(rows, iterations))
        judged.append((f"search of {iterations:,}", _without_nats(found)))
    print_figures(judged, f"{len(rows):,} positions held back")
    print("positions: " + ", ".join(f"{number:,} {phase}" for phase, number in judged[0][1].counts.items()))
    if options.picture and networks:
        names = {size: name for name, size in SIZES.items()}
        drawn = [
            (names[network.size], network.made["positions"], figures)
            for (_, network), (_, figures) in zip(networks, judged, strict=False)
        ]
        with written_whole(options.picture) as unfinished:
            unfinished.write_text(picture(drawn, judged[len(networks) :]), encoding="utf-8")


def _without_nats(figures):
    """Searches and the network in use name moves but say no chances."""
    return figures._replace(nats=None)


def _engine(**changes):
    settings = DEFAULT._replace(solver=False, **changes)
    return UctEngine(Kernels(GAME).obtain(), settings, PROCESS_MB + SEARCH_MB, 1, NETWORK_FILE.stored()[0])


def _in_use(rows):
    """(values, scores of the columns) by the network that the bot has; a move's score is the value it leads to."""
    engine = _engine()
    values, scores = np.zeros(len(rows), np.float32), np.full((len(rows), COLUMNS), -1.0, np.float32)
    for number, row in enumerate(rows):
        values[number], of_moves = engine.static_values(board_of(row))
        for column, value in of_moves.items():
            scores[number, column] = value
    return values, scores


def _searched(rows, iterations):
    """The same by a search of so many iterations; its move has the best score."""
    values, scores = np.zeros(len(rows), np.float32), np.zeros((len(rows), COLUMNS), np.float32)
    engine = _engine(keep_tree=False)
    with progress_bar(f"search {iterations:,}", len(rows)) as say:
        for number, row in enumerate(rows):
            decision = engine.think(board_of(row), iterations=iterations)
            values[number], scores[number, decision.move] = decision.value, 1.0
            say(number + 1, "")
    return values, scores


def _looked(options):
    """The positions of the file that the command measures on, after more of them are searched."""
    if options.minutes:
        beside.look_for_more(options.file, options.folder, options.minutes, options.iterations, options.jobs)
    return beside.read_looked(options.file, options.iterations)


def _together(options):
    """What a look adds to searches of who wins, by phase: the share of the result's variance that both explain."""
    looked = _looked(options)
    networks = {path.stem: learning.evaluate(load_network(path), looked.rows, "cpu")[0] for path in options.networks}
    networks["network in use"] = _in_use(looked.rows)[0]
    phases, results = learning.phase_of(looked.rows), looked.rows["result"].astype(np.float64)
    table = _table("free cells", "search", "alone", "beside", "explains", "gains", "95 %")
    for phase, *_ in learning.PHASES:
        chosen = phases == phase
        truth, games = results[chosen], looked.games[chosen]
        if len(np.unique(games)) < beside.PARTS:
            continue
        for iterations in options.iterations:
            value = np.array([value for value, *_ in looked.searches[iterations]])[chosen]
            search = beside.told_by([value], truth, games, False)
            table.add_row(f"{phase}: {len(truth):,}", f"{iterations:,}", "", "", f"{search.share():.3f}")
            for name, said in networks.items():
                alone = beside.told_by([said[chosen]], truth, games, False)
                both = beside.told_by([value, said[chosen]], truth, games, False)
                table.add_row("", "", f"{alone.share():.3f}", name, *_gained(search, both, games))
    Console().print(table)


def _siblings(options):
    """What a look adds to searches of which move is better: the share of a long search's differences explained."""
    *shorter, longest = options.iterations
    looked = _looked(options)
    siblings = beside.siblings_of(looked, longest)
    games = looked.games[siblings.place]
    predictors = {}
    for path in options.networks:
        network = load_network(path)
        predictors[path.stem] = -learning.evaluate(network, siblings.rows, "cpu")[0]
        policies = learning.evaluate(network, looked.rows, "cpu")[1]
        predictors[f"policy of {path.stem}"] = policies[siblings.place, siblings.columns]
    predictors["network in use"] = -_in_use(siblings.rows)[0]
    predictors = {name: beside.centred(said.astype(np.float64), siblings.place) for name, said in predictors.items()}
    searches = {count: beside.short_values(looked, siblings, count) for count in shorter}
    spreads = {f"{iterations:,}": value for iterations, value in (*searches.items(), (longest, siblings.longest))}
    print(f"{len(np.unique(siblings.place)):,} positions, {len(games):,} moves; standard deviations among siblings:")
    print("  " + ", ".join(f"{name}: {np.std(value):.3f}" for name, value in (spreads | predictors).items()))
    table = _table("iterations", "beside", "explains", "gains", "95 %", "named")
    nothing = np.zeros(len(games))
    for iterations, value in {0: nothing, **searches}.items():
        search = beside.told_by([value], siblings.longest, games, True)
        if iterations:
            table.add_row(f"{iterations:,}", "", f"{search.share():.3f}", "", "", _named(search, siblings))
        for name, said in predictors.items():
            both = beside.told_by([value, said], siblings.longest, games, True)
            table.add_row("" if iterations else "none", name, *_gained(search, both, games), _named(both, siblings))
    Console().print(table)


def _choices_told(options):
    """What a policy adds to searches of which move a longer one chooses, by phase."""
    *shorter, longest = options.iterations
    looked = _looked(options)
    every = beside.choices_of(looked, longest)
    phases, networks = learning.phase_of(looked.rows), [(path.stem, load_network(path)) for path in options.networks]
    for phase in ("all", *(name for name, *_ in learning.PHASES)):
        choices = beside.Choices(*(part[(phase == "all") | (phases[every.place] == phase)] for part in every))
        games = looked.games[choices.place]
        if phase != "all" and len(np.unique(games)) < beside.PARTS:
            continue
        rows = looked.rows[choices.place]
        policies = {
            name: np.where(choices.counts, learning.evaluate(network, rows, "cpu")[1], 0).astype(np.float64)
            for name, network in networks
        }
        title = f"{phase}: {len(games):,} positions of {len(np.unique(games)):,} games"
        table = _table("iterations", "beside", "names", "log of its chance", "gains", "95 %", "loses")
        table.title, table.title_justify = title, "left"
        for iterations in (0, *shorter):
            search = _told_by_search(looked, choices, iterations)
            alone = beside.foretold_by(search, choices, games)
            table.add_row(f"{iterations:,}" if iterations else "none", "", *_foretold(alone, alone, games))
            for name, policy in policies.items():
                both = beside.foretold_by([*search, policy], choices, games)
                table.add_row("", name, *_foretold(alone, both, games))
        Console().print(table)


def _told_by_search(looked, choices, iterations):
    """What a search says of each move: the log of its visits, and its value; nothing, by no iterations."""
    if not iterations:
        return [np.zeros(choices.counts.shape)]
    visits, values = beside.moves_of(looked, choices.place, iterations)
    whole = np.array([looked.searches[iterations][place][0] for place in choices.place])
    return [np.log1p(visits), np.where(np.isnan(values), whole[:, None], values)]


def _foretold(before, after, games):
    gains = ("", "")
    if after is not before:
        low, high = beside.mean_range(after.logs - before.logs, games)
        gains = f"{(after.logs - before.logs).mean():+.2f}", f"{low:+.2f} to {high:+.2f}"
    return f"{after.is_named.mean():.1%}", f"{after.logs.mean():.2f}", *gains, f"{after.lost.mean():.3f}"


def _table(*headings):
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    return table


def _gained(before, after, games):
    """What is explained, what of it is gained, and the range of that."""
    low, high = beside.gain_range(before, after, games)
    return f"{after.share():.3f}", f"{after.share() - before.share():+.3f}", f"{low:.3f} to {high:.3f}"


def _named(told, siblings):
    return f"{beside.named(told.predicted, siblings):.1%}"


def _a_second(action):
    """How often a second the action runs, the best of some trials."""
    action()
    best = 0.0
    for _ in range(TRIALS):
        began, done = time.perf_counter(), 0
        while (passed := time.perf_counter() - began) < TRIAL_S:
            action()
            done += 1
        best = max(best, done / passed)
    return best


def _speed(options):
    """Evaluations a second of every size by PyTorch on one core."""
    torch.set_num_threads(1)
    print(f"PyTorch {torch.__version__}, one thread; positions a second on boards of {COLUMNS}x{ROWS}")
    for name, size in SIZES.items():
        network = Network(size).eval()
        weights = sum(tensor.numel() for tensor in network.parameters())
        said = []
        for batch in BATCHES:
            rows = np.array([row_of(empty_position(ROWS, COLUMNS, None), 0, False, 0.0, 0)] * batch, POSITION)
            evaluations = batch * _a_second(lambda: learning.evaluate(network, rows, "cpu"))  # noqa: B023
            said.append(f"{evaluations:,.0f} by {batch}")
        print(f"{name}, {weights:,} weights: {', '.join(said)}")


def _disagreements(options):
    """Whom networks side with where the bot's choice changes with its time: by policy, and by value after the move."""
    if options.minutes:
        if options.record is None:
            raise TrainingError("--minutes needs --record GAMES to look in")
        _look_for_disagreements(options)
    found = [kept for kept in beside.kept_lines(options.file) if kept["short"] != kept["long"]]
    if not found:
        raise TrainingError(f"{options.file} has no position with two choices yet; --minutes M looks for more")
    rows = np.array([_row(kept) for kept in found], POSITION)
    table = Table(title=f"{len(found)} positions with two choices", title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("sides with the longer search", "by policy", "by value"):
        table.add_column(heading, justify="left" if heading[0] == "s" else "right")
    for path in options.networks:
        network = load_network(path)
        _, policies = learning.evaluate(network, rows, "cpu")
        after = {
            which: learning.evaluate(network, np.array([_row(kept, kept[which]) for kept in found], POSITION), "cpu")[0]
            for which in ("short", "long")
        }
        sides = [policy[kept["long"]] > policy[kept["short"]] for policy, kept in zip(policies, found, strict=True)]
        table.add_row(path.stem, f"{np.mean(sides):.1%}", f"{np.mean(after['long'] < after['short']):.1%}")
    Console().print(table)


def _row(kept, move=None):
    """POSITION's fields of a line of the file, before or after a move."""
    rows, columns, forbidden = kept["board"]
    position = empty_position(rows, columns, forbidden and tuple(forbidden))
    for column in kept["moves"] if move is None else (*kept["moves"], move):
        position = position.play(column)
    return row_of(position, 0, False, 0.0, 0)


def _look_for_disagreements(options):
    """Add positions to the file, with the bot's choices after the two searches; those searched before are left out."""
    known = {kept["name"] for kept in beside.kept_lines(options.file)} if options.file.exists() else set()
    end, began = time.monotonic() + options.minutes * 60, time.monotonic()
    waiting, looked, differing = _positions_of_games(options.record, known), 0, 0
    title = "look for positions with two choices"
    with progress_bar(title, options.minutes * 60) as say, players(options.jobs) as pool:
        running = set()
        while running or time.monotonic() < end:
            while len(running) < options.jobs and time.monotonic() < end and (place := next(waiting, None)):
                running.add(pool.submit(_choices, place, *options.iterations))
            if not running:
                break
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for task in done:
                with open(options.file, "a", encoding="utf-8") as file:
                    file.write(json.dumps(task.result()) + "\n")
                looked += 1
                differing += task.result()["short"] != task.result()["long"]
            say(time.monotonic() - began, f"{differing} of {looked} positions")


def _positions_of_games(path, known):
    """Lines of the file without their choices, from the games of a record, in an order that depends on nothing else."""
    games = [record for record in read_records(path)[0] if record.game == GAME]
    places = [(number, ply) for number, game in enumerate(games) for ply in range(EARLIEST_PLY, len(game.moves) - 1)]
    random.Random(1).shuffle(places)
    for number, ply in places:
        name = f"{path.name} {number + 1} {ply}"
        if name not in known:
            board, moves = games[number].board, [move.move for move in games[number].moves]
            forbidden = board["forbidden"] and [board["rows"] - 1 - board["forbidden"][0], board["forbidden"][1]]
            yield {"name": name, "board": [board["rows"], board["cols"], forbidden], "moves": moves[:ply]}


def _choices(place, short_iterations, long_iterations):
    """A line of the file: the position with the moves that a short and a long search choose.

    Where the shorter search is sure the longer one is left out: its choice counts as the same.
    """
    position = board_of(np.array([_row(place)], POSITION)[0])
    engine = UctEngine(Kernels(GAME).obtain(), DEFAULT._replace(keep_tree=False), BOT_MB, 1)
    short = engine.think(position, iterations=short_iterations)
    visits = sorted([0, 0, *(move.visits or 0 for move in engine.move_values(position, short))])
    is_sure = short.proven is not None or visits[-1] - visits[-2] >= SURE * sum(visits)
    long = short if is_sure else engine.think(position, iterations=long_iterations)
    return place | {"short": short.move, "long": long.move, "values": [short.value, long.value]}


def _parser():
    parser = argparse.ArgumentParser(prog="scripts/measure_deep", description=__doc__.partition(": ")[2])
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    figures = commands.add_parser("figures", help=_figures.__doc__)
    figures.set_defaults(command=_figures)
    figures.add_argument("networks", nargs="*", type=Path, metavar="FILE", help="networks of scripts/train_deep")
    figures.add_argument("--folder", type=Path, default=DEFAULT_FOLDER, metavar="DIR", help="of the games")
    figures.add_argument(
        "--search", type=count, nargs="*", default=[], metavar="N", help="iterations of searches to compare with"
    )
    figures.add_argument("--most", type=count, default=20_000, metavar="N", help="positions at most (default 20000)")
    figures.add_argument(
        "--picture", type=Path, metavar="SVG", help="draw what networks know by the positions that they learnt from"
    )
    for command, of_what, iterations in (
        (_together, "searches that looks are added to", TOGETHER),
        (_siblings, "searches that looks are added to, then of the search that both are judged by", SIBLINGS),
        (_choices_told, "searches that policies are added to, then of the search that chooses", CHOICES),
    ):
        measured = commands.add_parser(command.__name__[1:].removesuffix("_told"), help=command.__doc__)
        measured.set_defaults(command=command)
        measured.add_argument("file", type=Path, metavar="POSITIONS", help="lines of JSON, one a position")
        measured.add_argument("networks", nargs="*", type=Path, metavar="FILE", help="networks of scripts/train_deep")
        measured.add_argument("--minutes", type=minutes, metavar="M", help="search more positions first")
        measured.add_argument("--folder", type=Path, default=DEFAULT_FOLDER, metavar="DIR", help="of the games")
        measured.add_argument("--iterations", type=count, nargs="+", default=iterations, metavar="N", help=of_what)
        measured.add_argument("--jobs", type=count, default=2, metavar="J", help="searches at a time (default 2)")
    disagreements = commands.add_parser("disagreements", help=_disagreements.__doc__)
    disagreements.set_defaults(command=_disagreements)
    disagreements.add_argument("file", type=Path, metavar="POSITIONS", help="lines of JSON, one a position")
    disagreements.add_argument("networks", nargs="*", type=Path, metavar="FILE", help="networks of scripts/train_deep")
    disagreements.add_argument("--minutes", type=minutes, metavar="M", help="look for more positions first")
    disagreements.add_argument("--record", type=Path, metavar="GAMES", help="the games to look in, a match's record")
    disagreements.add_argument(
        "--iterations",
        type=count,
        nargs=2,
        default=(SHORT, LONG),
        metavar=("SHORT", "LONG"),
        help=f"of the two searches (default {SHORT} and {LONG})",
    )
    disagreements.add_argument("--jobs", type=count, default=2, metavar="J", help="searches at a time (default 2)")
    speed = commands.add_parser("speed", help=_speed.__doc__)
    speed.set_defaults(command=_speed)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
