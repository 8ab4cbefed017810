"""What all tests share: one environment, --run-slow, --processor-time, hypothesis without a time limit per example."""

import collections
import os
import resource
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# Whatever the suite is started from, tests and what they start have English, UTF-8, a plain terminal of no given size,
# and a Python that buffers what it prints. A test that is about one of these variables sets it.
UNSET = ("LANGUAGE", "COLUMNS", "LINES", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "PAGER", "BROWSER", "PYTHONUNBUFFERED")
for variable in UNSET:
    os.environ.pop(variable, None)
os.environ.update(LC_ALL="C.UTF-8", TERM="xterm")

# A note tells of any other stack.
resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))

# What the tests start hears SIGHUP, under nohup too, which passes on that it is ignored.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# These tests also run on machines that are busy.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


def pytest_addoption(parser):
    parser.addoption("--run-slow", action="store_true", help="also run what is marked slow: minutes, not seconds")
    parser.addoption("--processor-time", action="store_true", help="say at the end how much each file took")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: runs with --run-slow alone")
    if config.getoption("--processor-time") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(ProcessorTime())


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--run-slow"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="are slow: scripts/test --run-slow"))


def pytest_terminal_summary(terminalreporter):
    """Print how many tests were skipped for each reason, so that nobody takes them for broken."""
    reasons = collections.Counter(
        report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", ())
    )
    if reasons:
        terminalreporter.section("skipped tests")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:5d} {reason}")


@pytest.fixture
def memory_folder(tmp_path):
    """A folder in memory where there is one, in which thousands of folders are made in no time."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


def spent_s():
    """Processor seconds of this process and of those that it has waited for."""
    return sum(os.times()[:4])


_spent_before = spent_s()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A report carries the processor time since the one before it, from a worker of pytest-xdist too."""
    global _spent_before
    report = yield
    now = spent_s()
    report.processor_s, _spent_before = now - _spent_before, now
    return report


class ProcessorTime:
    """Adds up the reports of a run by their files."""

    def __init__(self):
        self._files = collections.defaultdict(lambda: [0.0, 0.0, 0])

    def pytest_runtest_logreport(self, report):
        file = self._files[report.nodeid.partition("::")[0]]
        file[0] += report.processor_s
        file[1] += report.duration
        file[2] += report.when == "call"

    def pytest_terminal_summary(self, terminalreporter):
        files = sorted(self._files.items(), key=lambda item: -item[1][0])
        total = [sum(column) for column in zip(*self._files.values(), strict=True)]
        terminalreporter.section("processor time")
        for name, (processor_s, wall_s, tests) in [("all files", total), *files]:
            terminalreporter.write_line(f"{processor_s:8.1f} s of {wall_s:7.1f} s  {tests:5d} tests  {name}")
