"""Notes on forfeits for a player's author: what the player printed instead of a reply, and the end of its stderr."""

from collections.abc import Callable, Iterable, Mapping

from judge.language import Sentence, _, shown
from judge.play.backtraces import LINES_SHOWN, backtrace_of
from judge.play.scoresheet import ending_in_words
from judge.play.seat import OUT_OF_TURN
from judge.reasons import PRINTED, PRINTED_OUT_OF_TURN, reason_of
from judge.terminal import sentence, shortened
from protocol.records.record import GameRecord

ENDINGS_SHOWN = 4  # the most forfeits of a run that are shown, each of another kind or by another player


def notes(record: GameRecord) -> list[str]:
    """Return lines on what the player who forfeited the game printed on stdout and stderr.

    Returns [] if nobody forfeited, or if the record has no output of the player.
    """
    side = record.at_fault
    if side is None:
        return []
    return [*_text_on_stdout(record, side), *_place_of_failure(record, side)]


def first_of_each_kind(
    records: Iterable[GameRecord],
    numbers: Mapping[str, int],
    player_of: Callable[[GameRecord, str], str] = lambda record, side: side,
    hints: Callable[[GameRecord, int], Iterable[str]] = lambda record, number: (),
) -> list[str]:
    """Return lines on the first forfeit of each kind by each player. At most ENDINGS_SHOWN forfeits are shown.

    `numbers` maps the id of a game to the game's number in the record file. player_of(record, side) returns the name of
    the player who was `side` in a game. Without it the games must be between the same two players.
    hints(record, number) returns lines on how to examine that game of the record file.
    """
    firsts: dict[tuple[str, str], GameRecord] = {}
    for record in records:
        if record.at_fault:
            firsts.setdefault((player_of(record, record.at_fault), record.termination.value), record)
    lines: list[str] = []
    for (player, ending), record in list(firsts.items())[:ENDINGS_SHOWN]:
        side = str(record.at_fault)
        who = side if player == side else _("{side} ({name})").format(side=side, name=player)
        reason = sentence(shown(reason_of(record)))
        line = _("game {number}: {ending}: {reason}")
        number = numbers.get(str(record.extra.get("id")))
        lines.append(line.format(number=number or "-", ending=ending_in_words(ending, who), reason=reason))
        lines += [f"  {line}" for line in notes(record)]
        lines += [f"  {line}" for line in hints(record, number)] if number else []
    if len(firsts) > ENDINGS_SHOWN:
        lines.append(
            _("{number} more kinds of forfeits are in the table of endings").format(number=len(firsts) - ENDINGS_SHOWN)
        )
    return lines


def _text_on_stdout(record: GameRecord, side: str) -> list[str]:
    """Return [a line with what `side` printed on stdout instead of a reply], or [] if there is none to show."""
    text, reason = record.kept(side).get("stdout"), reason_of(record)
    if not record.termination.is_without_reply or not isinstance(text, str) or not text:
        return []
    if isinstance(reason, Sentence) and reason.template in (PRINTED, PRINTED_OUT_OF_TURN):
        return []  # the reason of the forfeit shows this text already
    line = (
        _('{side} printed "{text}" on stdout out of turn')
        if OUT_OF_TURN in reason
        else _('{side} printed "{text}" on stdout where a reply was due')
    )
    return [line.format(side=side, text=shortened(text))]


def _place_of_failure(record: GameRecord, side: str) -> list[str]:
    """Return lines that show where the player `side` failed: a backtrace or, without one, the end of its stderr.

    Returns [] if the record has neither.
    """
    backtrace, text = backtrace_of(record, side), record.kept(side).get("stderr", "")
    if backtrace is not None:
        return [backtrace.heading(side), *(f"  {shortened(line)}" for line in backtrace.lines)]
    lines = [line.rstrip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("{")]  # leave out JSON reports on moves
    if not lines:
        return []
    return [
        _("the last lines that {side} wrote to stderr:").format(side=side),
        *(f"  {shortened(line)}" for line in lines[-LINES_SHOWN:]),
    ]
