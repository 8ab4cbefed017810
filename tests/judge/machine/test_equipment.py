"""Interpreter, packages and programs of machines that lack this and that."""

import functools
import re
import shutil
import sys

from bot.backends import native
from judge.machine.facts import LEVELS, State, cpu_level
from judge.machine.packages import (
    REQUIREMENTS,
    cpp_fact,
    git_fact,
    how_to_get,
    package_facts,
    sandbox_fact,
)
from tests.places import REPOSITORY


def test_programs_are_installed_as_the_system_does_it(monkeypatch):
    for manager, program, command in [
        ("apt", "g++", "sudo apt install g++"),
        ("dnf", "g++", "sudo dnf install gcc-c++"),
        ("pacman", "g++", "sudo pacman -S gcc"),
        ("zypper", "g++", "sudo zypper install gcc-c++"),
        ("another", "git", "install git with the system's package manager"),
    ]:
        which = {manager: f"/usr/bin/{manager}"}.get
        for user in (0, 1000):
            monkeypatch.setattr("os.geteuid", lambda user=user: user)
            assert how_to_get(program, which, "linux") == (command if user else command.removeprefix("sudo "))
        assert how_to_get(program, which, "darwin") == "xcode-select --install"


def test_packages_are_missing_or_wanted_by_what_needs_them():
    versions = {"rich": "14.0.0", "psutil": "6.9.1", "numba": "0.68rc1", "numpy": "nonsense", "argcomplete": "3.10"}
    facts = {fact.name: fact for fact in package_facts("get {}".format, versions.get)}
    assert {name for name, fact in facts.items() if fact.state is State.OK} == {"rich", "numba", "argcomplete"}
    assert {name for name, fact in facts.items() if fact.state is State.MISSING} >= {"psutil", "scipy"}
    assert facts["psutil"].text.startswith("version 6.9.1 is installed, 7.0 or newer is needed")
    assert facts["llvmlite"].text.startswith("this package is not installed")
    assert all((fact.advice == f"get {fact.name}") == (fact.state is not State.OK) for fact in facts.values())


def test_what_the_packages_are_is_what_pyproject_asks_for():
    asked = re.findall(
        r"^(?:dependencies|compile) = \[(.*?)^\]", (REPOSITORY / "pyproject.toml").read_text(), re.M | re.S
    )
    pairs = set(re.findall(r'"(\w+)>=([\d.]+)', "".join(asked)))
    if sys.version_info >= (3, 11):
        pairs = {pair for pair in pairs if pair[0] != "tomli"}
    assert {(requirement.name, requirement.oldest) for requirement in REQUIREMENTS} == pairs


def which_in(folder):
    """A `which` that knows the programs of one folder."""
    return functools.partial(shutil.which, path=str(folder))


def program(folder, name, script):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def advice(name):
    return f"get {name}"


def test_a_machine_without_compilers(tmp_path):
    which = which_in(tmp_path)
    facts = [cpp_fact(advice, which), git_fact(REPOSITORY, advice, which)]
    assert [fact.state for fact in facts] == [State.WARNING] * 2
    assert [fact.advice for fact in facts] == ["get g++", "get git"]
    assert "players src:FOLDER" in facts[0].text


def test_a_program_that_tells_no_version_is_there_all_the_same(tmp_path):
    for script in ["exit 1", "kill -9 $$", "echo unknown option; exit 2", "true"]:
        program(tmp_path, "git", script)
        assert git_fact(REPOSITORY, advice, which_in(tmp_path)).text == f"{tmp_path}/git"


def test_an_old_cpp_compiler_does_not_take_the_standard(tmp_path):
    program(tmp_path, "g++", 'test "$1" = --version && echo "g++ (GCC) 4.8.5" || exit 1')
    fact = cpp_fact(advice, which_in(tmp_path))
    assert (fact.state, fact.advice) == (State.WARNING, "get g++")
    assert "4.8.5" in fact.text and "-std=c++17" in fact.text


def test_a_cpp_compiler_is_given_a_program(tmp_path):
    program(tmp_path, "g++", f'test "$1" = --version && echo "g++ 12.2.0" || cat > {tmp_path}/given')
    assert cpp_fact(advice, which_in(tmp_path)).state is State.OK
    assert "#include <vector>" in (tmp_path / "given").read_text()


def test_bubblewrap_is_told_of_or_how_to_get_it_or_what_forbids_it(tmp_path):
    which = which_in(tmp_path)
    fact = sandbox_fact(None, "bubblewrap is not installed", advice, which)
    assert (fact.state, fact.advice) == (State.WARNING, advice("bubblewrap"))
    program(tmp_path, "bwrap", "echo bubblewrap 0.8.0")
    fact = sandbox_fact(None, "bubblewrap does not work here: bwrap: No permissions", advice, which)
    assert fact.state is State.WARNING and "No permissions" in fact.text and "docs/sandbox.md" in fact.advice
    fact = sandbox_fact(str(tmp_path / "bwrap"), "", advice, which)
    assert (fact.state, fact.text.endswith(" (0.8.0)")) == (State.OK, True)


def test_outside_a_repository_there_are_no_revisions(tmp_path):
    program(tmp_path, "git", "echo git version 2.39.5")
    (tmp_path / "checkout" / ".git").mkdir(parents=True)
    assert git_fact(tmp_path / "checkout", advice, which_in(tmp_path)).state is State.OK
    fact = git_fact(tmp_path, advice, which_in(tmp_path))
    assert (fact.state, "bot@REVISION" in fact.text) == (State.WARNING, True)


def test_a_repository_that_git_refuses_is_a_warning_with_gits_reason(tmp_path):
    program(tmp_path, "git", "echo git version 2.39.5")
    (tmp_path / ".git").mkdir()
    fact = git_fact(tmp_path, advice, which_in(tmp_path), "fatal: detected dubious ownership")
    assert (fact.state, "dubious ownership" in fact.text) == (State.WARNING, True)


def test_the_levels_are_the_bots():
    assert LEVELS == native.LEVELS


def test_the_level_of_a_cpu_needs_those_below_it(tmp_path):
    def level_of(flags):
        path = tmp_path / "cpuinfo"
        path.write_bytes(b"processor\t: 0\nmodel name\t: \xff\nflags\t\t: " + flags.encode() + b"\n\nflags\t\t: none\n")
        return cpu_level(path)

    flags = [" ".join(flags for _, flags in LEVELS[-count:]) for count in (1, 2, 3)]
    assert list(map(level_of, flags)) == ["x86-64", "x86-64-v2", "x86-64-v3"]
    assert level_of(f"{flags[2]} ".replace("popcnt ", "")) == "x86-64"
    assert level_of("") is None
    assert cpu_level(tmp_path / "none") is None
