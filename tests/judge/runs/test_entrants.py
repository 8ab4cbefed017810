"""Who is who in a tournament: by commands and folders, whatever names players have in a file."""

import dataclasses

import pytest

from judge.players.players import Contestant, PlayerError
from judge.runs.tournament import Entrants
from protocol.records.record import Player, Termination
from tests.judge.helpers.records import ended


def players(*names):
    return [Contestant(name, f"./{name}", f"version of {name}") for name in names]


def test_a_player_that_is_named_twice_is_refused():
    with pytest.raises(PlayerError, match="player './ada' is named 2 times"):
        Entrants(players("ada", "bob", "ada"))
    in_folders = [Contestant("x", "./bot", folder="/a"), Contestant("y", "./bot", folder="/b")]
    assert Entrants(in_folders).names == ["x", "y"]


def record_of(name, command, folder=None, side="A"):
    record = ended(Termination.NORMAL)
    kept = {} if folder is None else {side: {"folder": folder}}
    return dataclasses.replace(record, players=(Player(name, command), Player("z", "z")), extra={"index": 0, **kept})


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
