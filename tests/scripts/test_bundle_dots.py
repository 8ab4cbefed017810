"""The zip of dots and boxes: unpacked, and run as it is, on the contest platform's wire and on Botzone's."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "scripts"))

from bot import native  # noqa: E402
from bundle import archive, boards, games  # noqa: E402
from protocol.dots import ReplyDecoder, Requests, edge_at  # noqa: E402
from protocol.dots_botzone import answer_decoder, encode_requests  # noqa: E402

GAME = "dots"
BEST = native.runnable()[0]
PYTHON = (sys.executable, *games.WITHOUT_SITE_PACKAGES)


@pytest.fixture(scope="module")
def zip_file(tmp_path_factory):
    target = tmp_path_factory.mktemp("zip") / "bundle.zip"
    archive.build(target, GAME, {sys.version_info[:2]: sys.executable}, lambda text: None)
    return target


def answered(zip_file, temporary, data):
    """What the zip, run as it is, writes to stdout for these bytes and the end of input."""
    done = subprocess.run(
        [*PYTHON, str(zip_file)],
        input=data,
        capture_output=True,
        timeout=30,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    assert done.returncode == 0, done.stderr
    assert games.ENGINE_LINE.fullmatch(done.stderr.decode().strip())[1] == BEST
    return done.stdout


def test_it_holds_its_game_and_no_other_under_a_name_of_its_own(zip_file):
    with zipfile.ZipFile(zip_file) as content:
        names = content.namelist()
    assert "bot/games/dots/uct_engine.py" in names and "protocol/dots_botzone.py" in names
    assert not [name for name in names if "connect_four" in name or "reversi" in name]
    assert archive.default_target(GAME).name == "dropfour-dots.zip"
    assert len(set(map(archive.default_target, boards.BOARDS))) == len(boards.BOARDS)


def test_a_judged_game_with_the_unpacked_zip(zip_file, tmp_path):
    bundle = games.unpack(zip_file, tmp_path / "unpacked")
    case = games.Case("smoke", PYTHON, boards.BOARDS[GAME][boards.SMALL], 0.3, BEST, ("--limit", "{limit}"))
    outcome = games.play(case, GAME, bundle, seed=1)
    assert outcome.fault == "" and outcome.plies == 24


def test_the_zip_as_it_is_speaks_with_the_platform(zip_file, tmp_path):
    output = answered(zip_file, tmp_path, b"name?\nnew black\nquit\n")
    assert output.startswith(b"name dropfour\n")
    replies = ReplyDecoder()
    replies.feed(output)
    assert len(replies.next_reply().edges) == 1
    assert replies.next_reply() is None and not replies.partial


@pytest.mark.parametrize("wire", ("botzone", "botzone-simple"))
def test_the_zip_as_it_is_answers_botzone(zip_file, tmp_path, wire):
    answers = answer_decoder(wire)
    answers.feed(answered(zip_file, tmp_path, encode_requests(Requests(((-1, -1, 0),), ()), wire)))
    answer = answers.next_answer()
    assert len(edge_at(*answer.move)) == 3 and answer.keep_running
