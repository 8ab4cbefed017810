"""Shows a match detail: as tables and sentences for people, or as the content of one JSON object for programs."""

import collections
import functools
import re
from collections.abc import Callable
from typing import Any

from rich.console import Console

from judge.formats.match_detail import Code, Detail, Game, Stream, TurnCost, User, line_facts
from judge.language import _, shown
from judge.reports.tables import ReportTable
from judge.terminal import MEGABYTE, printable
from protocol.errors import excerpt

ENGINE_LINE = re.compile(r"dropfour: engine (\S+)(?: \((.*))?")
Say = Callable[[str], None]


def facts(detail: Detail, threshold_s: float) -> dict[str, Any]:
    """Return the facts in a match detail as the content of a JSON object.

    Among them is the number of turns that took longer than `threshold_s` seconds. Cells and columns are numbered as on
    the platform.
    """
    file, game = detail.file, detail.game
    return {
        "match": {
            "id": file.id,
            "game": file.game_id,
            "game_name": file.game and file.game.name,
            "created": file.create_time,
            "state": file.state,
            "error": file.error,
            "logic_version": file.logic_version,
        },
        "threshold_s": threshold_s,
        "seats": [_seat_facts(number, detail, threshold_s) for number in range(len(detail.seats))],
        "turns": _turn_facts(detail.turns, game),
        "moves": None if game is None else _move_facts(game),
        "bytes_after_the_object": detail.junk,
    }


def _seat_facts(number: int, detail: Detail, threshold_s: float) -> dict[str, Any]:
    """Return the facts on one seat as the content of a JSON object."""
    seat = detail.seats[number]
    code, user = seat.code or Code(), seat.user or User()
    stdin, stderr = detail.stdins[number], detail.stderrs[number]
    return {
        "seat": number,
        "user": user.username,
        "entity": code.entity,
        "code": code.id,
        "version": code.version,
        "remark": code.remark,
        "end_state": seat.end_state,
        "exit_code": seat.exit_code,
        "rank": seat.rank,
        "score": seat.score,
        "stderr": None if stderr is None else _stderr_facts(stderr),
        "stdin": None if stdin is None else _stdin_facts(stdin, detail.streams[number]),
        "cost": _cost_facts([cost for _round, cost in detail.turns if cost.position == number], threshold_s),
    }


def _cost_facts(costs: list[TurnCost], threshold_s: float) -> dict[str, Any]:
    """Return figures on the time and memory of a seat's turns.

    `costs` are the costs of the seat's turns. Turns that took longer than `threshold_s` seconds are counted. In the
    result `slowest` is the number, from 1, of the seat's slowest turn.
    """
    times = [cost.time for cost in costs]
    greatest = max((time_s for time_s in times if time_s is not None), default=None)
    return {
        "turns": len(costs),
        "first_s": times[0] if times else None,
        "greatest_s": greatest,
        "slowest": None if greatest is None else times.index(greatest) + 1,
        "over_threshold": sum(time_s is not None and time_s > threshold_s for time_s in times),
        "greatest_bytes": max((cost.memory for cost in costs if cost.memory is not None), default=None),
    }


def _stdin_facts(data: bytes, stream: Stream | None) -> dict[str, Any]:
    """Return the result of line_facts() for a seat's stdin and, unless `stream` is None, facts on its messages."""
    content = line_facts(data)
    if stream is not None:
        opening = stream.opening
        content |= {
            "opening": None if opening is None else opening._asdict(),
            "turns": len(stream.turns),
            "after_last_message": excerpt(stream.after),
            "fault_byte": stream.fault_byte,
            "fault": stream.fault,
        }
    return content


def _stderr_facts(data: bytes) -> dict[str, Any]:
    """Return facts on what a bot wrote to stderr: the length, the text, and the names of engines that it reports.

    In the text a byte that is not UTF-8 is written as \\xNN.
    """
    text = data.decode("utf-8", "backslashreplace")
    matches = filter(None, (ENGINE_LINE.fullmatch(line.rstrip()) for line in text.splitlines()))
    # The bot truncates a long line, so the closing bracket may be missing.
    engines = [{"name": line[1], "reason": line[2] and line[2].removesuffix(")")} for line in matches]
    return {"bytes": len(data), "engines": engines, "text": text}


def _turn_facts(costs: list[tuple[int, TurnCost]], game: Game | None) -> list[dict[str, Any]]:
    """Return what the platform measured in each turn, in the platform's order.

    `turn` counts the turns of a seat from 1. `column` is the move that was made in the turn, or None if it is unknown.
    """
    counts: collections.Counter[int] = collections.Counter()
    turns = []
    for number, cost in costs:
        counts[cost.position] += 1
        turn = counts[cost.position]
        turns.append(
            {
                "round": number,
                "seat": cost.position,
                "status": cost.status,
                "time_s": cost.time,
                "memory_bytes": cost.memory,
                "turn": turn,
                "column": _column_of_turn(game, cost.position, turn),
            }
        )
    return turns


def _column_of_turn(game: Game | None, seat: int, turn: int) -> int | None:
    """Return the column that a seat played in its turn number `turn`, from 1, or None if it is unknown."""
    if game is None:
        return None
    ply = 2 * (turn - 1) + (seat != game.first)
    columns = game.all_columns
    return columns[ply] if ply < len(columns) else None


def _move_facts(game: Game) -> dict[str, Any]:
    """Return the columns of the game's moves, in the order of the game and by seat.

    `shown` is the number of moves that the messages show, and `to_move` is the seat to move after these moves.
    """
    columns = game.all_columns
    return {
        "first": game.first,
        "columns": columns,
        "by_seat": [[column for ply, column in enumerate(columns) if game.mover(ply) == seat] for seat in (0, 1)],
        "shown": len(game.columns),
        "to_move": game.to_move,
        "last_from_replay": game.last,
        "fault": game.fault,
    }


def show(content: dict[str, Any], console: Console) -> None:
    """Print the content of facts() as tables and sentences."""
    say = functools.partial(console.print, soft_wrap=True)
    _show_match(content["match"], say)
    console.print(_seat_table(content["seats"]))
    if any((seat["end_state"], seat["exit_code"]) == ("OK", 9) for seat in content["seats"]):
        say(_("end state OK with exit code 9 is the normal end: the judger kills every bot when the game is over"))
    if content["turns"]:
        console.print(_turn_table(content["turns"]))
        console.print(_cost_table(content["seats"], content["threshold_s"]))
    if content["moves"] is not None:
        _show_moves(content["moves"], say)
    for seat in content["seats"]:
        _show_stdin(seat, say)
    for seat in content["seats"]:
        _show_stderr(seat, say)


def _cell_text(value: object, form: str = "{}") -> str:
    """Return a value as the text of a table's cell; None becomes "-"."""
    return "-" if value is None else printable(form.format(value))


def _seconds(value: float | None) -> str:
    """Return a time in seconds as the text of a table's cell."""
    return _cell_text(value, "{:.3f}")


def _megabytes(value: int | None) -> str:
    """Return a number of bytes as the text of a table's cell, in megabytes."""
    return "-" if value is None else f"{value / MEGABYTE:.1f}"


def _show_match(match: dict[str, Any], say: Say) -> None:
    """Print a line about the match, and its error if it has one."""
    line = _("match {number} of game {game} ({name}), created {created}; state: {state}").format(
        number=_cell_text(match["id"]),
        state=_cell_text(match["state"]),
        game=_cell_text(match["game"]),
        name=_cell_text(match["game_name"]),
        created=_cell_text(match["created"]),
    )
    say(line)
    if match["error"]:
        say(_("error: {message}").format(message=printable(match["error"])))


def _seat_table(seats: list[dict[str, Any]]) -> ReportTable:
    headings = (
        _("seat"),
        _("user name"),
        _("bot name"),
        _("bot version"),
        _("remark on the bot"),
        _("end state"),
        _("exit code"),
        _("score"),
        _("rank"),
    )
    table = ReportTable(
        _("Seats of the match"), headings, left=(*headings[1:3], *headings[4:6]), spare=(headings[4:5],)
    )
    keys = ("seat", "user", "entity", "version", "remark", "end_state", "exit_code", "score", "rank")
    for seat in seats:
        table.add_row(*(_cell_text(seat[key]) for key in keys))
    return table


def _turn_table(turns: list[dict[str, Any]]) -> ReportTable:
    headings = (
        _("round"),
        _("seat"),
        _("seat's turn"),
        _("turn status"),
        _("time, s"),
        _("memory, MB"),
        _("column played"),
    )
    table = ReportTable(_("Turns of the match"), headings, left=(_("turn status"),))
    for turn in turns:
        table.add_row(
            _cell_text(turn["round"]),
            _cell_text(turn["seat"]),
            _cell_text(turn["turn"]),
            _cell_text(turn["status"]),
            _seconds(turn["time_s"]),
            _megabytes(turn["memory_bytes"]),
            _cell_text(turn["column"]),
        )
    return table


def _cost_table(seats: list[dict[str, Any]], threshold_s: float) -> ReportTable:
    over = _("turns that took over {threshold:g} s").format(threshold=threshold_s)
    headings = (
        _("seat"),
        _("number of turns"),
        _("time of the first turn, s"),
        _("time of the slowest turn, s"),
        _("number of the slowest turn"),
        over,
        _("most memory, MB"),
    )
    table = ReportTable(_("Time and memory of each seat"), headings, left=())
    for seat in seats:
        cost = seat["cost"]
        table.add_row(
            _cell_text(seat["seat"]),
            _cell_text(cost["turns"]),
            _seconds(cost["first_s"]),
            _seconds(cost["greatest_s"]),
            _cell_text(cost["slowest"]),
            _cell_text(cost["over_threshold"]),
            _megabytes(cost["greatest_bytes"]),
        )
    return table


def _show_moves(moves: dict[str, Any], say: Say) -> None:
    """Print the columns of each seat's moves, and where they end."""
    say(_("Moves, as columns counted from 0: seat {seat} moved first").format(seat=moves["first"]))
    for seat, columns in enumerate(moves["by_seat"]):
        say(_("  columns of seat {seat}: {columns}").format(seat=seat, columns=" ".join(map(str, columns))))
    fields = {"seat": moves["to_move"], "column": moves["last_from_replay"]}
    if moves["fault"]:
        say(_("  the moves could not be read to the end: {error}").format(error=printable(shown(moves["fault"]))))
    elif moves["last_from_replay"] is None:
        line = _("  seat {seat} was to move next; the file lacks this move: give the match's replay with --moves")
        say(line.format(**fields))
    else:
        say(_("  the last move, column {column} by seat {seat}, comes from the replay file").format(**fields))
    say("")


def _show_stdin(seat: dict[str, Any], say: Say) -> None:
    """Print the counts that describe what a seat was sent, and its messages."""
    stdin = seat["stdin"]
    if stdin is None:
        say(_("Stdin of seat {seat}: not in the file").format(seat=seat["seat"]))
        return
    lines = _("Stdin of seat {seat}: {size:,} bytes in {lines:,} lines")
    say(lines.format(seat=seat["seat"], size=stdin["bytes"], lines=stdin["lines"]))
    if not stdin["bytes"]:
        return
    ends = ", ".join(f"{words} ({count:,})" for words, count in stdin["line_ends"].items())
    line = _("  line ends: {ends}; bytes after the last line end: {unclosed:,}")
    say(line.format(ends=ends or "-", unclosed=stdin["unclosed_bytes"]))
    line = _(
        "  empty lines: {empty:,}; lines that begin with a blank: {leading:,}; double blanks within lines: {double:,}; "
        "bytes that are no digit, minus sign or space: {others:,}"
    )
    say(
        line.format(
            empty=stdin["empty_lines"],
            leading=stdin["leading_blanks"],
            double=stdin["double_blanks"],
            others=stdin["other_bytes"],
        )
    )
    if "opening" in stdin:
        _show_messages(stdin, say)


def _show_messages(stdin: dict[str, Any], say: Say) -> None:
    """Print the board and the turns in a seat's stdin, if known; then where it cannot be read, or how it ends."""
    if stdin["opening"] is not None:
        opening = stdin["opening"]
        row, column = opening["forbidden"]
        board = _("{rows} rows x {cols} columns, forbidden cell {row},{column}").format(
            rows=opening["rows"], cols=opening["cols"], row=row, column=column
        )
        line = _("  the opening message has the board: {board}; {turns} turns in {lines} lines follow")
        say(line.format(board=board, turns=stdin["turns"], lines=stdin["lines"] - 1))  # the first line is the opening
    if stdin["fault"]:
        line = _("  the messages cannot be read from byte {byte:,} on, {error}")
        say(line.format(byte=stdin["fault_byte"], error=printable(shown(stdin["fault"]))))
    else:
        say(
            _("  after the last turn stdin has {after} and nothing else").format(
                after=printable(stdin["after_last_message"])
            )
        )


def _show_stderr(seat: dict[str, Any], say: Say) -> None:
    """Print what a seat wrote to stderr, after the engines that it reports."""
    stderr = seat["stderr"]
    if stderr is None:
        line = _("Stderr of seat {seat}: not in the file; the platform shows it to the bot's owner only")
        say(line.format(seat=seat["seat"]))
        return
    say(_("Stderr of seat {seat}: {size:,} bytes").format(seat=seat["seat"], size=stderr["bytes"]))
    for engine in stderr["engines"]:
        reason = printable(engine["reason"] or "") or _("no reason given")
        say(_("  engine that the bot reports: {name} ({reason})").format(name=printable(engine["name"]), reason=reason))
    for line in stderr["text"].splitlines():
        say(f"  | {printable(line)}")
