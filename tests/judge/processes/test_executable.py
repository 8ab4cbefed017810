"""What cannot be executed in a sandbox fails as it does without one, before anything is started."""

import os
import stat
import subprocess

import pytest

from judge.processes import bubblewrap
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.sandboxed import why_not_executed
from judge.processes.start import CannotStart
from tests.judge.helpers.sandboxes import bare_sandbox, needs_sandbox

MARKER = "executed"


def programs(folder):
    """Files that are no programs, and what subprocess says of them."""
    for name, content, mode in (
        ("text", "one\n", 0o755),
        ("unmarked", "#!/bin/sh\n", 0o644),
        ("without", "#!/no/such/interpreter\n", 0o755),
        ("nameless", "#!\n", 0o755),
    ):
        (folder / name).write_text(content)
        (folder / name).chmod(stat.S_IFREG | mode)
    (folder / "folder").mkdir()
    return ["no-such-program", "./text", "./unmarked", "./without", "./nameless", "./folder", "./missing"]


@needs_sandbox
def test_what_cannot_be_executed_is_told_in_the_same_words(tmp_path):
    for program in programs(tmp_path):
        reasons = []
        for sandbox in (bare_sandbox(), None):
            with pytest.raises(CannotStart) as failure:
                BotProcess((program,), {}, MARKER, str(tmp_path), sandbox=sandbox)
            reasons.append(str(failure.value))
        assert reasons[0] == reasons[1]


@needs_sandbox
def test_a_script_in_the_folder_is_executed(tmp_path):
    (tmp_path / "script").write_text("#!/bin/sh\npwd\n")
    (tmp_path / "script").chmod(0o755)
    sandbox = bubblewrap.BotSandbox(bare_sandbox().program, writable={str(tmp_path): str(tmp_path)})
    process = BotProcess(("./script",), {}, MARKER, str(tmp_path), sandbox=sandbox)
    while process.exit_status is None:
        pump([process], 0.05)
    end_all([process], MARKER)
    assert process.received[0][1].decode() == f"{tmp_path}\n"


def test_what_starts_is_not_refused(tmp_path):
    """Every program of this system's folder of programs would start."""
    for name in sorted(os.listdir("/usr/bin"))[:200]:
        if os.path.isfile(f"/usr/bin/{name}") and os.access(f"/usr/bin/{name}", os.X_OK):
            assert why_not_executed(name, {"PATH": "/usr/bin"}, str(tmp_path)) == 0, name


def test_a_folder_that_is_not_there_is_a_failure(tmp_path):
    for folder in (tmp_path / "none", tmp_path / "file"):
        (tmp_path / "file").write_text("")
        with pytest.raises(OSError) as failure:
            subprocess.run(["true"], cwd=folder, check=False)
        assert why_not_executed("true", {"PATH": "/usr/bin"}, str(folder)) == failure.value.errno
