"""The facts of a match for people: tables and sentences on stdout."""

import sys

from rich.box import SIMPLE_HEAD
from rich.table import Table

from judge.plain_console import PlainConsole
from judge.terminal import printable, printable_lines

MEGABYTE = 1e6
NORMAL_END = ("OK", 9)
WIDTH_OF_NO_TERMINAL = 160


def show(told):
    """Print what `facts.facts` told."""
    width = None if sys.stdout.isatty() else WIDTH_OF_NO_TERMINAL
    # Names and remarks are other people's: no markup of theirs is obeyed.
    console = PlainConsole(width=width, markup=False, emoji=False, highlight=False)

    def say(text=""):
        console.print(printable_lines(text.expandtabs()), soft_wrap=True)

    _show_match(told["match"], say)
    console.print(_seat_table(told["seats"]))
    if any((seat["end_state"], seat["exit_code"]) == NORMAL_END for seat in told["seats"]):
        say("end state OK with exit code 9 is the normal end: the judger kills every bot when the game is over")
    if told["turns"]:
        console.print(_turn_table(told["turns"]))
        console.print(_cost_table(told["seats"], told["threshold_s"]))
    if told["moves"] is not None:
        _show_moves(told["moves"], say)
    for seat in told["seats"]:
        _show_stdin(seat, say)
    for seat in told["seats"]:
        _show_stderr(seat, say)


def _cell(value, form="{}"):
    return "-" if value is None else printable(form.format(value).replace("\n", " ").replace("\t", " "))


def _seconds(value):
    return _cell(value, "{:.3f}")


def _megabytes(value):
    return "-" if value is None else f"{value / MEGABYTE:.1f}"


def _table(title, *headings):
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _show_match(match, say):
    game = f"game {_cell(match['game'])} {_cell(match['game_name'])}"
    say(f"match {_cell(match['id'])}: {_cell(match['state'])}, {game}, {_cell(match['created'])}")
    if match["error"]:
        say(f"error: {_cell(match['error'])}")


def _seat_table(seats):
    keys = ("seat", "user", "entity", "version", "remark", "end_state", "exit_code", "score", "rank")
    table = _table("Seats", *(key.replace("_", " ") for key in keys))
    for seat in seats:
        table.add_row(*(_cell(seat[key]) for key in keys))
    return table


def _turn_table(turns):
    table = _table("Turns", "round", "seat", "its turn", "status", "time, s", "memory, MB", "column")
    for turn in turns:
        table.add_row(
            _cell(turn["round"]),
            _cell(turn["seat"]),
            _cell(turn["turn"]),
            _cell(turn["status"]),
            _seconds(turn["time_s"]),
            _megabytes(turn["memory_bytes"]),
            _cell(turn["column"]),
        )
    return table


def _cost_table(seats, threshold_s):
    over = f"over {threshold_s:g} s"
    headings = ("seat", "turns", "first, s", "greatest, s", "in its turn", over, "greatest, MB")
    table = _table("Time and memory", *headings)
    for seat in seats:
        cost = seat["cost"]
        table.add_row(
            _cell(seat["seat"]),
            _cell(cost["turns"]),
            _seconds(cost["first_s"]),
            _seconds(cost["greatest_s"]),
            _cell(cost["slowest"]),
            _cell(cost["over_threshold"]),
            _megabytes(cost["greatest_bytes"]),
        )
    return table


def _show_moves(moves, say):
    say(f"Moves (columns from 0): seat {moves['first']} moved first")
    for seat, columns in enumerate(moves["by_seat"]):
        say(f"  seat {seat}: {' '.join(map(str, columns))}")
    if moves["fault"]:
        say(f"  NOT to the end: {moves['fault']}")
    elif moves["last_from_replay"] is None:
        say(f"  after these seat {moves['to_move']} was to move; what it answered is in no stdin")
    else:
        say(f"  the last one, column {moves['last_from_replay']} by seat {moves['to_move']}, is from the replay file")
    say()


def _show_stdin(seat, say):
    stdin = seat["stdin"]
    if stdin is None:
        say(f"Stdin of seat {seat['seat']}: not in the file")
        return
    say(f"Stdin of seat {seat['seat']}: {stdin['bytes']:,} bytes in {stdin['lines']:,} lines")
    if not stdin["bytes"]:
        return
    ends = ", ".join(f"{words} ({count:,})" for words, count in stdin["line_ends"].items())
    say(f"  line ends: {ends or 'none'}; bytes after the last: {stdin['unclosed_bytes']:,}")
    say(
        f"  empty lines: {stdin['empty_lines']:,}; lines that begin with a blank: {stdin['leading_blanks']:,}; "
        f"double blanks within lines: {stdin['double_blanks']:,}; "
        f"bytes that are no digit, minus sign or space: {stdin['other_bytes']:,}"
    )
    if "opening" in stdin:
        _show_messages(stdin, say)


def _show_messages(stdin, say):
    if stdin["opening"] is not None:
        opening = stdin["opening"]
        row, column = opening["forbidden"]
        board = f"{opening['rows']} rows x {opening['cols']} columns, forbidden cell {row},{column}"
        say(f"  {board}; {stdin['turns']} turns in {stdin['lines'] - 1} lines")
    if stdin["fault"]:
        say(f"  NOT readable from byte {stdin['fault_byte']:,} on, {stdin['fault']}")
    else:
        say(f"  after the last turn: {stdin['after_last_message']} and nothing else")


def _show_stderr(seat, say):
    stderr = seat["stderr"]
    if stderr is None:
        say(f"Stderr of seat {seat['seat']}: not in the file; the platform shows it to the bot's owner only")
        return
    say(f"Stderr of seat {seat['seat']}: {stderr['bytes']:,} bytes")
    for engine in stderr["engines"]:
        say(f"  engine: {engine['name']} ({engine['reason'] or 'no reason given'})")
    for line in stderr["text"].splitlines():
        say(f"  | {line}")
