"""Records as rounds of Compete, and as the log that it would print."""

from collections.abc import Sequence

from judge.formats.compete_log.boards import EMPTY, FORBIDDEN
from judge.formats.compete_log.verdicts import VERDICTS
from judge.games import DEFAULT_GAME, GAMES
from judge.play.scoresheet import in_order
from judge.reports import compete
from protocol.records.record import GameRecord, Termination


def in_rounds(records: Sequence[GameRecord]) -> tuple[list[tuple[GameRecord, GameRecord]], list[int]]:
    """(rounds, the places of the games that belong to none): two games on one board, A first and B first.

    Games that do not count belong to none.
    """
    waiting: dict[str, int] = {}
    rounds: list[tuple[GameRecord, GameRecord]] = []
    for number, record in enumerate(records):
        if record.termination is Termination.VOID:
            waiting[f"VOID {number}"] = number
            continue
        players = [(player.name, player.command, player.version) for player in record.players]
        key, partner = (f"{side} {record.pair} {record.board} {players}" for side in in_order(record.first))
        if partner in waiting:
            pair = (records[waiting.pop(partner)], record)
            rounds.append(pair if record.first == "B" else pair[::-1])
        elif key in waiting:
            waiting[f"{key} {number}"] = number
        else:
            waiting[key] = number
    return rounds, sorted(waiting.values())


def write(rounds: Sequence[tuple[GameRecord, GameRecord]]) -> str:
    """The log of rounds as in_rounds() makes them, at least one. Precondition: sound records of connect four."""
    lines: list[str] = []
    for number, games in enumerate(rounds):
        board = games[0].board
        lines += [f"Round {number}:", f"M = {board['rows']}, N = {board['cols']}"]
        for record in games:
            code = compete.result_code(record)
            lines.append(f"{record.first} first:")
            if code >= 0:  # who could not be loaded has not played
                lines += board_lines(record)
            lines.append(VERDICTS[code])
        lines.append("")
    statistics = compete.result_file(rounds).decode("ascii").partition("Stat:\n")
    return "".join(f"{line}\n" for line in lines) + "".join(statistics[1:])


def board_lines(record: GameRecord) -> list[str]:
    """The last board as Compete prints it."""
    position = GAMES[DEFAULT_GAME].new_position(GAMES[DEFAULT_GAME].read_board(record.board))
    for move in record.moves:
        position.play(move.move)
    marks: dict[int | None, str] = {None: EMPTY}
    marks.update(enumerate(in_order(record.first)))
    return [
        "".join(
            (FORBIDDEN if (row, column) == position.forbidden else marks[owner]) + " "
            for column, owner in enumerate(owners)
        )
        for row, owners in enumerate(position.owner)
    ]
