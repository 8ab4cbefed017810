"""Reversi's zip: unpacked as Saiblo has it, and run as it is, as Botzone does."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "scripts"))

from bot import native  # noqa: E402
from bot.games import NAMES  # noqa: E402
from bundle import archive, boards, games  # noqa: E402
from protocol.reversi import Requests  # noqa: E402
from protocol.reversi_botzone import answer_decoder, encode_requests  # noqa: E402

GAME = "reversi"
BEST = native.runnable()[0]
PYTHON = (sys.executable, *games.WITHOUT_SITE_PACKAGES)


@pytest.fixture(scope="session")
def zip_file(tmp_path_factory):
    target = tmp_path_factory.mktemp("zip") / "bundle.zip"
    archive.build(target, GAME, {sys.version_info[:2]: sys.executable}, lambda text: None)
    return target


def test_it_holds_its_game_and_no_other(zip_file):
    with zipfile.ZipFile(zip_file) as content:
        names = content.namelist()
        start = content.read("main.py").decode()
    assert 'GAME, FOLDER = "reversi"' in start
    assert "bot/games/reversi/weights.bin" in names and "protocol/botzone_json.py" in names
    assert not [name for name in names if "connect_four" in name]


def test_a_judged_game_with_the_unpacked_zip(zip_file, tmp_path):
    bundle = games.unpack(zip_file, tmp_path / "unpacked")
    case = games.Case("smoke", PYTHON, boards.BOARDS[GAME][boards.SMALL], 0.3, BEST, ("--limit", "{limit}"))
    outcome = games.play(case, GAME, bundle, seed=1)
    assert outcome.fault == "" and outcome.plies > 20


def on_botzone(zip_file, wire, temporary):
    """The Answer to the first mover of a zip that the interpreter runs as it is, and its stderr."""
    done = subprocess.run(
        [*PYTHON, str(zip_file)],
        input=encode_requests(Requests((None,), ()), wire),
        capture_output=True,
        timeout=30,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    assert done.returncode == 0, done.stderr
    answers = answer_decoder(wire)
    answers.feed(done.stdout)
    return answers.next_answer(), done.stderr.decode()


@pytest.mark.parametrize("wire", ("botzone", "botzone-simple"))
def test_the_zip_as_it_is_answers_botzone(zip_file, tmp_path, wire):
    """Twice: the second process finds what the first has unpacked."""
    for _ in range(2):
        answer, said = on_botzone(zip_file, wire, tmp_path)
        assert answer.move in ((2, 3), (3, 2), (4, 5), (5, 4)) and answer.keep_running
        assert games.ENGINE_LINE.fullmatch(said.strip())[1] == BEST
        assert len(list(tmp_path.glob("dropfour-*"))) == 1


def test_where_nothing_can_be_unpacked_the_plain_search_plays(zip_file, tmp_path):
    """A file where the folder for temporary files should be, and no others: nothing can be written."""
    (tmp_path / "file").write_text("")
    script = (
        f"import tempfile; tempfile.tempdir = {str(tmp_path / 'file')!r}; import runpy, sys; "
        f"sys.argv = [{str(zip_file)!r}]; runpy.run_path({str(zip_file)!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [*PYTHON, "-c", script],
        input=encode_requests(Requests((None,), ()), "botzone"),
        capture_output=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    answers = answer_decoder("botzone")
    answers.feed(done.stdout)
    assert answers.next_answer().move is not None
    assert "engine python" in done.stderr.decode()


def test_every_game_has_boards_to_be_tried_on():
    assert set(boards.BOARDS) == set(NAMES)
