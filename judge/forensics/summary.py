"""A case in words: who, how it ended, the last turn, the board, and what to type to play it again."""

from collections.abc import Iterator
from typing import Any

from judge.forensics.case import Case, last_position
from judge.games import GAMES
from judge.language import _, shown
from judge.play.screen import result_in_words, stderr_notes
from judge.play.seat import describe_exit
from judge.reports import forfeits, phases, prints
from judge.terminal import printable

MEGABYTE = 1e6


def lines(case: Case, place: str, repro: str) -> Iterator[str]:
    """The summary. `place` says where the record is, `repro` is the command that writes what the player was sent."""
    record = case.record
    position = last_position(record)
    yield place
    yield result_in_words(record)
    yield _("{started}, {board}, {mover} first, limit {limit:g} s").format(
        started=record.started,
        board=GAMES[record.game].read_board(record.board).in_words(),
        mover=record.first,
        limit=record.extra["limit_s"],
    )
    yield ""
    yield _("to play that position again:")
    yield f"  {repro}"
    yield ""
    yield from (line.rstrip() for line in GAMES[record.game].picture(position).plain.split("\n"))
    for side, player in zip("AB", record.players, strict=True):
        yield ""
        yield _("{side}: {words}").format(side=side, words=printable(player.name))
        yield from (f"  {line}" for line in _of_side(case, side))
    yield ""
    yield from _last_turn(case)
    yield from phases.in_words(record)
    yield from [*stderr_notes(record), *forfeits.notes(record), *prints.notes([record])]
    yield ""
    yield _("frames.jsonl has all that passed and every turn, in seconds after the game's start")
    for side, frames in case.frames.items():
        if frames.dropped:
            left_out = _("{number} frames of {side}, {size} bytes in all, are left out there")
            yield left_out.format(side=side, number=frames.dropped, size=frames.dropped_bytes)


def _of_side(case: Case, side: str) -> Iterator[str]:
    kept: dict[str, Any] = case.record.extra[side]
    if side not in case.ended:
        yield _("it was not started")
        return
    judged, ended = kept["exit_status"], case.ended[side].exit_status
    if judged is not None:
        yield _("when the game ended: it {end}").format(end=shown(describe_exit(judged)))
    else:
        yield _("when the game ended: it was running")
        yield _("afterwards, asked to end: it {end}").format(end=shown(describe_exit(ended)))
    limit = case.record.extra["memory_limit_bytes"]
    memory = _("memory: {number:.0f} MB at most").format(number=kept["peak_rss_bytes"] / MEGABYTE)
    yield memory + (_(", of {number:.0f} MB").format(number=limit / MEGABYTE) if limit else "")
    yield _("processor time: {number:.2f} s").format(number=kept["cpu_s"])
    yield _("stderr: {number} bytes").format(number=kept["stderr_bytes"])


def _last_turn(case: Case) -> Iterator[str]:
    turns = [turn for turn in case.turns if turn.side == case.side and case.ply in (None, turn.ply)]
    if not turns:
        return
    told = turns[-1].as_json()
    words = _(
        "turn of {side} for ply {ply}: {wall_s:.3f} s; its threads ran {ran_s:.3f} s in all, and one of them waited "
        "{waited_s:.3f} s for a core: {allowance_s:.3f} s do not count"
    )
    yield words.format(**told)
