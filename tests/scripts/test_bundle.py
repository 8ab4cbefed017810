"""The zips of all games: what is in them, and how they play, unpacked as Saiblo has them and as they are."""

import os
import re
import subprocess
import sys
import zipfile

import pytest

from bot.backends import native
from bot.games import NAMES
from bundle import archive, boards, games, start_up
from bundle.contents import CHECKOUT, bundled_modules, source_of
from protocol.games import dots, reversi
from protocol.games.dots import botzone as dots_botzone
from protocol.games.reversi import botzone as reversi_botzone
from tests.scripts.helpers.bundles import (
    BEST,
    GAMES,
    LIMIT_S,
    PYTHON,
    SEARCH_S,
    WITH_OPTIONS,
    built,
    command,
    engine_line,
    facts_of,
    first_reply,
    program,
    soon,
)

NOT_IN_IT = "analyze|bench|interfaces|notation|record|strategy|native_build|native_compile"
BOTZONE_WIRES = ("botzone", "botzone-simple")


@pytest.fixture(params=NAMES)
def game(request):
    return request.param


def check_contents(zip_file, game, levels):
    """What the zip holds and how large it is; levels: the engines, at least."""
    with zipfile.ZipFile(zip_file) as content:
        names = set(content.namelist())
        facts, engines = facts_of(content.read("manifest.txt").decode("ascii"))
        start = content.read("main.py").decode()
    assert set(levels) <= engines <= set(native.NAMES)
    sources = {source_of(module).relative_to(CHECKOUT).as_posix() for module in bundled_modules(game)}
    data = {path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "bot" / "games" / game).rglob("*.bin")}
    byte_code = {name for name in names if name.endswith(f".{sys.implementation.cache_tag}.pyc")}
    libraries = {f"engines/{name}.so" for name in engines}
    assert names == sources | data | libraries | byte_code | {"main.py", "__main__.py", "manifest.txt"}
    assert names.issuperset(GAMES[game].files) and len(byte_code) > 20
    assert f'GAME, FOLDER = "{game}"' in start
    assert not [name for name in names if re.search(NOT_IN_IT, name)]
    assert not [name for name in names for other in NAMES if other != game and f"games/{other}/" in name]
    assert zip_file.stat().st_size < GAMES[game].most_bytes
    assert {"version", "revision", "sources", "compilers", "self_test", "engine", "game"} == facts
    assert not re.search(rb"/work/|/home/|/root/|/tmp/", zip_file.read_bytes())


def test_it_holds_what_it_needs_and_nothing_else(zips, game):
    """Connect four's has the engines of all CPUs; the others' take longer to compile: the next test."""
    check_contents(zips(game), game, native.NAMES if game == "connect_four" else [BEST])


@pytest.mark.slow
def test_the_whole_zip_has_the_engines_of_all_cpus(tmp_path, game):
    check_contents(built(tmp_path / "whole.zip", game), game, native.NAMES)


def test_every_game_has_a_zip_of_its_own_and_boards_to_be_tried_on():
    assert set(boards.BOARDS) == set(NAMES) == set(GAMES)
    assert archive.default_target("dots").name == "dropfour-dots.zip"
    assert len(set(map(archive.default_target, boards.BOARDS))) == len(boards.BOARDS)


def test_no_path_of_this_machine_is_in_it(zips, game, tmp_path):
    for path in games.unpack(zips(game), tmp_path / "unpacked").rglob("*"):
        if path.is_file():
            assert str(CHECKOUT).encode() not in path.read_bytes(), path


def test_the_same_sources_make_the_same_bytes(zips, tmp_path):
    assert built(tmp_path / "again.zip", "connect_four").read_bytes() == zips("connect_four").read_bytes()


def test_a_judged_game_with_the_unpacked_zip(zips, game, tmp_path):
    bundle = games.unpack(zips(game), tmp_path / "unpacked")
    board, options = boards.BOARDS[game][boards.SMALL], soon(game, "{limit}", 0.01)
    case = games.Case("smoke", PYTHON, board, LIMIT_S, BEST, options)
    outcome = games.play(case, game, bundle, seed=1)
    assert outcome.fault == "" and GAMES[game].least_plies <= outcome.plies <= GAMES[game].most_plies


def test_a_game_with_the_plain_search(bundle):
    python = program(bundle, call=WITH_OPTIONS, search_s=0.01)
    options = ("--backend", "python", "--limit", "{limit}")
    case = games.Case("python", python, "--rows 9 --cols 9", LIMIT_S, "python", options)
    outcome = games.play(case, "connect_four", bundle, seed=3)
    assert outcome.fault == "" and outcome.plies > 6


def test_the_start_imports_nothing_slow(bundle):
    """Neither before the first reply nor after it."""
    folder = str(bundle)
    text = (
        f"import sys\nsys.path.insert(0, {folder!r})\nimport main\n"
        "main.main(main.GAME, main.FOLDER, iterations=50)\nprint(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([*PYTHON, "-c", text], capture_output=True, input=start_up.first_messages(), check=True)
    loaded = set(done.stderr.decode().split())
    assert "bot.games.connect_four.uct.engine" in loaded and len(done.stdout) > 4
    slow = "dataclasses typing json argparse threading re inspect numba numpy subprocess hashlib tempfile"
    assert loaded.isdisjoint(slow.split())


@pytest.mark.parametrize("flags", [games.WITHOUT_SITE_PACKAGES, ("-I",), ()])
def test_it_runs_from_anywhere(bundle, tmp_path, monkeypatch, flags):
    monkeypatch.chdir(tmp_path)
    main = os.path.relpath(bundle / "main.py", tmp_path)
    reply, seconds, stderr = first_reply([sys.executable, *flags, main, *soon("connect_four")])
    assert (reply.row in (10, 11)) and seconds < LIMIT_S
    assert engine_line(stderr)[0] == BEST


def test_it_runs_through_a_link(bundle, tmp_path):
    (tmp_path / "linked.py").symlink_to(bundle / "main.py")
    for flags in ((), ("-I",)):
        words = [sys.executable, *flags, str(tmp_path / "linked.py"), *soon("connect_four")]
        assert engine_line(first_reply(words)[2])[0] == BEST


def test_the_first_move_uses_its_budget(bundle):
    """Most of the limit without a setting; with one that says less, no more than that and what starting takes."""
    limit_s = 1.0
    # The bot's clock may begin a tick too early: /proc says no more than in which one the process was started.
    earliest_s = 0.75 * limit_s - 1 / os.sysconf("SC_CLK_TCK")
    assert earliest_s <= first_reply(command(bundle, "--limit", str(limit_s)))[1] < LIMIT_S / 2
    assert SEARCH_S <= first_reply(command(bundle, *soon("connect_four")))[1] < LIMIT_S / 2


def test_other_arguments_are_ignored(bundle):
    done = subprocess.run([*command(bundle), "0", "saiblo"], input=b"", capture_output=True, timeout=LIMIT_S)
    assert (done.returncode, done.stdout) == (0, b"")


def run_as_it_is(zip_file, temporary, data, *options):
    """(What the zip writes to stdout for these bytes and the end of input, its stderr)."""
    done = subprocess.run(
        [*PYTHON, str(zip_file), *options],
        input=data,
        capture_output=True,
        timeout=2 * LIMIT_S,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr.decode()


def only_answer(decoder, output):
    """The Answer in the output of one that was asked once."""
    decoder.feed(output)
    return decoder.next_answer()


def test_the_zip_as_it_is_speaks_with_the_dots_platform(zips, tmp_path):
    """Without any option, as the platform starts it."""
    output, _ = run_as_it_is(zips("dots"), tmp_path, b"name?\nnew black\nquit\n")
    assert output.startswith(b"name dropfour\n")
    replies = dots.ReplyDecoder()
    replies.feed(output)
    assert len(replies.next_reply().edges) == 1
    assert replies.next_reply() is None and not replies.partial


@pytest.mark.parametrize("wire", BOTZONE_WIRES)
def test_the_zip_as_it_is_answers_botzone_at_dots(zips, tmp_path, wire):
    asked = dots_botzone.encode_requests(dots.Requests(((-1, -1, 0),), ()), wire)
    output, said = run_as_it_is(zips("dots"), tmp_path, asked, *soon("dots"))
    answer = only_answer(dots_botzone.answer_decoder(wire), output)
    assert len(dots.edge_at(*answer.move)) == 3 and answer.keep_running
    assert engine_line(said)[0] == BEST


@pytest.mark.parametrize("wire", BOTZONE_WIRES)
def test_the_zip_as_it_is_answers_botzone_at_reversi(zips, tmp_path, wire):
    """Twice, the second time without options: the second process finds what the first has unpacked."""
    asked = reversi_botzone.encode_requests(reversi.Requests((None,), ()), wire)
    for options in (soon("reversi"), ()) if wire == "botzone" else (soon("reversi"),) * 2:
        output, said = run_as_it_is(zips("reversi"), tmp_path, asked, *options)
        answer = only_answer(reversi_botzone.answer_decoder(wire), output)
        assert answer.move in ((2, 3), (3, 2), (4, 5), (5, 4)) and answer.keep_running
        assert engine_line(said)[0] == BEST or not options
        assert len(list(tmp_path.glob("dropfour-*"))) == 1


def test_where_nothing_can_be_unpacked_the_plain_search_plays(zips, tmp_path):
    """A file where the folder for temporary files should be, and no others: nothing can be written."""
    (tmp_path / "file").write_text("")
    zip_file = str(zips("reversi"))
    script = (
        f"import tempfile; tempfile.tempdir = {str(tmp_path / 'file')!r}; import runpy, sys; "
        f"sys.argv = [{zip_file!r}]; runpy.run_path({zip_file!r}, run_name='__main__')"
    )
    asked = reversi_botzone.encode_requests(reversi.Requests((None,), ()), "botzone")
    done = subprocess.run([*PYTHON, "-c", script], input=asked, capture_output=True, timeout=2 * LIMIT_S)
    assert done.returncode == 0, done.stderr
    assert only_answer(reversi_botzone.answer_decoder("botzone"), done.stdout).move is not None
    assert "engine python" in done.stderr.decode()
