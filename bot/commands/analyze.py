"""`python -m bot analyze`: the engine's opinion of one position, and of each move in it.

The file's order: the command; the position, which --record may take from a recorded game; the engine's opinion, which
is given once, or with --deepen each time the search time has doubled; the output, as a board, as lines and as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..backends.compiled import Kernels, KernelsUnavailable
from ..games import NAMES, adapter_of, part_of
from .options import MORE, add_search_options, chosen_seed, chosen_settings, positive_integer, positive_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..games.interface import Adapter, Engine, Notation
    from ..search.engine import Decision, MoveValue, Solution

PROG = os.environ.get("DROPFOUR_PROGRAM", "python -m bot analyze")  # the judge's command `analyze` sets the variable
USAGE = f"{PROG} --record FILE [--number K] [--ply N] [other options]"
DEFAULT_BUDGET_S = 3.0
# The share of the time that is kept for the values of the moves, if the engine has to search each move separately.
SHARE_FOR_MOVES = 0.5
# The first of several opinions comes after at least this many seconds, but before twice as many.
FIRST_OPINION_S = 0.1
# If a search ends before it has used this share of its time, it is taken to have nothing more to find out.
EARLY = 0.5
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"
THOUSANDS = ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k"))
RECORD_VERSION = 3  # of the records that are read
WIDEST_COUNT = 10_000  # counts below this one are shown in full


class RecordedGame(NamedTuple):
    """What this command reads of a record. The notation of the game checks `board` and `moves`."""

    game: str
    board: dict[str, Any]
    moves: list[Any]
    first: str
    termination: str


class Recorded(NamedTuple):
    """A recorded game, and the ply at which to look at it."""

    record: RecordedGame
    number: int  # of the game in its file, from 1
    ply: int  # the ply that was due in the position, from 1


class Looked(NamedTuple):
    """The position to analyse."""

    position: Any
    mover: int  # the side to move, 0 or 1
    played: int | None  # the move that was played in the recorded game; None if there is no such game or move


class _FormerLimit(argparse.Action):
    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        print("note: --budget is called --limit now", file=sys.stderr)
        namespace.limit = values


def _parser(adapter: Adapter, notation: Notation) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROG,
        description="Search one position and print the best move, its value, and the board with a value for each move.",
        epilog=MORE,
    )
    notation.add_position_options(parser)
    _add_record_options(parser)
    stop = parser.add_mutually_exclusive_group()
    stop.add_argument(
        "--limit",
        type=positive_number,
        default=None,
        metavar="S",
        help=f"search time in seconds, start-up not counted (default {DEFAULT_BUDGET_S})",
    )
    stop.add_argument("--budget", action=_FormerLimit, type=positive_number, dest="limit", help=argparse.SUPPRESS)
    stop.add_argument(
        "--iterations",
        type=positive_integer,
        default=None,
        metavar="N",
        help="instead of a time; engines that search their moves one by one for the values take so many for them too",
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help="solve the position: its outcome, and the plies to the end of the shortest win or longest "
        "loss; takes as long as it takes unless --limit is given",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--deepen",
        action="store_true",
        help="with --json: print an object each time the time spent has doubled, from 0.1 to 0.2 s on; the last, with "
        '"final": true, when --limit is spent, or sooner where no more is to be found',
    )
    add_search_options(parser, adapter)
    return parser


def main(argv: list[str], game: str) -> int:
    """Analyse the position that the command line names; returns the exit status."""
    recorded, words = _requested(argv)
    adapter: Adapter = adapter_of(game if recorded is None else recorded.record.game)
    notation = part_of(adapter.GAME, "notation")
    parser = _parser(adapter, notation)
    arguments = parser.parse_args(words)
    if arguments.deepen and (not arguments.json or arguments.exact or arguments.iterations is not None):
        parser.error("--deepen: with --json, and with neither --exact nor --iterations")
    settings = chosen_settings(parser, arguments, adapter)
    try:
        adapter.check_memory(arguments.memory)
        looked = _looked_at(parser, arguments, notation, recorded)
    except ValueError as error:
        parser.error(str(error))
    try:
        kernels = Kernels(adapter.GAME, arguments.backend).obtain(report=lambda text: print(text, file=sys.stderr))
    except KernelsUnavailable as error:
        parser.error(str(error))
    if arguments.exact and arguments.iterations is not None:
        parser.error("--exact counts no iterations: give --limit or nothing")
    position = looked.position
    engine = adapter.make_engine(kernels, settings, arguments.memory, chosen_seed(arguments), position)
    if arguments.exact:
        solution = engine.solve(position, arguments.limit, exact=True)
        if solution is None:
            parser.error("--exact needs the solver, and these settings do without it")
        _print_solution(solution, adapter, arguments.json)
        return 0
    budget_s = arguments.limit
    if budget_s is None and arguments.iterations is None:
        budget_s = DEFAULT_BUDGET_S
    unsearched = Unsearched(engine.static_values(position), engine.priors(position))
    if arguments.deepen:
        for found in deepened(engine, position, budget_s):
            told = _as_json(found.decision, found.values, adapter, looked, recorded)
            since = {"elapsed_s": round(found.elapsed_s, 4), "iterations": found.iterations, "final": found.is_final}
            print(json.dumps({**told, **since, **static_as_json(unsearched, adapter)}), flush=True)
        return 0
    decision, values = opinion(engine, position, budget_s, arguments.iterations)
    if arguments.json:
        told = _as_json(decision, values, adapter, looked, recorded)
        print(json.dumps({**told, **static_as_json(unsearched, adapter)}))
    else:
        _print(decision, values, adapter, notation, looked, recorded)
        for line in static_lines(unsearched, adapter):
            print(line)
    return 0


def _add_record_options(parser: argparse.ArgumentParser) -> None:
    """Add the options --record, --number and --ply, so that the help text shows them.

    _requested() reads these options before the parser does, because the game of the record decides the other options.
    """
    parser.add_argument(
        "--record",
        metavar="FILE",
        help="a position of a recorded game: what should have been played?",
    )
    parser.add_argument("--number", metavar="K", help="with --record: the file's K-th game, from 1 (default: the last)")
    parser.add_argument(
        "--ply", metavar="N", help="with --record: the position in which ply N was due (default: the last move)"
    )


def _requested(words: list[str]) -> tuple[Recorded | None, list[str]]:
    """Parse the options about a record. Returns (the game that they ask for, the remaining words of the command line).

    Without --record, returns (None, words). Ends the program with a usage error if the record has no such game or ply.
    """
    parser = argparse.ArgumentParser(prog=PROG, usage=USAGE, add_help=False, allow_abbrev=False)
    parser.add_argument("--record", metavar="FILE")
    parser.add_argument("--ply", metavar="N")
    parser.add_argument("--number", metavar="K")
    parser.add_argument("--game", action="append", default=[])
    options, others = parser.parse_known_args(words)
    if options.record is None:
        return None, words
    numbers = [text for text in options.game if text.isdecimal()]  # the former name of --number
    if numbers:
        print("note: --game K is called --number K now", file=sys.stderr)
    for text in options.game:
        if text not in [*NAMES, *numbers]:
            parser.error(f"--game {text}: expected one of {', '.join(NAMES)}")
    numbers += [] if options.number is None else [options.number]
    named = {text for text in options.game if text in NAMES}
    record, number = _chosen(parser, options.record, numbers)
    if record.game not in NAMES:
        parser.error(f"game {number} is of {record.game!r}, expected one of {', '.join(NAMES)}")
    if named - {record.game}:
        parser.error(f"--game {min(named - {record.game})}: game {number} of {options.record} is {record.game}")
    return Recorded(record, number, _ply(parser, options.ply, record)), others


def _chosen(parser: argparse.ArgumentParser, path: str, numbers: list[str]) -> tuple[RecordedGame, int]:
    try:
        records = read_games(path)
    except (OSError, ValueError) as error:
        parser.error(f"--record: {error}")
    if not records:
        parser.error(f"--record: {path} holds no game")
    text = numbers[-1] if numbers else str(len(records))
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= len(records)):
        parser.error(f"--number {text}: expected 1 to {len(records)}, as {path} holds so many games")
    return records[int(text) - 1], int(text)


def read_games(path: str) -> list[RecordedGame]:
    """Returns the games of a record file, without a last line that its writer did not complete.

    Raises OSError, or ValueError with the number of the line that is no record of RECORD_VERSION.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"{path}: expected a file")
    games: list[RecordedGame] = []
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                content = json.loads(line)
                version = content["record_version"]
                if type(version) is int and version < RECORD_VERSION:
                    raise ValueError(f"a record of version {version}: dropfour convert {path} NEW writes it anew")
                if version != RECORD_VERSION:
                    raise ValueError(f"record_version: expected {RECORD_VERSION}, got {version!r:.80}")
                moves = [move["move"] for move in content["moves"]]
                texts = [content[name] for name in ("game", "first", "termination")]
                if not all(isinstance(text, str) for text in texts) or not isinstance(content["board"], dict):
                    raise TypeError("game, first and termination: expected strings; board: expected an object")
                games.append(RecordedGame(texts[0], content["board"], moves, *texts[1:]))
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                if not line.endswith(b"\n"):
                    break
                told = f"the key {error} is missing" if isinstance(error, KeyError) else error
                raise ValueError(f"{path}, line {number}: {told}") from None
    return games


def _ply(parser: argparse.ArgumentParser, text: str | None, record: RecordedGame) -> int:
    """Returns the number, from 1, of the ply that was due in the position to analyse.

    `text` is the value of --ply. If it is None, the ply is the last one of the game. If the game did not end normally,
    that is the ply that was due and was not played.
    """
    played = len(record.moves)
    if text is None:
        return max(1, played) if record.termination == "NORMAL" else played + 1
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= played + 1):
        parser.error(f"--ply {text}: expected 1 to {played + 1}, as {played} plies were played")
    return int(text)


def _recorded_position(recorded: Recorded, notation: Any) -> Looked:
    """Returns the position of a recorded game. Raises the game's NotationError if the record breaks the rules."""
    record = recorded.record
    return Looked(*notation.from_record(record.board, record.moves, recorded.ply - 1))


def _check_alone(parser: argparse.ArgumentParser, arguments: argparse.Namespace, notation: Any) -> None:
    """End the program with a usage error if --record is given together with options that name a position."""
    positions = argparse.ArgumentParser(add_help=False)
    notation.add_position_options(positions)
    usual = vars(positions.parse_args([]))
    for name, value in usual.items():
        if getattr(arguments, name) != value:
            parser.error(f"--{name.replace('_', '-')}: --record names the position")


def _looked_at(
    parser: argparse.ArgumentParser, arguments: argparse.Namespace, notation: Any, recorded: Recorded | None
) -> Looked:
    """Returns the position that `recorded` or, if it is None, the options name.

    Raises ValueError if that position is not valid.
    """
    if recorded is not None:
        _check_alone(parser, arguments, notation)
        return _recorded_position(recorded, notation)
    for name in ("record", "number", "ply"):  # abbreviated, or without --record: _requested() left it
        if getattr(arguments, name) is not None:
            parser.error(
                f"--{name}: write --record, --number and --ply out in full, the latter two with --record alone"
            )
    position = notation.position_from(arguments, sys.stdin.read)
    return Looked(position, notation.mover_of(arguments, position), None)


class Opinion(NamedTuple):
    """What the engine thinks of the position after some time."""

    decision: Decision
    values: list[MoveValue]  # the decision's move first, then the others by their values
    elapsed_s: float  # since the first search began
    iterations: int  # of all searches since the first one began
    is_final: bool


def opinion(
    engine: Engine,
    position: Any,
    budget_s: float | None,
    iterations: int | None,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Decision, list[MoveValue]]:
    """Returns the engine's Decision and the values of the moves. The decision's move comes first, then the best others.

    `budget_s` is the time for the Decision and the values together, in seconds. `iterations` limits each search. None
    means no limit.
    """
    started = clock()
    think_s = budget_s and budget_s * (1 - SHARE_FOR_MOVES * engine.SEARCHES_APART)
    decision = engine.think(position, think_s, iterations)
    left_s = None if budget_s is None else max(0.0, budget_s - (clock() - started))
    return decision, _ranked(decision, engine.move_values(position, decision, left_s, iterations))


def _ranked(decision: Decision, values: Iterable[MoveValue]) -> list[MoveValue]:
    return sorted(
        values,
        key=lambda known: (
            known.move != decision.move,
            known.value is None,
            -(known.value or 0.0),
            known.is_bound,
            -(known.visits or 0),
        ),
    )


def moments(budget_s: float) -> list[float]:
    """Returns the times at which opinions are due, in seconds from the start and in ascending order.

    The last one is `budget_s`, the one before it is half of that, and so on. So each opinion has as much new search
    time as all earlier ones had together.
    """
    found = [budget_s]
    while found[0] >= 2 * FIRST_OPINION_S:
        found.insert(0, found[0] / 2)
    return found


def deepened(
    engine: Engine, position: Any, budget_s: float, clock: Callable[[], float] = time.monotonic
) -> Iterator[Opinion]:
    """Yields an Opinion each time the search time has doubled. The last one comes after `budget_s` seconds.

    The engine keeps what it has found from one opinion to the next. The last opinion comes sooner if the position's
    result is proven and, in addition, either all moves are proven or the search used less than the share EARLY of its
    time.
    """
    started, due, done = clock(), moments(budget_s), 0
    before: tuple[Decision, list[MoveValue]] | None = None
    for moment in due:
        began = clock()
        left_s = max(0.0, started + moment - began)
        decision, values = opinion(engine, position, left_s, None, clock)
        now = clock()
        done += decision.iterations
        if before is not None and engine.SEARCHES_APART:
            decision, values = _deeper(before, decision, values)
        before = decision, values
        is_early = now - began < EARLY * left_s
        is_settled = decision.proven is not None and (is_early or all(known.proven for known in values))
        yield Opinion(decision, values, now - started, done, is_settled or moment == due[-1])
        if is_settled:
            return


def _deeper(
    before: tuple[Decision, list[MoveValue]], decision: Decision, values: list[MoveValue]
) -> tuple[Decision, list[MoveValue]]:
    """Combine two opinions. Returns (Decision, values), each taken from the opinion that has searched deeper for it.

    If both opinions are equally deep, the later one counts. `before` is the earlier opinion; `decision` and `values`
    are the later one. The values are taken move by move. The later search may be the shallower one: it may have spent
    its time on an attempt to search to the end of the game.
    """
    known_before = {known.move: known for known in before[1]}
    if decision.proven is None and decision.depth < before[0].depth:
        decision = before[0]
    found = [max(known, known_before.get(known.move, known), key=_depth_of) for known in values]
    return decision, _ranked(decision, found)


def _depth_of(known: MoveValue) -> tuple[bool, int]:
    return known.proven is not None, known.depth or 0


class Unsearched(NamedTuple):
    """What an engine says of a position without a search."""

    values: tuple[float, dict[int, float]] | None  # what Engine.static_values has returned
    priors: dict[int, float] | None  # what Engine.priors has returned


class Label(NamedTuple):
    """The text that the board shows for a move."""

    text: str  # the move's value in at most 5 characters
    visits: str  # the number of visits in short form, "" if it is not known
    is_best: bool


def labels_of(values: Iterable[MoveValue], best: int) -> dict[int, Label]:
    """Returns {move: Label} in the order of `values`. `best` is the move to be marked as the best."""
    return {known.move: Label(value_text(known), _short(known.visits), known.move == best) for known in values}


def value_text(known: MoveValue) -> str:
    """Returns a move's value as a text of at most 5 characters.

    The text is "win", "loss" or "draw" for a proven result, "+.25" for a value, "<-.10" for an upper bound, "+.25!" for
    a proven win or loss whose value is not 1 or -1, and "-" for an unknown value.
    """
    if known.value is None:
        return "-"
    certain = {1.0: "win", -1.0: "loss", 0.0: "draw"}.get(known.value) if known.proven else None
    if certain is not None:
        return certain
    return "<" * known.is_bound + _digits(known.value) + "!" * (known.proven is not None)


def _digits(value: float) -> str:
    """Returns a value as a text of at most 4 characters: "+.25", "-1.0"."""
    digits = f"{value:+.2f}"
    return digits[:4] if digits[1] == "1" else digits[0] + digits[2:]


def _short(count: int | None) -> str:
    if count is None:
        return ""
    for size, letter in THOUSANDS:
        if count >= max(size, WIDEST_COUNT):
            return f"{count // size}{letter}"
    return str(count)


def _strong() -> Callable[[str], str]:
    """Returns a function that makes a text bold for stdout.

    If stdout is not a terminal that can show bold text, the function returns the text unchanged.
    """
    if sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        return lambda text: BOLD + text + PLAIN
    return lambda text: text


def legend(values: Iterable[MoveValue]) -> list[str]:
    """Returns the lines that explain the signs used for these values and say how deep the moves were searched."""
    values = list(values)
    meanings = []
    if any(known.is_bound for known in values):
        meanings.append("< at most")
    if any(value_text(known).endswith("!") for known in values):
        meanings.append("! proven")
    if any(known.value is None for known in values):
        meanings.append("- not looked at")
    depths = sorted({known.depth for known in values if known.depth is not None})
    if depths:
        plies = str(depths[0]) if len(depths) == 1 else f"{depths[0]} to {depths[-1]}"
        meanings.append(f"moves searched {plies} plies deep")
    return [f"             ({', '.join(meanings)})"] if meanings else []


def _values_as_json(values: Iterable[MoveValue], adapter: Adapter) -> list[dict[str, object]]:
    """Returns the values in the form that --json prints."""
    return [
        {
            "move": adapter.move_name(known.move),
            "value": None if known.value is None else round(known.value, 4),
            "at_most": known.is_bound,
            "proven": known.proven,
            "visits": known.visits,
            "depth": known.depth,
        }
        for known in values
    ]


def static_lines(unsearched: Unsearched, adapter: Adapter) -> list[str]:
    """Returns the lines that show what an engine says of a position and of each move without a search."""
    values, priors = unsearched
    lines = []
    if values is not None:
        value, of_moves = values
        moves = ", ".join(f"{adapter.move_name(move)} {_digits(of_moves[move])}" for move in sorted(of_moves))
        lines = [f"unsearched   {value:+.3f} as the evaluation alone sees it", f"its moves    {moves}"]
    if priors is not None:
        chances = ", ".join(f"{adapter.move_name(move)} {100 * priors[move]:.0f} %" for move in sorted(priors))
        lines.append(f"its priors   {chances}")
    return lines


def static_as_json(unsearched: Unsearched, adapter: Adapter) -> dict[str, object]:
    """Returns what static_lines shows, in the form that --json prints."""
    values, priors = unsearched
    found: dict[str, object] = {}
    if values is not None:
        value, of_moves = values
        moves = [{"move": adapter.move_name(move), "value": round(of_moves[move], 4)} for move in sorted(of_moves)]
        found["evaluation"] = {"value": round(value, 4), "moves": moves}
    if priors is not None:
        found["priors"] = [
            {"move": adapter.move_name(move), "prior": round(priors[move], 4)} for move in sorted(priors)
        ]
    return found


def _played_value(values: Iterable[MoveValue], looked: Looked) -> MoveValue | None:
    """Returns the value of the move that was played in the recorded game, or None if there is no such move or value.

    In some games different moves lead to the same position. So the result is the first of `values` whose move leads to
    the same position as the played move.
    """
    if looked.played is None:
        return None
    after = looked.position.play(looked.played)
    return next((known for known in values if looked.position.play(known.move) == after), None)


def _name(adapter: Adapter, move: int | None) -> int | str | None:
    return None if move is None else adapter.move_name(move)


def _names(adapter: Adapter, moves: Iterable[int]) -> list[int | str]:
    return [adapter.move_name(move) for move in moves]


def _side(recorded: Recorded, looked: Looked) -> str:
    """Returns the side to move, "A" or "B"."""
    first: str = recorded.record.first
    return first if looked.mover == 0 else {"A": "B", "B": "A"}[first]


def _print_solution(solution: Solution, adapter: Adapter, as_json: bool) -> None:
    if as_json:
        print(
            json.dumps(
                {
                    "best": _name(adapter, solution.move),
                    "proven": solution.outcome,
                    "proven_by": "solver" if solution.outcome else None,
                    "plies": solution.plies,
                    "nodes": solution.nodes,
                    "elapsed_s": round(solution.elapsed_s, 4),
                    "score": solution.score,
                }
            )
        )
        return
    length = "" if solution.plies is None else f" in {solution.plies} plies"
    print(f"outcome      {solution.outcome + length if solution.outcome else 'not settled in the time'}")
    if solution.outcome and solution.move is not None:
        print(f"best move    {adapter.in_words(solution.move)}")
    if solution.score is not None:
        print(f"score        {solution.score:+d} for the side to move")
    print(f"visited      {solution.nodes:,} positions, {solution.elapsed_s:.2f} s")


def _as_json(
    decision: Decision, values: list[MoveValue], adapter: Adapter, looked: Looked, recorded: Recorded | None
) -> dict[str, Any]:
    """Returns the object that --json prints."""
    told: dict[str, Any] = {
        "best": _name(adapter, decision.move),
        "value": round(decision.value, 4),
        "proven": decision.proven,
        "proven_by": decision.proven_by,
        "pv": _names(adapter, decision.pv),
        "iterations": decision.iterations,
        "depth": decision.depth,
        "nodes": decision.nodes,
        "elapsed_s": round(decision.elapsed_s, 4),
        "moves": _values_as_json(values, adapter),
    }
    if recorded is not None:
        told["record"] = {
            "game": recorded.number,
            "ply": recorded.ply,
            "side": _side(recorded, looked),
            "played": _name(adapter, looked.played),
        }
    return told


def _print(
    decision: Decision,
    values: list[MoveValue],
    adapter: Adapter,
    notation: Notation,
    looked: Looked,
    recorded: Recorded | None,
) -> None:
    if recorded is not None:
        print(f"game {recorded.number}, where ply {recorded.ply} was due: ", end="")
        print(f"{_side(recorded, looked)} to move")
    for line in notation.drawn(looked.position, looked.mover, labels_of(values, decision.move), _strong()):
        print(line)
    for line in legend(values):
        print(line)
    marks = "X moves first, O second"
    if recorded is not None:
        marks = "X is A, O is B" if recorded.record.first == "A" else "X is B, O is A"
    print(f"sides        {marks}; {'XO'[looked.mover]} to move")
    print(f"best move    {adapter.in_words(decision.move)}")
    sure = f"proven {decision.proven} by {decision.proven_by}" if decision.proven else "not proven"
    print(f"value        {decision.value:+.3f} for the side to move ({sure})")
    if recorded is not None:
        print(f"played       {_played_in_words(values, adapter, looked, recorded)}")
    line = " ".join(map(str, _names(adapter, decision.pv)))
    print(f"line         {line}")
    print(
        f"searched     {decision.iterations:,} iterations, {decision.depth} plies deep, "
        f"{decision.nodes:,} nodes, {decision.elapsed_s:.2f} s"
    )


def _played_in_words(values: list[MoveValue], adapter: Adapter, looked: Looked, recorded: Recorded) -> str:
    if looked.played is None:
        return f"nothing that counts: the game ended as {recorded.record.termination}"
    known = _played_value(values, looked)
    said = "not among the moves looked at" if known is None else f"value {value_text(known)}"
    return f"{adapter.in_words(looked.played)} ({said})"
