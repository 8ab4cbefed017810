"""Every kind of player plays the same in a sandbox as without: with its own engine, its folder, its files."""

import contextlib
import dataclasses
import errno
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from judge.play import referee
from judge.play import sandbox as players_sandboxes
from judge.play.referee import play_game
from judge.play.sandbox import LARGEST_COPY_BYTES, sandboxes_for
from judge.players.players import Contestant, command_in, contestant
from judge.players.versions import CHECKOUT
from judge.processes import bubblewrap, folders
from judge.processes.bubblewrap import MOST_ENTRIES_SHOWN, Copies
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import Launch
from judge.reasons import reason_of
from protocol.records.record import Termination, append_record
from tests.judge.helpers.projects import library_project, needs_compiler, program_project
from tests.judge.helpers.records import ended
from tests.judge.helpers.sandboxes import SANDBOXED, UNSANDBOXED, needs_sandbox
from tests.judge.helpers.scripted import WIDE_LIMIT_S, bot, command, judge_environment, plan, run_judge
from tests.places import ENGINES, PYTHON, REPOSITORY

OLD_REVISION = "79bf36e"
MARKER = "walled players"
LONG = ("--limit", WIDE_LIMIT_S)
MANY_FILES = 3000
A_USER = 54321  # an id that is not root's
pytestmark = needs_sandbox


def what_it_did(player, sandbox):
    """(how the game ended, the player's moves with its reports but for times) of a game against a simple bot."""
    record = play_game((player, bot("first_legal", "--report")), plan(60.0, sandbox=sandbox))
    moves = [
        (move.move, {key: value for key, value in (move.report or {}).items() if key != "elapsed_s"})
        for move in record.moves
        if move.side == "A"
    ]
    return record.termination, record.winner, moves


@pytest.mark.parametrize(
    "text",
    [
        "bot --iterations 50",
        pytest.param("bot --backend native --iterations 50", marks=pytest.mark.slow),
        pytest.param("bot --backend jit --iterations 50", marks=pytest.mark.slow),
        pytest.param(f"bot@{OLD_REVISION} --iterations 50", marks=pytest.mark.slow),  # it may have to be compiled
    ],
)
def test_our_bot_has_the_same_engine(text, monkeypatch):
    for wait in ("REPORT_WAIT_S", "KNOWN_REPORT_WAIT_S"):  # it reports after its reply
        monkeypatch.setattr(referee, wait, 60.0)
    player = contestant(text)
    walled, without_sandbox = (what_it_did(player, sandbox) for sandbox in (SANDBOXED, UNSANDBOXED))
    assert walled == without_sandbox and walled[0] == "NORMAL"
    assert any("iterations" in report for _, report in walled[2])


# It says what is in its folder, and writes there.
MAIN_THAT_LISTS = """
#include <stdlib.h>
int main() { return system("ls; touch written"); }
"""


def output_of(player, sandbox=SANDBOXED, others=(), meanwhile=lambda process: None):
    """All that a player says until it ends, alone in its sandbox or without one. meanwhile(process) is called once."""
    sandboxes = sandboxes_for(sandbox, [player], others)
    launch = player.launch(1.0, 0)
    process = BotProcess(launch, MARKER, sandboxes.of(0))
    try:
        meanwhile(process)
        process.stdin.close()
        while process.exit_status is None:
            pump([process], 0.05)
        return b"".join(data for _, data in process.received).decode()
    finally:
        end_all([process])
        sandboxes.close()


@pytest.mark.parametrize("chosen", [None, "elsewhere"])
def test_our_bot_finds_what_is_compiled(tmp_path, monkeypatch, chosen):
    if chosen:
        monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path))
    argv = (sys.executable, "-m", "bot.backends.status")
    player = Contestant("status", "status", prepared=Launch(argv, {"PYTHONPATH": str(REPOSITORY)}, str(CHECKOUT)))
    walled, without_sandbox = (
        [json.loads(line) for line in output_of(player, sandbox).splitlines()] for sandbox in (SANDBOXED, UNSANDBOXED)
    )
    for key in ("game", "kernels", "engine", "cache"):
        assert [facts[key] for facts in walled] == [facts[key] for facts in without_sandbox]


@needs_compiler
@pytest.mark.parametrize("project", [pytest.param(program_project, marks=pytest.mark.slow), library_project])
def test_a_project_plays_from_its_folder(tmp_path, project):
    player = contestant(f"src:{project(tmp_path / 'project')}")
    walled, without_sandbox = (what_it_did(player, sandbox) for sandbox in (SANDBOXED, UNSANDBOXED))
    assert walled == without_sandbox and walled[0] == "NORMAL"


TRIES_TO_WRITE = """
import os
for place in {places}:
    try:
        with open(os.path.join(place, "written"), "w"):
            print(place)
    except OSError:
        pass
"""


def writer(folder, places):
    """A command in this folder that says in which of the places it can write."""
    (folder / "writer.py").write_text(TRIES_TO_WRITE.format(places=[str(place) for place in places]))
    return command_in(f"{PYTHON} -S {folder / 'writer.py'}", folder)


def test_a_player_writes_into_a_copy_of_its_folder_and_its_own_tmp_alone(tmp_path, monkeypatch):
    own, other = tmp_path / "own", tmp_path / "other"
    for folder in (own, other):
        folder.mkdir()
    monkeypatch.chdir(other)
    player = writer(own, [own, other, CHECKOUT / "bot", "/home", "/root", "/tmp", "/dev/shm", "/run", "/"])
    assert output_of(player).split() == [str(own), "/tmp", "/dev/shm", "/run"]
    assert [path.name for path in own.iterdir()] == ["writer.py"]
    assert list(other.iterdir()) == [] and not os.path.exists("/tmp/written")
    told = list(players_sandboxes.notes.lines())
    assert (
        len(told) == 1
        and told[0].startswith(f"the player wrote written into its copy of {own}, ")
        and "--keep-writes" in told[0]
    )


def test_a_large_folder_can_only_be_read(tmp_path, capsys):
    with open(tmp_path / "large", "wb") as file:
        file.truncate(LARGEST_COPY_BYTES + 1)
    player = writer(tmp_path, [tmp_path])
    assert output_of(player).split() == [] and output_of(player).split() == []
    assert capsys.readouterr().err.count("the player can read the folder but not write into it") == 1


@pytest.mark.parametrize(
    "code", ["open('{place}', 'w').write('{{}}')", "import os; os.symlink('/etc/passwd', '{place}')"]
)
@pytest.mark.parametrize("place", ["memory", "deep/er/memory", ".hidden", ".git/hooks/pre-commit", "deep/.hidden/a"])
def test_what_is_kept_on_request_is_never_hidden(tmp_path, code, place):
    code = f"import os; os.makedirs(os.path.dirname('{place}') or '.', exist_ok=True)\n{code.format(place=place)}"
    (tmp_path / "bot.py").write_text(code)
    output_of(command_in(f"{PYTHON} -S bot.py", tmp_path), dataclasses.replace(SANDBOXED, keeps_writes=True))
    is_kept = "hidden" not in place and "git" not in place and "symlink" not in code
    assert os.path.lexists(tmp_path / place) == is_kept
    list(players_sandboxes.notes.lines())


def test_what_is_kept_follows_no_link_and_spares_records(tmp_path):
    folder, outside = tmp_path / "own", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (folder / "link").symlink_to(outside)
    append_record(folder / "games.jsonl", ended(Termination.NORMAL))
    before = (folder / "games.jsonl").read_bytes()
    (folder / "bot.py").write_text(
        "import os; os.remove('link'); os.mkdir('link'); open('link/a', 'w').close()\n"
        "open('games.jsonl', 'w').write('x')"
    )
    output_of(command_in(f"{PYTHON} -S bot.py", folder), dataclasses.replace(SANDBOXED, keeps_writes=True))
    assert list(outside.iterdir()) == [] and (folder / "games.jsonl").read_bytes() == before
    list(players_sandboxes.notes.lines())


def test_a_record_that_a_player_has_written_is_not_kept(tmp_path):
    """Reports would count its games."""
    append_record(tmp_path / "games.jsonl", ended(Termination.NORMAL))
    line = (tmp_path / "games.jsonl").read_text()
    (tmp_path / "bot").mkdir()
    code = f"import os; os.mkdir('records')\nfor name in ('records/v8.jsonl', 'v8'): open(name, 'w').write({line!r})\n"
    (tmp_path / "bot" / "bot.py").write_text(f"{code}open('learnt', 'w').write('x')")
    output_of(command_in(f"{PYTHON} -S bot.py", tmp_path / "bot"), dataclasses.replace(SANDBOXED, keeps_writes=True))
    assert sorted(path.name for path in (tmp_path / "bot").iterdir()) == ["bot.py", "learnt"]
    list(players_sandboxes.notes.lines())


def test_of_sparse_files_no_more_is_kept_than_a_folder_may_hold(tmp_path):
    code = "for name in 'ab':\n    with open(name, 'w') as file:\n        file.truncate(200 * 10**6)\n"
    (tmp_path / "bot.py").write_text(code)
    output_of(command_in(f"{PYTHON} -S bot.py", tmp_path), dataclasses.replace(SANDBOXED, keeps_writes=True))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "bot.py"]
    list(players_sandboxes.notes.lines())


def test_what_two_games_keep_at_once_is_not_mixed(tmp_path, monkeypatch):
    """While the file of one is copied, the other waits."""
    for game in ("first", "second", "own"):
        (tmp_path / game).mkdir()
        (tmp_path / game / "table").write_text(game)
    kept, has_begun, threads = [], threading.Event(), []
    copied = folders._copy_file

    def keep_writes(game):
        kept.append((game, folders.keep_writes(str(tmp_path / game), str(tmp_path / "own"), ["table"])))

    def copying(*arguments):
        if threads:
            has_begun.set()
        else:
            threads.append(threading.Thread(target=keep_writes, args=["second"]))
            threads[0].start()
            assert not has_begun.wait(0.3)
        copied(*arguments)

    monkeypatch.setattr(folders, "_copy_file", copying)
    keep_writes("first")
    threads[0].join()
    assert kept == [("first", ["table"]), ("second", ["table"])]
    assert (tmp_path / "own" / "table").read_text() == "second"


def test_a_file_that_cannot_be_kept_leaves_nothing(tmp_path, monkeypatch):
    for folder in ("player", "own"):
        (tmp_path / folder).mkdir()
    (tmp_path / "player" / "table").write_text("x")

    def refusing(*_arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "sendfile", refusing)
    assert folders.keep_writes(str(tmp_path / "player"), str(tmp_path / "own"), ["table"]) == []
    assert list((tmp_path / "own").iterdir()) == []


def test_a_deep_folder_can_only_be_read_and_ends_nothing(tmp_path, capsys):
    place = tmp_path
    for _level in range(300):
        place /= "d"
        place.mkdir()
    assert output_of(writer(tmp_path, [tmp_path])).split() == []
    assert "the player can read the folder but not write into it" in capsys.readouterr().err


def test_the_end_of_a_run_says_what_a_bot_has_written(tmp_path):
    (tmp_path / "bot").mkdir()
    engine = (ENGINES / "first_legal.py").read_text()
    (tmp_path / "bot" / "main.py").write_text("open('cache.txt', 'w').write('x')\n" + engine)
    for name in ENGINES.glob("*.py"):
        (tmp_path / "bot" / name.name).write_text(name.read_text())
    done = run_judge(tmp_path, "play", "./bot", command("first_legal"), *LONG, "--sandbox", "on", "--show", "bot")
    assert done.returncode == 0, done.stderr
    note = f"the player wrote cache.txt into its copy of {tmp_path / 'bot'}, "
    assert done.stderr.count(note) == 1 and "--keep-writes keeps" in done.stderr
    assert not (tmp_path / "bot" / "cache.txt").exists()
    done = run_judge(tmp_path, "play", "./bot", command("first_legal"), *LONG, "--sandbox", "on", "--keep-writes")
    assert "--keep-writes has kept these files" in done.stderr and (tmp_path / "bot" / "cache.txt").read_text() == "x"
    done = run_judge(tmp_path, "play", "./bot", command("first_legal"), "--show", "nothing")
    assert done.returncode == 2 and "--show nothing: there is no such file or folder" in done.stderr


def test_a_folder_has_a_quota(tmp_path):
    (tmp_path / "bot.py").write_text(
        "try:\n with open('a', 'wb') as file:\n  while True: file.write(bytes(1 << 20))\nexcept OSError as e: print(e)"
    )
    assert "No space left" in output_of(command_in(f"{PYTHON} -S bot.py", tmp_path))
    list(players_sandboxes.notes.lines())


LOOKS = "import os; print(*(os.path.relpath(os.path.join(p, n)) for p, _, ns in os.walk('.') for n in ns), sep='\\n')"


def looked(folder, sandbox=SANDBOXED, others=(), own=True):
    """The files that a player of this folder, or a plain command in it, sees there."""
    (folder / "look.py").write_text(LOOKS)
    player = command_in(f"{PYTHON} -S look.py", folder) if own else Contestant("look", f"{PYTHON} -S look.py")
    return set(output_of(player, sandbox, others).split())


@pytest.mark.parametrize("own", [True, False])
def test_records_and_the_opponent_are_not_to_be_seen(tmp_path, monkeypatch, own):
    monkeypatch.chdir(tmp_path)
    for name in ("deep", "opponent", ".git", "runs"):
        (tmp_path / name).mkdir()
    append_record(tmp_path / "games.jsonl", ended(Termination.NORMAL))
    append_record(tmp_path / "deep" / "other.txt", ended(Termination.NORMAL))
    (tmp_path / "deep" / "other.txt.live").write_text('{"event": "begin", "id": "x"}\n')
    (tmp_path / "opponent" / "secret.py").write_text("")
    (tmp_path / ".git" / "config").write_text("")
    (tmp_path / "book.jsonl").write_text('{"board": [1]}\n')
    (tmp_path / "deep" / "table.bin").write_bytes(bytes(9))
    opponent = command_in(f"{PYTHON} secret.py", tmp_path / "opponent")
    sandbox = dataclasses.replace(SANDBOXED, protected=(str(tmp_path / "runs" / "now.jsonl"),))
    others = {".git/config", "games.jsonl", "deep/other.txt", "deep/other.txt.live"}  # are in no copy of a folder
    left = set() if own else others
    assert looked(tmp_path, sandbox, [opponent], own) == {"look.py", "book.jsonl", "deep/table.bin", *left}


def test_a_record_that_is_begun_during_a_game_is_not_to_be_seen(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "look.py").write_text(f"input(); {LOOKS}")
    sandbox = dataclasses.replace(SANDBOXED, protected=(str(tmp_path / "runs" / "now.jsonl"),))

    def begin(process):
        (tmp_path / "runs" / "now.jsonl").write_text("x")
        (tmp_path / "runs" / "now.jsonl.live").write_text("x")
        process.send(b"\n")

    player = Contestant("look", f"{PYTHON} -S look.py")
    assert output_of(player, sandbox, meanwhile=begin).split() == ["look.py"]


def test_the_home_is_empty_but_for_what_is_shown(tmp_path, monkeypatch):
    home = tmp_path / "home"
    for name in ("bot", "tables", "secrets"):
        (home / name).mkdir(parents=True)
        (home / name / "file").write_text("")
    monkeypatch.setenv("HOME", str(home))
    (home / "bot" / "bot.py").write_text(
        "import os; print(os.environ['HOME'], *sorted(os.listdir('..')), *os.listdir('../tables'))"
    )
    player = command_in(f"{PYTHON} -S bot.py", home / "bot")
    sandbox = dataclasses.replace(SANDBOXED, shown=(str(home / "tables"),))
    assert output_of(player, sandbox).split() == [str(home / "bot"), "bot", "tables", "file"]


def test_of_a_home_as_current_folder_only_what_is_named_is_shown(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_text("")
    assert looked(tmp_path, own=False) == {"look.py"}


def test_a_virtual_environment_of_its_folder_is_shown_and_not_copied(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / ".venv"], check=True)
    with open(tmp_path / ".venv" / "large", "wb") as file:
        file.truncate(LARGEST_COPY_BYTES + 1)
    (tmp_path / "bot.py").write_text("import sys; print(sys.executable); open('log', 'w')")
    player = command_in(".venv/bin/python -S bot.py", tmp_path)
    assert output_of(player).split() == [str(tmp_path / ".venv" / "bin" / "python")]
    list(players_sandboxes.notes.lines())


@pytest.mark.parametrize("kept", [False, True])
def test_a_folder_with_the_record_is_no_virtual_environment(tmp_path, kept):
    """Neither as it is delivered, nor by what its player writes there."""
    record = tmp_path / "records" / "now.jsonl"
    record.parent.mkdir()
    record.write_text("x")
    for name in ["records/now.jsonl.live", *([] if kept else ["records/pyvenv.cfg"])]:
        (tmp_path / name).write_text("x")
    writes = "import os; os.makedirs('records', exist_ok=True); open('records/pyvenv.cfg', 'w')\n"
    (tmp_path / "bot.py").write_text((writes if kept else "") + LOOKS)
    sandbox = dataclasses.replace(SANDBOXED, protected=(str(record),), keeps_writes=True)
    player = command_in(f"{PYTHON} -S bot.py", tmp_path)
    for _run in (1, 2):
        assert set(output_of(player, sandbox).split()) == {"bot.py", "records/pyvenv.cfg"}
    assert (tmp_path / "records" / "pyvenv.cfg").exists() != kept
    list(players_sandboxes.notes.lines())


def test_an_opponent_in_a_virtual_environment_is_not_to_be_seen(tmp_path):
    opponent = tmp_path / ".venv" / "opponent"
    opponent.mkdir(parents=True)
    for path in (tmp_path / ".venv" / "pyvenv.cfg", tmp_path / ".venv" / "module.py", opponent / "bot.py"):
        path.write_text("")
    other = command_in(f"{PYTHON} -S bot.py", opponent)
    assert looked(tmp_path, others=[other]) == {"look.py", ".venv/pyvenv.cfg", ".venv/module.py"}
    assert list(players_sandboxes.notes.lines()) == []


def test_an_opponent_in_a_players_folder_is_not_written_by_what_is_kept(tmp_path):
    opponent = tmp_path / "opponent"
    opponent.mkdir()
    (opponent / "bot.py").write_text("as it was")
    (tmp_path / "bot.py").write_text(
        "import os\nfor name in ('opponent', 'opponents'): os.mkdir(name); open(f'{name}/bot.py', 'w')"
    )
    other = command_in(f"{PYTHON} -S bot.py", opponent)
    sandbox = dataclasses.replace(SANDBOXED, keeps_writes=True)
    output_of(command_in(f"{PYTHON} -S bot.py", tmp_path), sandbox, [other])
    assert (opponent / "bot.py").read_text() == "as it was" and (tmp_path / "opponents" / "bot.py").exists()
    list(players_sandboxes.notes.lines())


@pytest.mark.parametrize("shown", ["data", "data/below", "data/below/file", "."])
def test_what_is_shown_of_a_players_own_folder_is_neither_copied_nor_its_record_seen(tmp_path, monkeypatch, shown):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data" / "below").mkdir(parents=True)
    for name in ("data/below/file", "data/beside", "now.jsonl"):
        (tmp_path / name).write_text("")
    sandbox = dataclasses.replace(SANDBOXED, shown=(str(tmp_path / shown),), protected=(str(tmp_path / "now.jsonl"),))
    assert looked(tmp_path, sandbox) == {"look.py", "data/below/file", "data/beside"}
    assert list(players_sandboxes.notes.lines()) == []  # it has written nothing
    assert looked(tmp_path, sandbox, own=False) == {"look.py", "data/below/file", "data/beside"}


def test_a_virtual_environment_below_the_top_of_a_folder_is_shown_beside_what_is_copied(tmp_path):
    (tmp_path / "tools" / "venv").mkdir(parents=True)
    for name in ("tools/venv/pyvenv.cfg", "tools/table"):
        (tmp_path / name).write_text("")
    assert looked(tmp_path) == {"look.py", "tools/venv/pyvenv.cfg", "tools/table"}


def test_a_virtual_environment_leaves_the_rest_of_a_large_folder_to_be_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "MOST_ENTRIES", 20)
    (tmp_path / ".venv" / "lib").mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("")
    for number in range(30):
        (tmp_path / ".venv" / "lib" / str(number)).write_text("")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "module.py").write_text("")
    contents = folders.read_contents(str(tmp_path))
    assert contents.files == ("package/module.py",)
    assert contents.environments == (str(tmp_path / ".venv"),)


def test_all_games_of_a_run_start_from_what_the_version_is_of(tmp_path):
    (tmp_path / "bot.py").write_text("print('first')")
    player = command_in(f"{PYTHON} -S bot.py", tmp_path, SANDBOXED)
    (tmp_path / "bot.py").write_text("print('second')")
    assert output_of(player) == "first\n"
    afresh = dataclasses.replace(SANDBOXED, copies=Copies())
    assert output_of(command_in(f"{PYTHON} -S bot.py", tmp_path, afresh), afresh) == "second\n"
    assert command_in(f"{PYTHON} -S bot.py", tmp_path, afresh).version != player.version


@needs_compiler
def test_a_single_source_is_alone_in_its_folder(tmp_path):
    library_project(tmp_path, {"other.txt": ""})
    text = (tmp_path / "Strategy.cpp").read_text().replace('#include "Point.h"', "struct Point { int x, y; };")
    (tmp_path / "alone.cpp").write_text(text + MAIN_THAT_LISTS)
    assert output_of(contestant(f"src:{tmp_path / 'alone.cpp'}")).split() == ["alone.cpp"]
    assert not (tmp_path / "written").exists()
    list(players_sandboxes.notes.lines())


def test_a_plain_command_reads_its_files_in_a_folder_that_is_hidden_otherwise(tmp_path):
    """pytest's own folder lies in /tmp."""
    (tmp_path / "script.py").write_text("print(open(__file__).read())")
    player = Contestant("script", f"{PYTHON} -S {tmp_path / 'script.py'}")
    assert output_of(player) == "print(open(__file__).read())\n"


def test_a_wrong_command_is_the_same_failure():
    for words in ("no-such-program", "'open", ""):
        reasons = {
            reason_of(play_game((Contestant("x", words), bot("first_legal")), plan(sandbox=sandbox)))
            for sandbox in (SANDBOXED, UNSANDBOXED)
        }
        assert len(reasons) == 1


def test_copies_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    folder = tmp_path / "both"
    for path in (folder, tmp_path / "temporary"):
        path.mkdir()
    player = command_in(command("first_legal"), folder)
    assert play_game((player, player), plan(sandbox=SANDBOXED)).termination == "NORMAL"
    assert len(list((tmp_path / "temporary").iterdir())) <= 1  # one for all games of the run
    SANDBOXED.copies.forget()
    assert list((tmp_path / "temporary").iterdir()) == []


def test_copies_that_a_killed_judge_has_left_are_removed_and_those_of_others_stay(tmp_path, monkeypatch):
    """Whatever their process ids are: a judge in another namespace may share the folder for temporary files."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    for name in ("temporary", "folder"):
        (tmp_path / name).mkdir()
    contents = folders.read_contents(str(tmp_path / "folder"))
    make = f"from judge.processes.folders import Copy; copy = Copy({str(tmp_path / 'folder')!r}, {contents!r})"
    code = f"from judge.processes.folders import Contents\n{make}\nprint(copy.folder, flush=True); input()"
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": judge_environment()}
    options["env"]["TMPDIR"] = str(tmp_path / "temporary")
    with (
        subprocess.Popen([sys.executable, "-c", code], **options) as killed,
        subprocess.Popen([sys.executable, "-c", code], **options) as alive,
    ):
        homes = [Path(process.stdout.readline().strip()).parent for process in (killed, alive)]
        killed.kill()
        killed.wait()
        young = tmp_path / "temporary" / f"{folders.COPY_PREFIX}young"
        young.mkdir()
        for home in homes:
            os.utime(home, (0, 0))
        folders._remove_abandoned.cache_clear()
        own = folders.Copy(str(tmp_path / "folder"), contents)
        assert set(young.parent.iterdir()) == {homes[1], young, Path(own.folder).parent}
        alive.communicate("\n")
    assert set(young.parent.iterdir()) == {young, Path(own.folder).parent}


SEES = "import os\nprint(*(place for place in {places} if os.path.exists(place)))\n"


@pytest.mark.parametrize("has_record", [False, True])
@pytest.mark.parametrize("is_folder", [False, True])
def test_a_link_in_a_folder_shows_nothing_that_lies_elsewhere(tmp_path, monkeypatch, has_record, is_folder):
    """A folder that holds a record is not shown as a whole, but entry by entry."""
    secret, folder = tmp_path / "home" / "secret", tmp_path / "bot"
    secret.parent.mkdir()
    secret.write_text("")
    folder.mkdir()
    (folder / "main.py").write_text(SEES.format(places=["own", "link", "above", str(secret), str(secret.parent)]))
    (folder / "own").write_text("")
    for name, target in (("link", secret), ("above", secret.parent), ("all", "..")):
        (folder / name).symlink_to(target)
    if has_record:
        append_record(folder / "games.jsonl", ended(Termination.NORMAL))
    monkeypatch.chdir(folder)
    where = folder if is_folder else None
    assert output_of(command_in(f"{PYTHON} -S main.py", where)).split() == ["own"]
    if is_folder:  # what its command names there is the player's too
        assert output_of(command_in(f"{PYTHON} -S main.py link above", where)).split() == ["own"]


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        ("bin/look", ""),
        ("sh bin/look ./data", ""),
        ("sh bin/look ./way/tool", ""),
        ("sh {through}/bin/look {through}/way/tool", ""),
        ("sh bin/look other/bin/tool", ""),
        ("sh bin/look {linked}", "bin lib"),
        ("tools/sh bin/look", "bin lib"),
        ("env A=b tools/sh bin/look", "bin lib"),
        ("other/bin/sh bin/look", "bin lib"),
    ],
)
def test_a_link_in_a_players_folder_shows_an_installation_only_as_its_program(tmp_path, words, seen):
    """It is a player's own doing where its links lead, but for the program of a command."""
    folder, other = tmp_path / "bot", tmp_path / "other"
    for path in (folder / "bin", folder / "tools", other / "bin", other / "lib"):
        path.mkdir(parents=True)
    script = f"#!/bin/sh\nfor place in bin lib; do test -e {other}/$place/tool && echo $place; done\n"
    for path in (folder / "bin" / "look", other / "bin" / "tool", other / "lib" / "tool"):
        path.write_text(script)
        path.chmod(0o755)
    (other / "bin" / "sh").symlink_to("/bin/sh")
    for name, target in (("data", "bin/tool"), ("way", "bin"), ("lib", "lib"), ("tools/sh", "bin/sh"), ("other", ".")):
        (folder / name).symlink_to(other / target)
    through, linked = tmp_path / "through", tmp_path / "linked"
    through.symlink_to(folder)
    linked.symlink_to(other / "bin" / "tool")
    player = command_in(words.format(through=through, linked=linked), folder)
    assert output_of(player).split() == seen.split()


@pytest.mark.parametrize("words", ["{python} -W {tool}", "/usr/bin/env -S-u {tool} {python}"])
def test_a_script_names_its_interpreter_and_shows_no_other_program(tmp_path, monkeypatch, words):
    tool, secret = tmp_path / "go" / "bin" / "tool", tmp_path / "go" / "src" / "secret"
    for path in (tool, secret):
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    folder = tmp_path / "bot"
    folder.mkdir()
    script = folder / "script"
    first = words.format(python=os.path.realpath("/usr/bin/python3"), tool=tool)
    script.write_text(f"#!{first}\n" + SEES.format(places=[str(script), str(tool), str(secret)]))
    script.chmod(0o755)
    monkeypatch.chdir(folder)
    assert output_of(contestant("./script")).split() == [str(script)]


def test_files_vanish_while_a_folder_is_looked_at_and_copied(tmp_path, monkeypatch):
    folder, target = tmp_path / "folder", tmp_path / "target"
    (folder / "below").mkdir(parents=True)
    target.mkdir()
    for name in ("first", "second", "third", "below/fourth"):
        (folder / name).write_text("kept")
    (folder / "link").symlink_to("third")
    is_record = folders.is_record

    def removing(path):
        (folder / "first").unlink(missing_ok=True)
        return is_record(path)

    monkeypatch.setattr(folders, "is_record", removing)
    contents = folders.read_contents(str(folder))
    for name in ("second", "link", "below/fourth"):
        (folder / name).unlink()
    (folder / "below").rmdir()
    copy = folders.Copy(str(folder), contents)
    folders.Filling(copy).fill(str(target))
    assert sorted(os.listdir(target)) == ["below", "third"]
    (tmp_path / "again").mkdir()
    os.unlink(os.path.join(copy.folder, "third"))  # what the copy itself has lost is the machine's fault
    filling = folders.Filling(copy)
    with contextlib.closing(filling), pytest.raises(FileNotFoundError):
        filling.fill(str(tmp_path / "again"))


def test_of_what_a_player_has_written_so_many_files_are_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "MOST_WRITTEN", 10)
    for number in range(5):
        (tmp_path / str(number)).mkdir()
        for name in range(5):
            (tmp_path / str(number) / str(name)).write_text("")
    assert len(list(folders.files_in(str(tmp_path)))) == 5


@pytest.mark.skipif(os.getuid() != 0, reason="only root makes folders of others there")
@pytest.mark.parametrize("owner", [0, A_USER])
@pytest.mark.parametrize("is_folder", [True, False])
@pytest.mark.parametrize("place", ["", "records"])
def test_a_player_in_a_folder_among_the_systems_sees_its_own_alone(monkeypatch, place, is_folder, owner):
    with tempfile.TemporaryDirectory(dir="/opt") as home:
        os.chown(home, owner, -1)
        os.chmod(home, 0o755)
        folder = os.path.join(home, "games")
        record = os.path.join(folder, place, "games.jsonl")
        os.makedirs(os.path.dirname(record), exist_ok=True)
        for path in (f"{record}.live", f"{home}/other/opponent.py", f"{folder}/own.py"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(SEES.format(places=["own.py", f"{record}.live", f"{home}/other/opponent.py"]))
        monkeypatch.chdir(folder)
        sandbox = dataclasses.replace(SANDBOXED, protected=(record,))
        opponent = command_in(f"{PYTHON} -S {home}/other/opponent.py")
        player = command_in(f"{PYTHON} -S own.py", Path(folder) if is_folder else None)
        assert output_of(player, sandbox, [opponent]).split() == ["own.py"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root makes folders of others there")
def test_no_folders_name_shows_a_record_or_the_other_player(tmp_path, monkeypatch):
    """Folders of a program have such names too."""
    monkeypatch.chdir(tmp_path)
    with tempfile.TemporaryDirectory(dir="/opt") as home:
        os.chmod(home, 0o755)
        record, script = os.path.join(home, "lib", "games.jsonl"), os.path.join(home, "src", "opponent.py")
        for path in (record, script):
            os.mkdir(os.path.dirname(path))
            Path(path).write_text("")
        Path("own.py").write_text(SEES.format(places=["own.py", record, script]))
        player, opponent = (command_in(f"{PYTHON} -S {path}") for path in ("own.py", script))
        assert output_of(player).split() == ["own.py", record, script]
        assert output_of(player, dataclasses.replace(SANDBOXED, protected=(record,))).split() == ["own.py", script]
        assert output_of(player, SANDBOXED, [opponent]).split() == ["own.py", record]


def test_of_a_folder_with_too_many_parts_to_show_the_needed_ones_are_there(tmp_path, monkeypatch, capsys):
    """bubblewrap takes 9,000 words. What a command names in other folders is among what is needed."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir(parents=True)
        for number in range(3100):
            (folder / f"{number:04}").touch()
    (there / "tool.py").write_text("import os\nprint(len(os.listdir()), len(os.listdir(os.path.dirname(__file__))))")
    monkeypatch.chdir(here)
    protected = str(here / "0001"), str(there / "0001")
    sandbox = dataclasses.replace(SANDBOXED, protected=protected, shown=(str(here / "3000"),))
    seen, beside = map(int, output_of(Contestant("x", f"{PYTHON} -S {there / 'tool.py'}"), sandbox).split())
    assert seen >= 1 and beside > 1 and seen + beside <= 2 * (MOST_ENTRIES_SHOWN + 1)
    assert (
        f"only a part of {here}: a file there is hidden from the player, so at most 200 of" in capsys.readouterr().err
    )


@pytest.mark.parametrize("reason", ["No space left on device", "Permission denied"])
def test_a_folder_that_cannot_be_copied_is_told_why_and_tried_once(tmp_path, monkeypatch, capsys, reason):
    number = errno.ENOSPC if "space" in reason else errno.EACCES
    made = []

    def refusing(folder, contents):
        made.append(folder)
        raise OSError(number, reason)

    monkeypatch.setattr(bubblewrap, "Copy", refusing)
    sandbox = dataclasses.replace(SANDBOXED, copies=Copies())
    player = writer(tmp_path, [tmp_path])
    for _game in (1, 2):
        assert output_of(player, sandbox).split() == []
    assert made == [str(tmp_path)]
    said = capsys.readouterr().err
    assert said.count("cannot be copied") == 1 and reason in said


def test_what_was_copied_before_a_copy_fails_is_removed(tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    (tmp_path / "temporary").mkdir()
    (tmp_path / "own" / "file").touch()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))

    def refusing(*_arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(folders, "_copy_file", refusing)
    copies = Copies()
    why_not = copies.copy_of(str(tmp_path / "own"), ())
    assert why_not.errno == errno.ENOSPC
    assert list((tmp_path / "temporary").iterdir()) == []
