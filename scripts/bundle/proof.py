"""The matrix of games that a bundle has to survive: interpreters, engines, boards, memory limits, mounts."""

import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from rich.console import Console
from rich.table import Table

from bot.backends import native
from bundle.boards import BOARDS, LARGE, SMALL
from bundle.games import WITHOUT_SITE_PACKAGES, Case, play, unpack

SHORT_S, LADDER_S = 0.5, 3.0
ADDRESS_SPACE_KB = 10**9 // 1024
WANTED = ((3, 8), (3, 13))  # beside the interpreter that runs this
JOBS = 2


def cases(game, pythons, bundle, mount):
    """(the cases, what is left out and why); pythons: {version: path}; mount: words that mount, None if impossible."""
    boards = BOARDS[game]
    claimed = native.runnable()
    found, left_out = [], [f"{name}: this CPU does not have it" for name in native.NAMES if name not in claimed]
    for (major, minor), path in pythons.items():
        found += _with_interpreter(boards, f"{major}.{minor}", (path, *WITHOUT_SITE_PACKAGES), [*claimed, "python"])
    missing = [version for version in WANTED if version not in pythons]
    left_out += [f"Python {major}.{minor}: not found (name one in PYTHONS=)" for major, minor in missing]
    own = (sys.executable, *WITHOUT_SITE_PACKAGES)
    if mount is None:
        left_out.append("noexec mount: nothing may be mounted here")
    else:
        found.append(
            Case(
                "read-only noexec mount",
                own,
                boards[LARGE],
                SHORT_S,
                claimed[0],
                _options(),
                _mounting_script(bundle),
                (*mount, "sh", "-c"),
            )
        )
    found.append(
        Case(
            "numba, cold cache",
            (sys.executable,),
            boards[LARGE],
            LADDER_S,  # long enough for the compiling to end before the game does
            "numba",
            _options("jit"),
            'export DROPFOUR_CACHE_DIR="$PWD/cache";',
        )
    )
    found += [Case(f"ladder, {board}", own, board, LADDER_S, claimed[0]) for board in boards]
    return found, left_out


def _options(backend="auto"):
    return ("--backend", backend, "--limit", "{limit}")


def _with_interpreter(boards, version, python, engines):
    """Every engine on both boards, on the smaller one under a limit on address space."""
    limit = f"ulimit -v {ADDRESS_SPACE_KB};"
    for engine in engines:
        for board in boards:
            prefix, words = (limit, ", 1 GB of addresses") if board == boards[SMALL] else ("", "")
            yield Case(
                f"Python {version}, {engine}, {board}{words}", python, board, SHORT_S, engine, _options(engine), prefix
            )


def mounting_words():
    """The command that gives a process mounts of its own, None where there is none that works."""
    for words in (["unshare", "-m"], ["unshare", "-r", "-m"]):
        with tempfile.TemporaryDirectory() as place:
            script = f"mount -t tmpfs -o noexec none {shlex.quote(place)}"
            if (
                shutil.which(words[0])
                and subprocess.run([*words, "sh", "-c", script], capture_output=True).returncode == 0
            ):
                return words
    return None


def _mounting_script(bundle):
    """Shell words that put such a mount with a copy of the bundle over it; only their own process sees it."""
    place = shlex.quote(str(bundle))
    return (
        f"copy=$(mktemp -d) && cp -r {place}/. $copy && mount -t tmpfs -o noexec none {place} && "
        f"cp -r $copy/. {place} && rm -r $copy && mount -o remount,ro,noexec none {place} &&"
    )


def prove(archive, game, pythons):
    """Play a game's matrix with the zip `archive`, a line a game, and print a table; True if all went as it should."""
    console = Console()
    with tempfile.TemporaryDirectory() as place:
        bundle = unpack(archive, place)
        matrix, left_out = cases(game, pythons, bundle, mounting_words())

        def played(numbered):
            number, case = numbered
            outcome = play(case, game, bundle, seed=number)
            console.print(f"{case.title}: {outcome.fault or 'as it should'}", highlight=False, soft_wrap=True)
            return outcome

        console.print(f"{len(matrix)} games, {JOBS} at a time", highlight=False)
        with ThreadPoolExecutor(JOBS) as pool:
            outcomes = list(pool.map(played, enumerate(matrix, 1)))
    console.print(_table(outcomes))
    for line in left_out:
        console.print(f"not run: {line}")
    return not any(outcome.fault for outcome in outcomes)


def _table(outcomes):
    table = Table("game", "plies", "slowest s", "first s", "peak MB", "engine", "result")
    for outcome in outcomes:
        table.add_row(
            outcome.case.title,
            str(outcome.plies),
            f"{outcome.slowest_s:.3f}",
            f"{outcome.first_s:.3f}",
            f"{outcome.peak_mb:.0f}",
            outcome.engines,
            outcome.fault or "as it should",
        )
    return table
