"""A tournament's records altered at random: taken up or refused, and rated, with nothing printed that is obeyed."""

import pytest

from judge.cli.tournament import ADAPTIVE, TournamentFormat, TournamentRun
from judge.play.scoresheet import Conditions
from judge.players.players import contestants
from judge.reports import circumstances, forfeits, prints
from judge.reports import tournament as report
from judge.runs.config import RunConfig
from judge.runs.ledger import ResumeError, identity, open_ledger
from judge.runs.tournament import Entrants, Tournament
from judge.terminal import console, json_line
from judge.web.totals import ratings_json
from tests.contracts.games import GAMES
from tests.judge.helpers.alterations import altered, chance_of, faults_of
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command, run_judge

SEED = 7
PLAYERS = (command("first_legal"), command("random_mover", "--seed", "{seed}"))


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """The record file of a tournament of four games, by lines."""
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    words = ("tournament", *PLAYERS, "--rounds", 2, "--seed", SEED, "--limit", WIDE_LIMIT_S, "--record", path)
    assert run_judge(path.parent, *words).returncode == 0
    return path.read_bytes().splitlines(keepends=True)


def told_of(path):
    """All that a tournament tells of a file that it goes on with, printed. Raises ResumeError where it refuses it."""
    config = RunConfig(path, GAMES[0], conditions=Conditions(WIDE_LIMIT_S, free_start=True), seed=SEED, resume=True)
    tournament = Tournament(Entrants(contestants(PLAYERS)), config)
    run = TournamentRun(config, TournamentFormat(ADAPTIVE, rounds=3), tournament)
    with open_ledger(config, identity("tournament", config), tournament.read_records) as ledger:
        tournament.count_results(ledger)
        next(tournament.games(run.plan(), ledger), None)
        records = ledger.records
    rows, ratings = run.current_standings()
    out = console()
    for shown in (
        report.standings_table(rows, run.former),
        report.crosstable_table(rows),
        report.forfeits_table(records, run.player_of) or "",
        *report.notes(rows, ratings),
        *(circumstances.lines(records, 0, run.player_of) if records else []),
        *forfeits.first_of_each_kind(records, {}, run.player_of),
        *prints.notes(records, run.player_of),
        run.line(records),
    ):
        out.print(shown)
    commands = {number: (player.command, player.version) for number, player in enumerate(run.entrants.contestants)}
    print(json_line(report.summary(rows, ratings, commands, run.former)))
    print(json_line(circumstances.summary(records, 0, run.player_of)))
    print(json_line(ratings_json(records)))


@pytest.mark.parametrize("count", [40, pytest.param(300, marks=pytest.mark.slow)])
def test_altered_records_are_refused_or_rated(lines, tmp_path, capsys, count):
    path = tmp_path / "altered.jsonl"
    refused = 0
    for number in range(count):
        chance = chance_of(number)
        chosen = list(lines)
        game = chance.randrange(len(chosen))
        chosen[game] = altered(chosen[game], chance)
        path.write_bytes(b"".join(chosen))
        try:
            told_of(path)
        except ResumeError as error:
            refused += 1
            print(error)
        shown = capsys.readouterr()
        assert faults_of(shown.out + shown.err) == [], number
    assert count // 20 < refused < count * 19 // 20
