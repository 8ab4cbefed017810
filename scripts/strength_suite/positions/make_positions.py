"""`scripts/strength make-positions`: the suite of exact positions, each move of each solved to the end."""

from functools import partial

from strength_suite.json_lines import append_line, read_lines
from strength_suite.positions import candidates
from strength_suite.positions.exact_positions import best, position_of
from strength_suite.positions.recorded_games import read_games
from strength_suite.positions.solving import load_solver, moves_values
from strength_suite.progress import Steps

SMALL, STANDARD, ENDGAME = "small", "6x7", "endgame"
# Boards and cuts are drawn at random from a file of games: after so many draws a game nothing new will come.
DRAWS_PER_GAME = 100


def main(options, store):
    """Append to the suite until each kind has as many positions as asked for; returns the exit status."""
    makers = {SMALL: (candidates.small, options.small), STANDARD: (candidates.standard, options.standard)}
    games = read_games(options.games) if options.endgames else []
    makers[ENDGAME] = (partial(candidates.endgame, games=games), options.endgames)
    entries = read_lines(options.suite)
    wanted = sum(count for _, count in makers.values())
    solver = load_solver()
    with Steps("positions", wanted, min(len(entries), wanted)) as steps:
        for kind, (make, count) in makers.items():
            most = DRAWS_PER_GAME * len(games) if kind == ENDGAME else None
            _fill(kind, make, count, most, entries, solver, options, steps)
    return _conclude(makers, entries, options.suite)


def _fill(kind, make, count, most, entries, solver, options, steps):
    """Append entries of one kind to the file and the list; most: how many candidates to try, or None."""
    known = {position_of(entry).key() for entry in entries}
    of_kind = [entry for entry in entries if entry["kind"] == kind]
    number = 1 + max((entry["candidate"] for entry in of_kind), default=-1)
    missing = count - len(of_kind)
    while missing > 0 and (most is None or number < most):
        entry = _solved(kind, make, number, solver, known, options)
        number += 1
        if entry is None:
            continue
        append_line(options.suite, entry)
        entries.append(entry)
        known.add(position_of(entry).key())
        missing -= 1
        steps.advance(f"{kind}, {entry['rows']}x{entry['columns']}, {entry['empty']} empty: {entry['value']}")


def _solved(kind, make, number, solver, known, options):
    """The entry of a candidate; None if it is known, not settled in time, or all moves come to the same."""
    found = candidates.numbered(kind, make, options.seed, number)
    if found is None or found[1].key() in known:
        return None
    entry, position = found
    values = moves_values(solver, position, options.limit)
    if values is None or len(set(values.values())) < 2:
        return None
    text_values = {str(column): value for column, value in values.items()}
    return {
        **entry,
        "value": best(values.values()),
        "moves_values": text_values,
        "kind": kind,
        "candidate": number,
    }


def _conclude(makers, entries, path):
    """Say what there is; 1 if less than was asked for."""
    short = False
    for kind, (_, count) in makers.items():
        there = sum(entry["kind"] == kind for entry in entries)
        short = short or there < count
        print(f"{kind}: {there} positions" + (f", {count} asked for" if there < count else ""))
    print(f"{len(entries)} positions in {path}")
    return int(short)
