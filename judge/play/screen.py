"""Shows a game as it is played.

On a terminal the board is redrawn in place. In other output one board follows another.
"""

from collections.abc import Iterable
from typing import Any, TypeGuard

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from judge import terminal
from judge.games import GAMES
from judge.games.game import AnyGame
from judge.games.positions import Position
from judge.language import _, shown
from judge.play.observer import Observer
from judge.play.recheck import new_position
from judge.play.scoresheet import GamePlan, ending_in_words, in_order
from judge.players.players import Contestant
from judge.processes.process import PLATFORM_BYTES
from judge.reasons import reason_of
from protocol.records.record import GameRecord, Move

LARGEST_SHOWN = 10**12  # larger numbers in a bot's report are ignored


def evaluation(report: dict[str, Any] | None) -> str:
    """Return a bot's report on its move as a short text, "" for None. Missing and malformed fields are left out."""
    if report is None:
        return ""
    if report.get("guard") is True:
        return _("the bot's search was not done in time, so the bot's guard chose this move")
    parts = []
    value = stated_value(report)
    if value is not None:
        parts.append(_("value {value:+.3f}").format(value=value))
    proven = report.get("proven")
    if isinstance(proven, str):
        known = {"win": _("proven win"), "draw": _("proven draw"), "loss": _("proven loss")}
        other = _("proven result {value}").format(value=terminal.printable(proven[:16]))
        parts.append(known.get(proven, other))
    if _is_number(report.get("depth")):
        parts.append(_("depth {number:,}").format(number=report["depth"]))
    if _is_number(report.get("iterations")):
        parts.append(_("iterations {number:,}").format(number=report["iterations"]))
    return "  ".join(parts)


def stated_value(report: dict[str, Any] | None) -> float | None:
    """Return the value of the position that a bot's report states, seen from the bot.

    Return None if the value is missing or unusable. It should be between -1 (lost) and 1 (won), but may be any number
    up to LARGEST_SHOWN in size.
    """
    value = None if report is None else report.get("value")
    return float(value) if _is_number(value) else None


def stated_count(number: Any) -> int | float | None:
    """Return `number`, a depth or a count in a bot's report; None if it is unusable.

    It is usable if it is a number up to LARGEST_SHOWN in size.
    """
    return number if _is_number(number) else None


def _is_number(value: Any) -> TypeGuard[int | float]:
    """Return whether `value` is a number that is short enough to be shown.

    A bot may write one of thousands of digits.
    """
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and abs(value) <= LARGEST_SHOWN  # False for infinity and NaN


def move_in_words(ply: int, side: str, notation: str, move: Move) -> str:
    """Return one line on a move: its ply, side, `notation` (the move in the game's notation), time and evaluation()."""
    line = _("ply {ply}: {side} plays {move}  {seconds:.2f} s").format(
        ply=ply, side=side, move=notation, seconds=move.wall_s
    )
    return f"{line}  {evaluation(move.report)}".rstrip()


def result_in_words(record: GameRecord) -> str:
    """Return the result of a recorded game in one line."""
    names = {
        side: f"{side} ({terminal.printable(player.name)})" for side, player in zip("AB", record.players, strict=True)
    }
    fields = {"plies": len(record.moves), "reason": terminal.sentence(shown(reason_of(record)))}
    if not record.termination.counts:
        return _("The game does not count (VOID). It was stopped after {plies} plies: {reason}").format(**fields)
    if record.winner is None:
        return _("Draw after {plies} plies: {reason}").format(**fields)
    winner = names[record.winner]
    if record.termination.fault is None:
        return _("{winner} wins after {plies} plies: {reason}").format(winner=winner, **fields)
    fault = ending_in_words(record.termination, record.at_fault and names[record.at_fault])
    return _("{winner} wins after {plies} plies: {ending}: {reason}").format(winner=winner, ending=fault, **fields)


def stderr_notes(record: GameRecord) -> list[str]:
    """Return a note for each player that wrote more to stderr than the platform's pipe holds; [] if none did."""
    note = _("note: {side} wrote {written:,} bytes to stderr; the platform's limit is {limit:,}")
    return [
        note.format(side=side, written=written, limit=PLATFORM_BYTES)
        for side in "AB"
        if (written := record.kept(side).get("stderr_bytes", 0)) > PLATFORM_BYTES
    ]


def player_line(name: str, text: str) -> Text:
    """Return a player's line below the board: its name and a text; a terminal cuts it off at its right edge."""
    return Text(f"{name}: {text}", no_wrap=True, overflow="ellipsis")


def last_screen(record: GameRecord) -> list[Text]:
    """Return the last screen of a recorded game: the board, each player's last move, the result.

    Raises ValueError for an unknown game or an invalid board, IllegalMove for an illegal move.
    """
    position, game = new_position(record), GAMES[record.game]
    latest = {"A": "", "B": ""}
    for ply, move in enumerate(record.moves, start=1):
        position.play(move.move)
        latest[move.side] = move_in_words(ply, move.side, game.move_in_words(position), move)
    stones = dict(zip(in_order(record.first), game.stones, strict=True))
    lines = [game.rendering(position)]
    for side, player in zip("AB", record.players, strict=True):
        lines.append(player_line(f"{side} {stones[side]} {terminal.printable(player.name)}", latest[side]))
    return [*lines, Text(result_in_words(record))]


class Screen(Observer):
    """Shows one game on stdout; use as a context manager around the game."""

    # From started() on:
    game: AnyGame
    position: Position
    limit_s: float

    def __init__(self, contestants: Iterable[Contestant]) -> None:
        self.console = terminal.console()
        self.live = Live(console=self.console, auto_refresh=False, vertical_overflow="visible")
        self.names = {side: player.name for side, player in zip("AB", contestants, strict=True)}
        self.latest = {"A": "", "B": ""}
        self.stones: dict[str, str] = {}

    def __enter__(self) -> "Screen":
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()

    def started(self, plan: GamePlan, position: Position) -> None:
        """Store what later calls show of the plan; in other output than a terminal, print the players and the board."""
        self.position = position
        self.limit_s = plan.conditions.limit_s
        self.game = GAMES[plan.game]
        self.stones = dict(zip(in_order(plan.first), self.game.stones, strict=True))
        if not self.console.is_terminal:
            mover = in_order(plan.first)[position.to_move]
            words = _("{first} against {second}, {mover} moves first")
            self.console.print(words.format(first=self._player("A"), second=self._player("B"), mover=mover))
            self.console.print(self.game.rendering(position))

    def thinking(self, side: str) -> None:
        if self.console.is_terminal:
            self._redraw(side)

    def moved(self, side: str, position: Position, move: Move) -> None:
        """Draw the board anew, or in other output than a terminal print the move and the board."""
        ply = len(position.moves)
        line = move_in_words(ply, side, self.game.move_in_words(position), move)
        self.latest[side] = line
        if self.console.is_terminal:
            self._redraw(None)
        else:
            self.console.print(line, soft_wrap=True)
            self.console.print(self.game.rendering(position))

    def _player(self, side: str) -> str:
        """Return the text that names a player: its side, its stone and its name."""
        return f"{side} {self.stones[side]} {terminal.printable(self.names[side])}"

    def _redraw(self, thinking: str | None) -> None:
        """Draw the board and both players' lines anew; `thinking` is the side that is to move, None for neither."""
        lines: list[RenderableType] = [self.game.rendering(self.position)]
        for side in "AB":
            text = _("the player is thinking, at most {limit:g} s").format(limit=self.limit_s)
            lines.append(player_line(self._player(side), text if side == thinking else self.latest[side]))
        self.live.update(Group(*lines), refresh=True)
