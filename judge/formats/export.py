"""Records in the forms of other programs: which of them a form can hold, and their files."""

from collections.abc import Callable, Sequence

from judge.formats import hand, saiblo_connect_four, saiblo_reversi
from judge.formats.compete_log.writing import in_rounds, write
from judge.formats.documents import NotThisForm
from judge.games import DEFAULT_GAME
from judge.language import recorded
from judge.reports import compete
from protocol.records.record import GameRecord

LOG, RESULTS = "log.txt", "result.txt"
Numbered = Sequence[tuple[int, GameRecord]]
Refused = list[tuple[int, str]]  # numbers of games with the reasons why they are left out
REPLAYS: dict[str, Callable[[GameRecord], str]] = {
    module.GAME: module.write for module in (saiblo_connect_four, saiblo_reversi)
}
# Reasons, as problems' texts.
NOT_ON_SAIBLO = recorded("Saiblo has no {game}")
NOT_FOR_COMPETE = recorded("Compete plays no {game}")
NO_PARTNER = recorded("Compete plays two games on a board, and the one with the other side first is not there")

text_of = hand.write


def saiblo_replays(records: Numbered) -> tuple[dict[str, str], Refused]:
    """({file name: replay}, games left out)."""
    files: dict[str, str] = {}
    refused: Refused = []
    for number, record in records:
        try:
            if record.game not in REPLAYS:
                raise NotThisForm(NOT_ON_SAIBLO.format(game=record.game))
            files[f"game-{number}.json"] = REPLAYS[record.game](record)
        except NotThisForm as error:
            refused.append((number, str(error)))
    return files, refused


def compete_files(records: Numbered) -> tuple[dict[str, str], Refused]:
    """({LOG: what Compete would print, RESULTS: its result file}, games left out)."""
    refused = [
        (number, NOT_FOR_COMPETE.format(game=record.game)) for number, record in records if record.game != DEFAULT_GAME
    ]
    own = [(number, record) for number, record in records if record.game == DEFAULT_GAME]
    rounds, alone = in_rounds([record for _number, record in own])
    refused += [(own[place][0], NO_PARTNER) for place in alone]
    if not rounds:
        return {}, refused
    return {LOG: write(rounds), RESULTS: compete.result_file(rounds).decode("ascii")}, refused
