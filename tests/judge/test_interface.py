"""The Python interface: games between functions and players, as docs/python.md promises them."""

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest

from judge import PlayedGame, Position, run_game, run_match
from judge.games import GAMES
from judge.games.positions import IllegalMove
from judge.play.recheck import disagreements
from judge.players.players import PlayerError
from protocol.records.record import Termination, read_records
from tests.places import REPOSITORY

PAGES = (REPOSITORY / "docs" / "python.md", REPOSITORY / "docs" / "zh" / "python.md")
FAST_BOT = "bot --iterations 20"


def first(position: Position) -> int | str:
    return position.legal_moves[0]


def last(position: Position) -> int | str:
    return position.legal_moves[-1]


@pytest.mark.parametrize("game", GAMES)
def test_two_functions_play_a_game_that_the_rules_agree_with(game: str) -> None:
    played = run_game(first, last, game=game, seed=5)
    assert played.record.termination is Termination.NORMAL
    assert disagreements(played.record) == []
    assert [player.name for player in played.record.players] == ["first", "last"]
    positions = list(played.positions())
    assert len(positions) == len(played.moves) + 1
    assert positions[-1].over
    assert not positions[0].over


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("side", ["A", "B"])
def test_a_function_plays_a_command_from_either_side(game: str, side: str) -> None:
    players = (first, FAST_BOT) if side == "A" else (FAST_BOT, first)
    played = run_game(*players, game=game, seed=5, limit_s=60)
    assert played.record.termination is Termination.NORMAL, played.record.extra["reason"]
    assert disagreements(played.record) == []
    assert {move.side for move in played.record.moves} == {"A", "B"}


def test_two_commands_are_refereed_as_by_the_command_line() -> None:
    played = run_game(FAST_BOT, FAST_BOT, seed=5, limit_s=60)
    assert played.record.termination is Termination.NORMAL
    assert played.record.extra["A"]["start_up_s"] >= 0


def test_a_match_plays_each_board_from_both_sides_and_sums_up() -> None:
    heard: list[PlayedGame] = []
    played = run_match(first, last, 4, seed=1, jobs=2, on_game=heard.append)
    records = [game.record for game in played.games]
    assert [record.first for record in records] == ["A", "B", "A", "B"]
    assert records[0].board == records[1].board != records[2].board
    assert played.wins + played.draws + played.losses == 4
    assert (played.wins, played.losses) == (played.summary()["wins"], played.summary()["losses"])
    assert {id(game) for game in heard} == {id(game) for game in played.games}


def test_an_empty_match_has_no_page() -> None:
    played = run_match(first, last, 0)
    assert (played.wins, played.draws, played.losses) == (0, 0, 0)
    with pytest.raises(ValueError, match="at least one game"):
        played.page()


def test_an_illegal_move_loses_and_an_exception_is_raised() -> None:
    lost = run_game(lambda position: 99, first, seed=1)
    assert (lost.record.termination, lost.record.at_fault, lost.winner) == (Termination.ILLEGAL_MOVE, "A", "B")

    def failing(position: Position) -> int:
        raise RuntimeError("of the user's own")

    with pytest.raises(RuntimeError, match="of the user's own"):
        run_match(first, failing, 2)
    with pytest.raises(TypeError):
        run_game(lambda position: None, first)  # type: ignore[arg-type,return-value]


def test_what_a_function_does_with_its_position_does_not_touch_the_game() -> None:
    def meddling(position: Position) -> int | str:
        position.board.clear()
        position.legal_moves.clear()
        return first(position)

    assert disagreements(run_game(meddling, last, seed=2).record) == []


def test_a_position_is_a_value() -> None:
    position = Position("connect_four", {"rows": 4, "cols": 5, "forbidden": [3, 0]})
    later = position.after(0).after(0)
    assert (position.moves, later.moves, later.to_move) == ((), (0, 0), 0)
    assert later.rows == [".....", "1....", "0....", "#...."]
    with pytest.raises(IllegalMove):
        position.after(5)
    with pytest.raises(ValueError, match="expected one of"):
        Position("go", {})


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        ({"game": "go"}, "connect_four"),
        ({"rows": 99}, "9..12"),
        ({"height": 9}, "rows"),
        ({"limit_s": 0}, "limit_s"),
        ({"first": "C"}, "first"),
        ({"sandbox": "maybe"}, "auto"),
    ],
)
def test_wrong_arguments_are_named(wrong: dict[str, int | str], names: str) -> None:
    with pytest.raises(ValueError, match=names):
        run_game(first, last, **wrong)  # type: ignore[arg-type]


def test_a_command_that_does_not_exist_is_named_before_the_game() -> None:
    with pytest.raises(PlayerError, match="no-such-program"):
        run_game(first, "./no-such-program")


def test_saved_games_are_read_as_those_of_the_commands(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for seed in range(2):
        run_game(first, last, seed=seed).save(path)
    records, torn = read_records(path)
    assert [record.seed for record in records] == [0, 1]
    assert torn == []


def test_a_notebook_shows_a_board_and_a_page() -> None:
    played = run_game(lambda position: first(position), last, seed=1)  # its name holds < and >
    frame = played._repr_html_()
    assert frame.startswith("<iframe")
    assert "<script" not in frame  # the page is an attribute, and nothing of it belongs to the notebook
    board = list(played.positions())[-1]._repr_html_()
    assert board.startswith("<pre>")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_the_example_of_the_page_runs(page: Path, tmp_path: Path) -> None:
    code = "\n".join(itertools.chain(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)))
    script = tmp_path / "example.py"
    script.write_text(code.replace("bot --iterations 1000", FAST_BOT), "utf-8")
    done = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        env={"PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin", "LANG": "C", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "wins after" in done.stdout
