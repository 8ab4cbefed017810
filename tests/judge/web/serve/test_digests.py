"""What the list of records says of each file, and that each of its lines is read once."""

import math
import os

import pytest
from msgspec import structs

from judge.web import digests
from judge.web.digests import Digests
from protocol.records.record import Termination, append_records
from tests.judge.web.view.helpers import samples

GAME = samples.game_of("connect_four")


def game(one, two, winner, finished="2026-11-27T06:17:42.000+00:00", **changes):
    record = samples.between(GAME, one, two)
    return structs.replace(record, **{"winner": winner, "finished": finished, **changes})


@pytest.fixture
def found():
    """Returns the digest of a file."""
    kept = Digests()
    return lambda path: kept.of(path, math.inf)


def test_a_match_is_told_by_its_players_score_and_date(tmp_path, found):
    path = tmp_path / "match.jsonl"
    append_records(
        path,
        [
            game("ada", "bob", "A"),
            game("ada", "bob", "B"),
            game("bob", "ada", "B"),  # who has won is what counts, not the side
            game("ada", "bob", None),
            game("ada", "bob", None, termination=Termination.VOID),
            game("ada", "bob", "A", finished="2026-11-28T01:02:03+00:00"),
        ],
    )
    assert Digests().of(path, 0.0) is None  # there was no time
    assert found(path) == {
        "games": 6,
        "players": ["ada", "bob"],
        "number": 2,
        "score": [3, 1, 1],
        "game": "connect_four",
        "date": "2026-11-28T01:02:03+00:00",
    }


def test_many_players_have_a_score_if_one_of_them_has_played_in_every_game(tmp_path, found):
    path = tmp_path / "serve.jsonl"
    append_records(path, [game("bot", "human", "A"), game("human", "v7", "A"), game("human", "v8", None)])
    assert found(path)["players"] == ["human", "bot", "v7", "v8"] and found(path)["score"] == [1, 1, 1]
    append_records(path, [game("v7", "v8", "A"), game("v9", "v10", "A"), samples.game_of("dots")])
    digest = found(path)
    assert (digest["players"], digest["number"], digest["score"]) == (["bot", "human", "v7", "v8"], 8, None)
    assert digest["game"] is None


def test_who_plays_against_himself_is_on_both_sides(tmp_path, found):
    append_records(tmp_path / "self.jsonl", [game("bot", "bot", "A"), game("bot", "bot", "A"), game("bot", "bot", "B")])
    digest = found(tmp_path / "self.jsonl")
    assert (digest["players"], digest["number"], digest["score"]) == (["bot", "bot"], 2, [2, 0, 1])


def test_what_is_new_is_added_and_the_rest_is_not_read_again(tmp_path, found):
    path = tmp_path / "match.jsonl"
    append_records(path, [game("ada", "bob", "A")] * 2)
    assert found(path)["games"] == 2
    line = game("ada", "bob", "B").to_json().encode()
    size = path.stat().st_size
    with open(path, "r+b") as file:
        file.write(b"x")  # a line that was read: nothing tells
        file.seek(size)
        file.write(line)  # torn
    assert found(path)["score"] == [2, 0, 0]
    with open(path, "ab") as file:
        file.write(b"\n" + line)
    assert found(path)["score"] == [2, 0, 1]
    path.write_bytes(line + b"\n")  # shorter: another file
    assert found(path)["score"] == [0, 0, 1]
    os.replace(path, tmp_path / "old")
    append_records(path, [game("ada", "bob", "A")] * 3)
    assert found(path)["score"] == [3, 0, 0]


@pytest.mark.parametrize(
    "content",
    [
        b"{}\n",
        b"not json\n",
        b"[" * 100_000 + b"\n",
        b'{"players": 3, "winner": null, "termination": "NORMAL", "finished": ""}\n',
        b'{"players": [{"name": 3}, {"name": "b"}], "winner": null, "termination": "NORMAL", "finished": ""}\n',
        b'{"players": [{"name": "a"}], "winner": null, "termination": "NORMAL", "finished": ""}\n',
        b"\xff\xfe\n",
        b"",
    ],
)
def test_what_is_no_record_has_no_digest(tmp_path, found, content):
    path = tmp_path / "broken.jsonl"
    path.write_bytes(content)
    assert found(path) is None
    append_records(path, [game("ada", "bob", "A")])
    assert (found(path) is None) is (content != b"")


def test_large_files_and_what_is_no_file_have_none(tmp_path, found, monkeypatch):
    append_records(tmp_path / "large.jsonl", [game("ada", "bob", "A")])
    monkeypatch.setattr(digests, "LARGEST_FILE", 100)
    assert found(tmp_path / "large.jsonl") is None
    assert found(tmp_path / "none.jsonl") is None
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert found(tmp_path / "pipe.jsonl") is None


def test_texts_of_others_are_printable_and_short(tmp_path, found):
    append_records(tmp_path / "evil.jsonl", [game("\x1b[31m<script>", "x" * 5000, "A", finished="never")])
    digest = found(tmp_path / "evil.jsonl")
    assert digest["players"] == ["\\x1b[31m<script>", "x" * 40 + ".." + "x" * 20] and digest["date"] == ""
