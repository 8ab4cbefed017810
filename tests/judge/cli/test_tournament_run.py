"""What a tournament works out while it goes: standings only as often as there is time for them."""

from pathlib import Path

from msgspec import structs

from judge.cli.tournament import SHARE_FOR_SHOWING, TournamentFormat, TournamentRun
from judge.players.players import Contestant
from judge.runs.config import RunConfig
from judge.runs.tournament import Entrants, Tournament
from protocol.records.record import Player, Termination
from tests.judge.helpers.records import ended


def run_of(names, clock):
    config = RunConfig(Path("games.jsonl"), seed=1)
    tournament = Tournament(Entrants([Contestant(name, name) for name in names]), config)
    return TournamentRun(config, TournamentFormat(rounds=4), tournament, clock)


def game(index, winner):
    record = structs.replace(ended(Termination.NORMAL), winner=winner, first="AB"[index % 2], pair=index // 2)
    players = (Player("ada", "ada"), Player("bob", "bob"))
    return structs.replace(record, players=players, extra={"index": index, "reason": ""})


def test_standings_that_take_long_are_made_less_often():
    """Each look takes a second of this clock: the next comes when that was a fiftieth of the time."""
    now = [0.0]

    def clock():
        now[0] += 0.5
        return now[0]

    run = run_of(("ada", "bob"), clock)
    run.total = 8
    assert run.line([]) == "0/8 games"
    run.tournament.read_records([game(index, "A") for index in range(8)])
    for index in range(4):
        run.tournament._count(game(index, "A"))
    assert run.line([None] * 4) == "4/8 games"  # what is known is older
    now[0] += 1.0 / SHARE_FOR_SHOWING
    assert run.line([None] * 4).startswith("4/8 games  ada leads with +")
    assert run.current_standings()[0][0].score.wins == 4
    for index in range(4, 8):
        run.tournament._count(game(index, "B"))
    assert run.line([None] * 8).startswith("8/8 games  ada leads with +")
    assert (
        run.current_standings()[0][0].score.wins == 4 == run.current_standings()[0][0].score.losses
    )  # at the end they are as things are
