"""What cannot be executed in a sandbox fails as it does without one."""

import os
import subprocess

import pytest

from judge.processes import bubblewrap
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import CannotStart, Launch, start_errno
from tests.judge.helpers.sandboxes import bare_sandbox, needs_sandbox
from tests.judge.helpers.scripted import wait_until

MARKER = "executed"


@needs_sandbox
def test_what_is_not_there_or_not_executable_is_told_in_the_same_words(tmp_path):
    (tmp_path / "unmarked").write_text("#!/bin/sh\n")
    (tmp_path / "folder").mkdir()
    for program in ("no-such-program", "./unmarked", "./folder", "./missing", "a\0b", "\ud800"):
        reasons = []
        for sandbox in (bare_sandbox(), None):
            with pytest.raises(CannotStart) as failure:
                BotProcess(Launch((program,), folder=str(tmp_path)), MARKER, sandbox)
            reasons.append(str(failure.value))
        assert reasons[0] == reasons[1]


@needs_sandbox
def test_without_its_interpreter_a_program_does_not_start(tmp_path):
    """Which shows only when the sandbox runs it: the words are the shell's there."""
    (tmp_path / "without").write_text("#!/no/such/interpreter\n")
    (tmp_path / "without").chmod(0o755)
    with pytest.raises(CannotStart, match="./without: No such file"):
        BotProcess(Launch(("./without",), folder=str(tmp_path)), MARKER)
    sandbox = bubblewrap.BotSandbox(bare_sandbox().program, shown=(str(tmp_path),))
    process = BotProcess(Launch(("./without",), folder=str(tmp_path)), MARKER, sandbox)
    wait_until(lambda: pump([process], 0.02) and process.exit_status is not None)
    end_all([process])
    assert process.why_not_started.startswith("./without: ")


@needs_sandbox
def test_a_script_in_the_folder_is_executed(tmp_path):
    (tmp_path / "script").write_text("#!/bin/sh\npwd\n")
    (tmp_path / "script").chmod(0o755)
    sandbox = bubblewrap.BotSandbox(bare_sandbox().program, writable={str(tmp_path): str(tmp_path)})
    process = BotProcess(Launch(("./script",), folder=str(tmp_path)), MARKER, sandbox)
    while process.exit_status is None:
        pump([process], 0.05)
    end_all([process])
    assert process.received[0][1].decode() == f"{tmp_path}\n"


def test_what_starts_is_not_refused(tmp_path):
    """Every program of this system's folder of programs would start."""
    for name in sorted(os.listdir("/usr/bin"))[:200]:
        if os.path.isfile(f"/usr/bin/{name}") and os.access(f"/usr/bin/{name}", os.X_OK):
            assert start_errno(name, {"PATH": "/usr/bin"}, str(tmp_path)) == 0, name


def test_a_folder_that_is_not_there_is_a_failure(tmp_path):
    for folder in (tmp_path / "none", tmp_path / "file"):
        (tmp_path / "file").write_text("")
        with pytest.raises(OSError) as failure:
            subprocess.run(["true"], cwd=folder, check=False)
        assert start_errno("true", {"PATH": "/usr/bin"}, str(folder)) == failure.value.errno
