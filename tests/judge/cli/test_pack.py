"""The zip of a user's own bot: what is in it, what is left out and said, and what is refused with its reason."""

import os
import subprocess
import zipfile

import pytest

from protocol.records.record import Termination, read_records
from tests.judge.helpers.projects import MAIN, POINT, STRATEGY, library_project, needs_compiler, write_project
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command, run_judge


def project(folder, files=None):
    return write_project(folder, {"Point.h": POINT, "Strategy.cpp": STRATEGY, "main.cpp": MAIN, **(files or {})})


@needs_compiler
def test_what_is_packed_builds_elsewhere_and_plays(tmp_path):
    folder = project(
        tmp_path / "mine", {"data/weights.txt": "1 2", ".git/config": "", ".vimrc": "", "build/x.cpp": "!"}
    )
    (folder / "a.out").write_bytes(b"\x7fELF and more")
    (folder / "link.h").symlink_to("Point.h")
    done = run_judge(tmp_path, "pack", "src:mine", "--no-check")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / "mine.zip") as archive:
        assert sorted(archive.namelist()) == ["Point.h", "Strategy.cpp", "data/weights.txt", "main.cpp"]
        archive.extractall(tmp_path / "there")
    assert sorted(line for line in done.stdout.splitlines() if line.startswith("not in the zip: ")) == [
        "not in the zip: .git (a hidden file or folder)",
        "not in the zip: .vimrc (a hidden file or folder)",
        "not in the zip: a.out (a compiled program or an archive)",
        "not in the zip: build (not part of the build)",
        "not in the zip: link.h (a symbolic link)",
    ]
    assert "C++ zip" in done.stdout
    line = ["g++", "-O2", "-std=c++17", "-DONLINE_JUDGE", "main.cpp", "Strategy.cpp", "-o", "bot"]
    subprocess.run(line, cwd=tmp_path / "there", check=True)
    words = ("play", str(tmp_path / "there" / "bot"), command("first_legal"), "--free-start", "--limit", WIDE_LIMIT_S)
    run_judge(tmp_path, *words, "--record", "game.jsonl")
    (record,) = read_records(tmp_path / "game.jsonl")[0]
    assert record.termination is Termination.NORMAL


@needs_compiler
def test_the_same_files_are_the_same_bytes_and_no_file_is_overwritten(tmp_path):
    for name, moment in (("one", 10**9), ("two", 2 * 10**9)):
        for path in project(tmp_path / name).iterdir():
            os.utime(path, (moment, moment))
        assert run_judge(tmp_path, "pack", f"src:{name}", "--no-check").returncode == 0
    before = (tmp_path / "one.zip").read_bytes()
    assert before == (tmp_path / "two.zip").read_bytes()
    done = run_judge(tmp_path, "pack", "src:two", "--no-check", "--output", "one.zip")
    assert done.returncode == 2 and "one.zip exists already" in done.stderr
    assert (tmp_path / "one.zip").read_bytes() == before


@needs_compiler
@pytest.mark.parametrize(
    "files, reason",
    [
        ({"notes.txt": ""}, "holds no source"),
        ({"a.cpp": "int x;"}, "makes no program: expected a main(), or getPoint"),
        ({"main.cpp": "int main() { return lacking; }"}, "does not compile"),
        ({"main.cpp": "#include <windows.h>\nint main() {}"}, "the platform does not build this bot: main.cpp:1"),
    ],
)
def test_what_the_platform_refuses_is_not_packed(tmp_path, files, reason):
    write_project(tmp_path / "mine", files)
    done = run_judge(tmp_path, "pack", "src:mine", "--no-check")
    assert done.returncode == 2 and reason in done.stderr
    assert not (tmp_path / "mine.zip").exists()


@needs_compiler
def test_a_project_needs_a_main(tmp_path):
    library_project(tmp_path / "mine")
    done = run_judge(tmp_path, "pack", "src:mine", "--no-check")
    assert done.returncode == 2 and "the project has no main(), which the platform needs" in done.stderr


def test_a_python_bot_is_packed_with_its_main_at_the_root(tmp_path):
    write_project(tmp_path / "mine", {"main.py": "", "parts/search.py": "", "__pycache__/main.pyc": ""})
    done = run_judge(tmp_path, "pack", "mine", "--no-check", "--output", "up.zip")
    assert done.returncode == 0, done.stderr
    assert zipfile.ZipFile(tmp_path / "up.zip").namelist() == ["main.py", "parts/search.py"]
    assert "Python zip" in done.stdout and "not in the zip: __pycache__ (a hidden file or folder)" in done.stdout
    done = run_judge(tmp_path, "pack", "parts", "--no-check")
    assert done.returncode == 2 and "cannot be packed" in done.stderr


def test_what_fails_the_check_is_not_packed(tmp_path):
    write_project(tmp_path / "mine", {"main.py": "raise SystemExit(3)"})
    done = run_judge(tmp_path, "pack", "mine")
    assert done.returncode == 1
    assert "CRASH" in done.stdout and "mine.zip was not written" in done.stdout
    assert not (tmp_path / "mine.zip").exists()


def test_a_zip_that_is_too_large_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr("judge.cli.pack.MOST_BYTES", 100)
    write_project(tmp_path / "mine", {"main.py": "", "weights.txt": "".join(map(chr, range(33, 127)))})
    done = run_judge(tmp_path, "pack", "mine", "--no-check")
    assert done.returncode == 2 and "the platform takes" in done.stderr
    assert not (tmp_path / "mine.zip").exists()
