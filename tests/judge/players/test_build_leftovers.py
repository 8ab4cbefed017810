"""What is left of a build whose judge was killed."""

import os

from judge.players import source_build
from judge.players.players import contestant
from tests.judge.helpers.projects import needs_compiler, program_project


@needs_compiler
def test_what_a_killed_judge_has_left_of_a_build_is_removed(tmp_path, monkeypatch):
    builds = tmp_path / "builds"
    monkeypatch.setattr(source_build, "BUILDS", builds)
    project = program_project(tmp_path / "v8")
    contestant(f"src:{project}")
    (home,) = builds.iterdir()
    old, recent = home / "new-old", home / "new-recent"
    for folder in (old, recent):  # the second may be a build of another judge
        folder.mkdir()
        (folder / "0-main.cpp.o").touch()
    os.utime(old, (0, 0))
    (project / "main.cpp").write_text((project / "main.cpp").read_text() + "// changed\n")
    contestant(f"src:{project}")
    assert (old.exists(), recent.exists()) == (False, True)
