"""The plan of a game, its verdict, its record, and the share of turns that were short of a core.

A side's turn is short of a core if it got less than 95 % of its time because the machine ran other programs. A turn's
shortage is the longest wait of one of its side's threads for a core (GameRecord.extra[side]["waits_s"]). It is at most
the duration of the turn less the processor time of all the side's threads, as on the side's clock (clock.py): threads
that compete with each other for a core are not the machine's fault. A result carries a warning only if several turns
lost so much of the limit that they may have ended in another move.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone
from typing import Any

from judge.games import DEFAULT_GAME, GAMES
from judge.games.boards import Board
from judge.games.positions import Position
from judge.language import _, as_data, marked
from judge.play.backtraces import with_line_numbers
from judge.play.sandbox import Sandbox
from judge.play.seat import Seat
from judge.players.players import own_version
from judge.processes.process import decoded
from judge.reasons import WON
from protocol.records.record import GameRecord, Move, Player, Termination

LEAST_SHARE = 0.95  # the share of its time that a turn should get
COSTLY_SHARE = 0.02  # a turn that lost more than this share of the limit may have ended in another move
MOST_SHORT = 0.02  # a result carries a warning if more than this share of a side's turns was costly
FEWEST_COSTLY = 3  # the costly turns that a warning needs: one or two say nothing about a result
LEAST_SHORTAGE_S = 0.005  # about a scheduler's time slice: a smaller shortage cannot matter, however short a turn is


def ending_in_words(termination: str, side: str | None = None) -> str:
    """Return the name of an ending in the reader's language, with the side at fault if `side` is given.

    `termination` is a Termination or its name.
    """
    name = _(str(termination))
    return _("{ending} by {side}").format(ending=name, side=side) if side else name


@dataclass(frozen=True)
class Turns:
    """Counts of a side's turns.

    `measured` counts the turns that were measured, `short` the measured turns that were short of a core, and `costly`
    the short turns that lost more than COSTLY_SHARE of the limit.
    """

    measured: int = 0
    short: int = 0
    costly: int = 0

    @property
    def share(self) -> float | None:
        """The share of the measured turns that were short, 0 to 1; None if no turn was measured."""
        return self.short / self.measured if self.measured else None

    @property
    def needs_warning(self) -> bool:
        """Whether so many turns were costly that they may have changed the result, which then carries a warning."""
        return self.costly >= FEWEST_COSTLY and self.costly > MOST_SHORT * self.measured

    def __add__(self, other: "Turns") -> "Turns":
        return Turns(self.measured + other.measured, self.short + other.short, self.costly + other.costly)


def turns_of_moves(moves: Iterable[Move], side: str, waits_s: Sequence[float], limit_s: float) -> Turns:
    """Return the Turns of a side in one game.

    `waits_s` holds for each turn of the side the longest wait of one of its threads for a core, in seconds. `limit_s`
    is the limit in seconds per move. If a turn has several moves, the first of them has the turn's time. A last turn
    that ended without a move is left out.
    """
    first_moves = [move for move in moves if move.side == side and move.wall_s > 0]
    shortages_s = [_shortage_s(move, wait_s) for move, wait_s in zip(first_moves, waits_s, strict=False)]
    short = sum(shortage_s > 0 for shortage_s in shortages_s)
    costly = sum(shortage_s > COSTLY_SHARE * limit_s for shortage_s in shortages_s)
    return Turns(len(shortages_s), short, costly)


def _shortage_s(move: Move, wait_s: float) -> float:
    """Return for how many seconds a side was short of a core in one turn; 0.0 if that was too short to matter.

    `move` is the first move of the turn. `wait_s` is the longest wait of one of the side's threads in the turn, in
    seconds.
    """
    idle_s = math.inf if move.cpu_s is None else move.wall_s - move.cpu_s + 0.01  # cpu_s is counted in steps of 10 ms
    shortage_s = min(wait_s, idle_s)
    return shortage_s if shortage_s > max(LEAST_SHORTAGE_S, (1 - LEAST_SHARE) * move.wall_s) else 0.0


def turns_of_record(record: GameRecord, side: str) -> Turns:
    """Return the Turns of a side in a recorded game. If the record does not hold its waits, none were measured."""
    limit_s = record.extra.get("limit_s") or record.extra.get("player_limit_s") or 0.0  # the second against a human
    return turns_of_moves(record.moves, side, record.kept(side).get("waits_s", ()), limit_s)


def turns_by_player(
    records: Iterable[GameRecord], player_of: Callable[[GameRecord, str], str] = lambda record, side: side
) -> dict[str, Turns]:
    """Return {player: the sum of the player's Turns in all records}; without records, empty Turns for "A" and "B".

    player_of(record, side) returns the player on that side; by default the sides themselves are the players.
    """
    turns: dict[str, Turns] = {}
    for record in records:
        for side in "AB":
            player = player_of(record, side)
            turns[player] = turns.get(player, Turns()) + turns_of_record(record, side)
    return turns or {"A": Turns(), "B": Turns()}


def needs_warning(turns: Mapping[str, Turns]) -> bool:
    """Return whether any player in `turns` has so many costly turns that a result carries a warning."""
    return any(each.needs_warning for each in turns.values())


def as_json(turns: Mapping[str, Turns]) -> dict[str, Any]:
    """Return the result of rounded_shares() with two more keys, as a value for JSON.

    "bound" is MOST_SHORT; "warning" says whether a result needs a warning.
    """
    return {**rounded_shares(turns), "bound": MOST_SHORT, "warning": needs_warning(turns)}


def rounded_shares(turns: Mapping[str, Turns]) -> dict[str, float | None]:
    """Return {side: the share of its turns that were short, rounded}; the share is None if no turn was measured."""
    return {side: None if each.share is None else round(each.share, 4) for side, each in turns.items()}


def flag(text: str) -> Any:
    """Declare a field of a dataclass: False unless an option of its name turns it on. `text` is the option's help."""
    return field(default=False, metadata={"help": text})


def flags(settings: Any) -> dict[str, str]:
    """Return {field: the help of its option, marked() for translation} of the fields of a dataclass that flag() made.

    `settings` is the dataclass or an instance of it.
    """
    return {each.name: each.metadata["help"] for each in fields(settings) if "help" in each.metadata}


@dataclass(frozen=True)
class Conditions:
    """The conditions of play of a run, a game or a check: one value from the command line to the referee.

    A new condition is declared here and used where it matters. It is then in all records, a resumed run must not change
    it, and one that flag() declares is an option of play, match, sprt, batch and tournament.

    `limit_s` is in seconds per move. With `free_start` the first clock waits until both bots have started. A
    `memory_limit_bytes` of None means no limit. With `undrained_stderr` the judge does not read the bots' stderr during
    the game. With `strict_clock` a side's clock runs on while the machine does not run the side. With `freeze` the side
    that is not to move is stopped. `sandbox` holds the sandbox options.
    """

    limit_s: float = 3.0  # the platform's
    free_start: bool = flag(marked("do not count a bot's start on its clock: the game begins once both bots are idle"))
    memory_limit_bytes: int | None = 10**9  # the platform's 1 GB
    undrained_stderr: bool = flag(
        marked("leave the bots' stderr unread: a bot that writes more than the pipe holds, 64 KB, will block")
    )
    strict_clock: bool = flag(
        marked("let a player's clock run on while the machine does not run the player, as the platform does")
    )
    freeze: bool = flag(marked("stop the player that is not to move, so that nobody thinks on the other's time"))
    sandbox: Sandbox = field(default_factory=Sandbox)

    def as_json(self) -> dict[str, Any]:
        """Return {field: value for records}, except the sandbox, which differs from machine to machine."""
        return {name: value for name, value in vars(self).items() if name != "sandbox"}


@dataclass(frozen=True)
class GamePlan:
    """One game to be played.

    `board` comes from the game's draw_board(). `first` is the side, "A" or "B", that is player 0 of the rules. `seed`
    is the seed of the match; `pair` and `index` are the numbers of the pair and of the game in the match.
    """

    board: Board
    seed: int
    conditions: Conditions = field(default_factory=Conditions)
    first: str = "A"
    pair: int = 0
    index: int = 0
    game: str = DEFAULT_GAME


@dataclass(frozen=True)
class Verdict:
    """How a game ended. `winner` and `at_fault` are "A", "B" or None.

    `reason` is a sentence for the record, made of templates from recorded(). `illegal_cell` is the cell of an illegal
    move (see IllegalMove), None if there is none.
    """

    termination: Termination
    winner: str | None
    at_fault: str | None
    reason: str
    illegal_cell: int | None = None


def in_order(first: str) -> tuple[str, str]:
    """Return the sides of players 0 and 1 of the rules; `first` is the side of player 0.

    Player 0 moves first unless the board has an opening.
    """
    return ("A", "B") if first == "A" else ("B", "A")


def verdict_on_board(plan: GamePlan, position: Position) -> Verdict:
    """Return the Verdict on a game of this plan that ended on the board. Precondition: the position is over."""
    ending = GAMES[plan.game].ending(position)
    if position.winner is None:
        return Verdict(Termination.NORMAL, None, None, ending)
    winner = in_order(plan.first)[position.winner]
    return Verdict(Termination.NORMAL, winner, None, WON.format(side=winner, ending=ending))


def opponent(side: str) -> str:
    """Return the other side."""
    return "B" if side == "A" else "A"


def utc_now() -> str:
    """Return the present time as ISO 8601 in UTC, to the millisecond."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def make_record(
    game_id: str,
    plan: GamePlan,
    seats: Iterable[Seat],
    moves: Sequence[Move],
    verdict: Verdict,
    started: str,
) -> GameRecord:
    """Return the GameRecord of a game that has just been judged. Precondition: all its processes have ended.

    `started` is the time of utc_now() at the start of the game.
    """
    seats = sorted(seats, key=lambda seat: seat.side)
    first, second = (Player(seat.contestant.name, seat.contestant.command, seat.contestant.version) for seat in seats)
    return GameRecord(
        game=plan.game,
        board=plan.board.as_json(),
        players=(first, second),
        first=plan.first,
        moves=tuple(moves),
        winner=verdict.winner,
        termination=verdict.termination,
        at_fault=verdict.at_fault,
        started=started,
        finished=utc_now(),
        judge_version=own_version(),
        seed=plan.seed,
        pair=plan.pair,
        extra={
            "id": game_id,
            "index": plan.index,
            **plan.conditions.as_json(),
            **plan.conditions.sandbox.as_json(),
            "reason": as_data(verdict.reason),
            **({} if verdict.illegal_cell is None else {"illegal_cell": verdict.illegal_cell}),
            "short_of_core": as_json(
                {seat.side: turns_of_moves(moves, seat.side, _waits_s(seat), plan.conditions.limit_s) for seat in seats}
            ),
            **{seat.side: _measurements(seat, verdict) for seat in seats},
        },
    )


def _waits_s(seat: Seat) -> list[float]:
    """Return the seat's waits, rounded as the record holds them.

    Statistics of a running game are therefore equal to those that are made from its record.
    """
    return [round(wait_s, 3) for wait_s in seat.waits_s]


def _measurements(seat: Seat, verdict: Verdict) -> dict[str, Any]:
    """Return the measurements of one side's process for the record; {} without a process.

    If a strategy library printed anything, they include the number of bytes and the first bytes that it printed. For
    the side at fault they include its stderr and the last bytes from its stdout that were not a reply.
    """
    if seat.process is None:
        return {}
    log = seat.process.stderr_log
    measured: dict[str, Any] = {
        "cpu_s": round(seat.process.cpu_s, 3),
        "peak_rss_bytes": seat.process.peak_rss_bytes,
        "stderr_bytes": log.total,
        "exit_status": seat.exit_status,
    }
    if seat.process.start_up.took_s is not None:
        measured["start_up_s"] = round(seat.process.start_up.took_s, 3)
    measured["waits_s"] = _waits_s(seat)
    if seat.overtime_s:
        measured["overtime_s"] = {str(ply): round(over_s, 6) for ply, over_s in seat.overtime_s.items()}
    if seat.contestant.folder is not None:
        measured["folder"] = seat.contestant.folder
    prints = seat.process.prints
    if prints.total:
        measured["printed_bytes"], measured["printed"] = prints.total, prints.text()
    if seat.side == verdict.at_fault:
        measured["stderr"] = with_line_numbers(log.text())
        measured["stdout"] = decoded(seat.stray_output)
    return measured
