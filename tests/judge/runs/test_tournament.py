"""A tournament's games made while it is played: killed at any moment, more or fewer players, several at a time."""

import functools
import random
import threading

import pytest
from msgspec import structs

from judge.play.referee import Interrupted
from judge.play.scoresheet import Conditions
from judge.players.players import Contestant, PlayerError
from judge.runs.config import RunConfig
from judge.runs.ledger import ResumeError, identity, open_ledger
from judge.runs.schedule import play_all
from judge.runs.tournament import Adaptive, Entrants, FixedOrder, Target, Tournament, gauntlet_order, round_robin_order
from judge.statistics.ratings import rate
from protocol.records.record import Player, Termination, read_records
from tests.judge.helpers.records import ended

SEED = 5
NAMES = ("ada", "bob", "cyd", "dee", "eve")


def config_of(path):
    return RunConfig(path, conditions=Conditions(1.0, free_start=True, memory_limit_bytes=None), seed=SEED, resume=True)


def players(*names):
    return [Contestant(name, f"./{name}", f"version of {name}") for name in names]


def by_chance(contestants, plan, observer, stop):
    """A record that depends on the players, the board and who moves first alone; names that come first win more."""
    chance = random.Random(f"{[player.name for player in contestants]} {plan.pair} {plan.first}")
    mean = sum(
        (1 if side == "A" else -1) * -NAMES.index(player.name) for side, player in zip("AB", contestants, strict=True)
    )
    return structs.replace(
        ended(Termination.NORMAL),
        players=tuple(Player(player.name, player.command, player.version) for player in contestants),
        board=plan.board.as_json(),
        first=plan.first,
        winner="A" if chance.gauss(mean, 2.0) > 0 else "B",
        seed=plan.seed,
        pair=plan.pair,
        extra={"id": str(plan.index), "index": plan.index, "limit_s": plan.conditions.limit_s, "reason": "by chance"},
    )


def test_a_player_that_is_named_twice_is_refused():
    with pytest.raises(PlayerError, match="player './ada' is named 2 times"):
        Entrants(players("ada", "bob", "ada"))
    in_folders = [Contestant("x", "./bot", folder="/a"), Contestant("y", "./bot", folder="/b")]
    assert Entrants(in_folders).names == ["x", "y"]


def record_of(name, command, folder=None, side="A"):
    record = ended(Termination.NORMAL)
    kept = {} if folder is None else {side: {"folder": folder}}
    return structs.replace(record, players=(Player(name, command), Player("z", "z")), extra={"index": 0, **kept})


def test_players_are_known_by_command_and_folder():
    """Names may change with who else plays; in a players file the same command may stand for two."""
    entrants = Entrants([Contestant("x", "./bot", folder="/a"), Contestant("y", "./bot", folder="/b")])
    assert entrants.number_of(record_of("old", "./bot", "/b"), "A") == 1
    assert entrants.number_of(record_of("x", "./bot"), "A") == 0  # it could not be started
    assert entrants.number_of(record_of("y", "./bot", "/moved"), "A") == 1
    assert entrants.number_of(record_of("other", "./bot", "/c"), "A") == 2
    assert entrants.number_of(record_of("any", "./bot"), "B") == 3
    assert entrants.names == ["x", "y", "other", "z"]
    assert Entrants(players("ada")).number_of(record_of("a/ada", "./ada"), "A") == 0


def test_who_plays_no_more_shares_its_name_with_nobody():
    """Programs of one name in other folders are told apart by the words that differ."""
    entrants = Entrants([Contestant("main.py", "python3 v2/main.py"), Contestant("bob", "./bob")])
    record = structs.replace(
        ended(Termination.NORMAL), players=(Player("main.py", "python3 v1/main.py"), Player("bob", "./bob"))
    )
    assert [entrants.number_of(record, side) for side in "AB"] == [2, 1]
    assert len(set(entrants.names)) == 3 and entrants.names[2] == "main.py"
    named = Entrants([Contestant("main.py", "python3 v2/main.py", is_named=True), Contestant("bob", "./bob")])
    named.number_of(record, "A")
    assert named.names == ["main.py", "bob", "main.py"]  # whoever has named it so knows what is meant


class Stopped(Exception):
    """The judge was killed here."""


def plan_of(mode, tournament, names, rounds):
    playing = tournament.entrants.playing
    order = round_robin_order(playing)
    if mode != "adaptive":
        return FixedOrder(gauntlet_order(playing) if mode == "gauntlet" else order, rounds)
    everybody = len(tournament.entrants.contestants)
    target = Target(0.0, lambda boards: rate(everybody, boards))
    ask = functools.partial(target.question, range(playing), everybody)
    return Adaptive(playing, everybody, rounds * len(order), SEED, tournament.boards_before, ask)


def run(path, names=NAMES[:4], mode="round robin", rounds=2, jobs=1, games=None, play=by_chance, left_out=()):
    """Play in the file, until it is complete or so many more games are in it; returns the Tournament."""
    tournament = Tournament(Entrants(players(*names)), config_of(path))
    tournament.left_out.update(left_out)
    kept = []
    with open_ledger(config_of(path), identity("tournament", config_of(path)), tournament.read_records) as ledger:
        tournament.count_results(ledger)
        plan = plan_of(mode, tournament, names, rounds)
        to_play = 2 * plan.pairs_to_come(tournament.begun.values()) + tournament.games_missing()

        def keep(record):
            if games is not None and len(kept) >= games:
                raise Stopped
            kept.append(record)
            ledger.append(record)
            if record.termination is not Termination.VOID or record.extra["attempt"] % 4 == 0:
                tournament.note_end(record)

        try:
            play_all(tournament.games(plan, ledger), jobs, threading.Event(), keep, play)
        except Stopped:
            return tournament
        assert len({record.extra["index"] for record in kept}) == to_play or tournament.left_out
    return tournament


def games_in(path):
    """{a game's number: who was A and B, the board, who moved first, who won}; fails if one has two results."""
    found = {}
    for record in read_records(path)[0]:
        if record.termination is Termination.VOID:
            continue
        assert record.extra["index"] not in found
        names = tuple(player.name for player in record.players)
        found[record.extra["index"]] = (names, record.board, record.first, record.winner)
    return found


MODES = pytest.mark.parametrize("mode", ["round robin", "gauntlet", "adaptive"])


@MODES
def test_pairs_are_on_one_board_from_either_side(tmp_path, mode):
    path = tmp_path / "games.jsonl"
    run(path, mode=mode, rounds=4)
    games = games_in(path)
    assert sorted(games) == list(range(len(games)))
    assert len(games) == 2 * 4 * (3 if mode == "gauntlet" else 6)
    for index in range(0, len(games), 2):
        (names, board, first, _), (others, other_board, second, _) = games[index], games[index + 1]
        assert (names, board, first, second) == (others, other_board, "A", "B")
    assert len({str(board) for _names, board, _first, _winner in games.values()}) > len(games) / 3


@MODES
def test_how_many_are_played_at_a_time_does_not_matter(tmp_path, mode):
    one, several = tmp_path / "one.jsonl", tmp_path / "several.jsonl"
    run(one, mode=mode, rounds=6)

    def slowly(contestants, plan, observer, stop):
        stop.wait(random.Random(plan.index).choice((0.0, 0.0, 0.004)))
        return by_chance(contestants, plan, observer, stop)

    run(several, mode=mode, rounds=6, jobs=5, play=slowly)
    assert games_in(several) == games_in(one)


@MODES
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_a_run_that_is_killed_again_and_again_plays_the_same(tmp_path, mode, seed):
    """Several at a time, so that there are holes: pairs without a game before pairs with some."""
    whole, killed = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    run(whole, mode=mode, rounds=5)
    chance = random.Random(seed)

    def in_any_order(contestants, plan, observer, stop):
        stop.wait(chance.choice((0.0, 0.002)))
        if stop.is_set():
            raise Interrupted
        return by_chance(contestants, plan, observer, stop)

    before = -1
    while len(games_in(killed) if killed.exists() else ()) > before:
        before = len(games_in(killed)) if killed.exists() else 0
        run(killed, mode=mode, rounds=5, jobs=3, games=chance.randrange(1, 12), play=in_any_order)
    assert games_in(killed) == games_in(whole)


@MODES
def test_players_join_later_and_what_was_played_counts(tmp_path, mode):
    path = tmp_path / "games.jsonl"
    run(path, NAMES[:3], mode, rounds=3, games=9)
    begun = games_in(path)
    tournament = run(path, NAMES, mode, rounds=3, jobs=2)
    games = games_in(path)
    assert {index: games[index] for index in begun} == begun
    assert sum(map(len, tournament.boards.values())) == len(games)
    expected = 3 * (4 if mode == "gauntlet" else 10)
    assert len(games) == 2 * expected
    if mode != "adaptive":
        counts = [names for names, *_others in games.values()]
        assert {counts.count(names) for names in set(counts)} == {6}


def test_players_may_leave_and_be_named_in_another_order(tmp_path):
    """Games of those who left count; a pair of theirs that lacks a game goes without."""
    path = tmp_path / "games.jsonl"
    run(path, NAMES[:3], rounds=2, games=5)
    lacking = max(games_in(path))
    assert lacking % 2 == 0
    gone = games_in(path)[lacking][0][1]
    left = [name for name in ("cyd", "bob", "ada") if name != gone]
    tournament = run(path, [*left, "dee"], rounds=2)
    games = games_in(path)
    assert lacking + 1 not in games
    assert tournament.entrants.names == [*left, "dee", gone]
    met = {names for index, (names, *_others) in games.items() if index > lacking}
    assert all(gone not in names for names in met)
    counted = [frozenset(names) for names, *_others in games.values() if gone not in names]
    assert {counted.count(names) for names in set(counted)} == {4}


def test_more_rounds_go_on_where_fewer_ended(tmp_path):
    path, whole = tmp_path / "games.jsonl", tmp_path / "whole.jsonl"
    run(path, rounds=2)
    run(path, rounds=3)
    run(whole, rounds=3)
    assert games_in(path) == games_in(whole)
    size = path.stat().st_size
    run(path, rounds=1)  # fewer play nothing
    assert path.stat().st_size == size


def void_of(indices, play=by_chance):
    """Plays, and has the games of these numbers end VOID."""

    def made(contestants, plan, observer, stop):
        record = play(contestants, plan, observer, stop)
        if plan.index not in indices:
            return record
        return structs.replace(record, termination=Termination.VOID, winner=None)

    return made


@MODES
def test_a_void_game_holds_nothing_up_and_is_played_when_the_run_goes_on(tmp_path, mode):
    path = tmp_path / "games.jsonl"
    tournament = run(path, mode=mode, rounds=6, jobs=2, play=void_of({3, 10}))
    total = 2 * 6 * (3 if mode == "gauntlet" else 6)
    assert sum(map(len, tournament.boards.values())) == total - 2
    assert tournament.games_missing() == 2
    again = run(path, mode=mode, rounds=6)
    assert sum(map(len, again.boards.values())) == total
    attempts = [record.extra["attempt"] for record in read_records(path)[0] if record.extra["index"] == 3]
    assert attempts == [1, 2, 3, 4, 5]


@MODES
def test_who_is_left_out_holds_nothing_up(tmp_path, mode):
    """From the third game on, say: what was begun with that player goes without its games."""
    path = tmp_path / "games.jsonl"
    tournament = run(path, mode=mode, rounds=6, jobs=2, left_out={2})
    games = games_in(path)
    assert all("cyd" not in names for names, *_others in games.values())
    assert tournament.first_open * 2 >= len(games)


def test_a_player_keeps_the_name_that_the_file_has(tmp_path):
    path = tmp_path / "games.jsonl"
    run(path, NAMES[:2], rounds=1)
    path.write_text(path.read_text().replace('"name":"ada"', '"name":"ada of old"'))
    tournament = Tournament(Entrants(players(*NAMES[:3])), config_of(path))
    with open_ledger(config_of(path), identity("tournament", config_of(path)), tournament.read_records):
        assert tournament.entrants.names == ["ada of old", "bob", "cyd"]
    path.write_text(path.read_text().replace('"name":"ada of old"', '"name":"cyd"'))
    tournament = Tournament(Entrants(players(*NAMES[:3])), config_of(path))
    with open_ledger(config_of(path), identity("tournament", config_of(path)), tournament.read_records):
        assert tournament.entrants.names == ["ada", "bob", "cyd"]


def test_another_run_is_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    run(path, NAMES[:2], rounds=1)
    original = path.read_text()
    for old, new, message in [
        (
            '"version":"version of ada"',
            '"version":"old"',
            "./ada at version old as A, but this command has ./ada at version",
        ),
        ('"first":"A"', '"first":"B"', "has another board, first side or seed than this command would play with"),
        ('"format":"tournament"', '"format":"match"', "played with format 'match', but this command has 'tournament'"),
    ]:
        path.write_text(original.replace(old, new))
        with pytest.raises(ResumeError, match=message):
            run(path, NAMES[:2], rounds=1)


def test_a_number_beyond_all_bounds_is_left_alone(tmp_path):
    path = tmp_path / "games.jsonl"
    run(path, NAMES[:2], rounds=1)
    path.write_text(path.read_text().replace('"index":1,', f'"index":{10**15},'))
    run(path, NAMES[:2], rounds=1)
    assert sorted(games_in(path)) == [0, 1, 10**15]
