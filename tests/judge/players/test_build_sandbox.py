"""A project is built in a sandbox: its sources read nothing of the user's, reach nobody and cannot fill the machine."""

import dataclasses
import os
import subprocess
import time

import pytest

from judge.players import source_player
from judge.players.players import PlayerError, contestant
from judge.processes.bubblewrap import Availability, Copies, Sandbox
from tests.judge.helpers.projects import STRATEGY, library_project, needs_compiler, write_project
from tests.judge.helpers.sandboxes import SANDBOXED, UNSANDBOXED, needs_sandbox

pytestmark = needs_compiler
SEES = '#if !__has_include("{path}")\n#error unseen\n#endif\n'


@pytest.fixture(autouse=True)
def no_builds(tmp_path, monkeypatch):
    monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path / "cache"))


def is_seen(folder, path, sandbox):
    """Whether a source of this folder can read the file."""
    library_project(folder, {"sees.cpp": SEES.format(path=path)})
    try:
        contestant(f"src:{folder}", sandbox=dataclasses.replace(sandbox, copies=Copies()))
    except PlayerError as error:
        assert "unseen" in str(error)
        return False
    return True


@needs_sandbox
def test_a_build_sees_its_project_and_the_system_alone(tmp_path):
    for name in ("other/secret.h", "project/.git/config", "project/own.h", "project/deep/own.h"):
        write_project(tmp_path, {name: ""})
    places = {
        "/usr/include/stdio.h": True,
        tmp_path / "project" / "own.h": True,
        "deep/own.h": True,
        ".git/config": False,
        tmp_path / "other" / "secret.h": False,
        os.path.realpath(__file__): False,
    }
    for path, expected in places.items():
        assert is_seen(tmp_path / "project", path, SANDBOXED) == expected
        assert is_seen(tmp_path / "project", path, UNSANDBOXED)
    assert is_seen(
        tmp_path / "project", tmp_path / "other" / "secret.h", Sandbox("on", shown=(str(tmp_path / "other"),))
    )


@needs_sandbox
def test_a_single_source_sees_the_headers_beside_it_alone(tmp_path):
    write_project(tmp_path, {"own.h": "", "opponent.cpp": "", "alone.cpp": STRATEGY + '#include "own.h"\n'})
    write_project(tmp_path, {"Point.h": "struct Point { int x, y; };\n"})
    contestant(f"src:{tmp_path / 'alone.cpp'}", sandbox=SANDBOXED)
    write_project(tmp_path, {"alone.cpp": STRATEGY + '#include "opponent.cpp"\n'})
    with pytest.raises(PlayerError, match="--show PATH"):
        contestant(f"src:{tmp_path / 'alone.cpp'}", sandbox=SANDBOXED)


@needs_sandbox
def test_compilers_write_nothing_but_what_they_compile(tmp_path):
    tree = source_player.read_tree(library_project(tmp_path / "project"))
    (tmp_path / "out").mkdir()
    worker = source_player.Compiler(tree, tmp_path / "out", (), SANDBOXED)
    places = [tmp_path / "project", tmp_path, os.path.expanduser("~"), os.getcwd(), "/usr", "/"]
    script = "; ".join(f"touch {place}/written" for place in (*places, tmp_path / "out"))
    worker.output(["sh", "-c", f"({script}) 2>/dev/null; true"])
    assert [place for place in places if os.path.exists(f"{place}/written")] == []
    assert (tmp_path / "out" / "written").exists()
    assert worker.output(["sh", "-c", "cat /proc/net/dev | wc -l"]).strip() == "3"  # two lines of titles, and lo


@pytest.mark.parametrize(
    "sandbox", [pytest.param(SANDBOXED, marks=needs_sandbox), pytest.param(UNSANDBOXED, marks=pytest.mark.slow)]
)
def test_a_source_that_never_ends_is_refused(tmp_path, sandbox):
    library_project(tmp_path / "project", {"endless.cpp": '#include "/dev/zero"\n'})
    before = time.monotonic()
    with pytest.raises(PlayerError, match="does not compile"):
        contestant(f"src:{tmp_path / 'project'}", sandbox=sandbox)
    assert time.monotonic() - before < source_player.LIMIT_S


@pytest.mark.parametrize("name", ["@.x/a.cpp", "-wrapper.cpp", "@a.cpp", "-o.cpp", "--help.cpp", "-.cpp"])
@pytest.mark.parametrize("sandbox", [pytest.param(SANDBOXED, marks=needs_sandbox), UNSANDBOXED])
def test_no_name_is_an_option(tmp_path, name, sandbox):
    folder = library_project(tmp_path / "project", {name: "int of_this_name = 1;\n"})
    if name.startswith("@.x"):  # g++ would read the options in the file x/a.cpp
        write_project(folder, {".x/a.cpp": f"-wrapper /bin/sh,-c,'touch {tmp_path}/ran'\n"})
    player = contestant(f"src:{folder}", sandbox=sandbox)
    library = player.prepared.argv[-1]
    assert "of_this_name" in subprocess.run(["nm", "-D", library], capture_output=True, text=True).stdout
    assert not (tmp_path / "ran").exists()


def test_without_a_sandbox_it_is_built_as_before(tmp_path, monkeypatch):
    monkeypatch.setattr("judge.processes.bubblewrap.find_bubblewrap", lambda: Availability(None, "not here"))
    assert contestant(f"src:{library_project(tmp_path / 'project')}", sandbox=Sandbox()).prepared is not None


@needs_sandbox
def test_a_link_among_the_headers_shows_nothing_that_lies_elsewhere(tmp_path):
    write_project(tmp_path, {"other/secret.h": "", "own/alone.cpp": '#include "beside.h"\nint main() {}\n'})
    (tmp_path / "own" / "beside.h").symlink_to(tmp_path / "other" / "secret.h")
    with pytest.raises(PlayerError, match="beside.h: No such file"):
        contestant(f"src:{tmp_path / 'own' / 'alone.cpp'}", sandbox=SANDBOXED)
    (tmp_path / "alone.cpp").symlink_to(tmp_path / "other" / "alone.cpp")  # but one that a player names does
    write_project(tmp_path, {"other/alone.cpp": "int main() {}\n"})
    contestant(f"src:{tmp_path / 'alone.cpp'}", sandbox=SANDBOXED)


@pytest.mark.parametrize("sandbox", [pytest.param(SANDBOXED, marks=needs_sandbox), UNSANDBOXED])
def test_what_compilers_say_is_limited(tmp_path, monkeypatch, sandbox):
    tree = source_player.read_tree(library_project(tmp_path / "project"))
    (tmp_path / "out").mkdir()
    worker = source_player.Compiler(tree, tmp_path / "out", (), sandbox)
    monkeypatch.setattr(source_player, "MOST_LISTED", 100)
    assert worker.output(["head", "-c", "1000", "/dev/zero"]) == "\0" * 100
