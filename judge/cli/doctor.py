"""`python -m judge doctor`: reports what this machine has, what is missing, and how to get it.

It uses the standard library only, because it must be able to report that rich or psutil is missing.
"""

import dataclasses
import os
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judge import program
from judge.cli import number_types
from judge.cli.parser import Parser
from judge.language import _, marked, recorded, shown
from judge.machine import packages
from judge.machine.facts import (
    Fact,
    State,
    clock_fact,
    cores_fact,
    cpu_level,
    encoding_fact,
    folder_fact,
    load_fact,
    measure,
    measure_load,
    memory_fact,
    read_cores,
    read_memory,
)
from judge.machine.packages import how_to_get, installed_version, interpreter_fact, package_facts
from judge.players.versions import CHECKOUT, cache_folder, own_version, package_version, why_no_revision
from judge.processes.bubblewrap import find_bubblewrap
from judge.processes.usage import thread_times
from judge.terminal import columns, console, json_line, printable

DEFAULT_S = 10.0  # how long --jobs measures
RECORDS = Path("records")  # where runs record games by default
MARKS = {State.OK: marked("ok"), State.WARNING: marked("warning"), State.MISSING: marked("missing")}
STYLES = {State.OK: "green", State.WARNING: "yellow", State.MISSING: "bold red"}


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = Parser(
        "doctor",
        description=_(
            "Report what this machine has for playing, compiling and measuring, what is missing and how to get it. "
            "With --jobs, measure instead whether so many games at a time would be played fairly."
        ),
        epilog=_(
            "Exit status: 0 if nothing that is needed is missing, with or without warnings, 1 if something is missing "
            "or the games of --jobs would not be played fairly, 2 for bad arguments."
        ),
    )
    parser.add_argument(
        "--jobs",
        type=number_types.count,
        metavar="J",
        help=_("measure whether J games at a time would be played fairly, instead of reporting what this machine has"),
    )
    parser.add_argument(
        "--seconds",
        type=number_types.seconds,
        metavar="S",
        help=_("with --jobs: how many seconds to measure (default: {number:g})").format(number=DEFAULT_S),
    )
    parser.add_argument(
        "--json", action="store_true", help=_("also print the results as a JSON object, in the last line of the output")
    )
    options = parser.parse_args(argv)
    reconfigure = getattr(sys.stdout, "reconfigure", None)  # a StringIO has none
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")  # a stdout that is not UTF-8 is reported and must not raise
    if options.jobs is not None:
        return _print_readiness(options.jobs, options.seconds or DEFAULT_S, options.json)
    if options.seconds is not None:
        parser.error(_("{option} needs {other}").format(option="--seconds", other="--jobs"))
    facts = machine_facts()
    _print_facts(facts)
    missing = [fact.name for fact in facts if fact.state is State.MISSING]
    warnings = sum(fact.state is State.WARNING for fact in facts)
    conclusion = _("missing: {names}") if missing else _("nothing that is needed is missing; warnings: {number}")
    print(conclusion.format(names=", ".join(map(shown, missing)), number=warnings), flush=True)
    if options.json:
        content = {"ok": not missing, "missing": missing, "facts": _facts_as_json(facts)}
        print(json_line(content), flush=True)
    return 1 if missing else 0


def _print_readiness(jobs: int, seconds: float, as_json: bool) -> int:
    """Measure whether the machine is ready for `jobs` games at a time, print the result and return the exit status.

    The measurement takes `seconds` seconds. With `as_json` a JSON object is printed after the result.
    """
    announcement = _("measuring the machine for {seconds:g} s for --jobs {jobs}; end other programs that are running")
    print(announcement.format(jobs=jobs, seconds=seconds), flush=True)
    ready = measure(jobs, seconds, _sleep)
    unfair = [fact.name for fact in ready.facts if fact.state is not State.OK]
    _print_facts(ready.facts)
    conclusion = _("games with --jobs {jobs} would be played fairly on this machine")
    if unfair:
        conclusion = _("games with --jobs {jobs} would not be played fairly on this machine: {names}")
    print(conclusion.format(jobs=jobs, names=", ".join(map(shown, unfair))))
    if as_json:
        content = {
            "ok": not unfair,
            "unfair": unfair,
            "facts": _facts_as_json(ready.facts),
            "fairness": ready.as_json(),
        }
        print(json_line(content))
    sys.stdout.flush()
    return 1 if unfair else 0


def _sleep(seconds: float) -> None:
    """Sleep for `seconds` seconds. If stderr is a terminal, show there how much of the time is over."""
    if not sys.stderr.isatty():
        time.sleep(seconds)
        return
    from rich.progress import track

    step_s = 0.5  # a bar that is drawn more often would add load
    steps = max(1, round(seconds / step_s))
    for _step in track(
        range(steps), _("measuring the machine"), console=console(stderr=True), transient=True, auto_refresh=False
    ):
        time.sleep(seconds / steps)


def _facts_as_json(facts: Sequence[Fact]) -> list[dict[str, Any]]:
    return [{**dataclasses.asdict(fact), "state": fact.state.value} for fact in facts]


def machine_facts(checkout: Path = CHECKOUT) -> list[Fact]:
    """Return all Facts on this machine in the order in which they are printed.

    `checkout` is the folder of the bot that is asked for its engines.
    """
    cores, state = read_cores(), []
    if installed_version("psutil") is not None:  # before anything is started that would add load
        state = [load_fact(measure_load(), cores), memory_fact(read_memory(), cores.jobs)]
    sandboxes = find_bubblewrap()
    return [
        Fact(program.COMMAND, State.OK, f"{package_version()} ({own_version()}), {checkout}"),
        interpreter_fact(),
        *package_facts(lambda name: _how_to_get_package(name, checkout)),
        cores_fact(cores),
        *state,
        clock_fact(bool(thread_times([os.getpid()]))),
        packages.cpp_fact(how_to_get),
        packages.git_fact(checkout, how_to_get, refusal=why_no_revision(checkout)),
        packages.sandbox_fact(sandboxes.program, sandboxes.why_not, how_to_get),
        *_bot_facts(checkout),
        folder_fact(
            recorded("records"),
            RECORDS.absolute(),
            recorded("play from another folder, or name a file with --record"),
            State.MISSING,
        ),
        encoding_fact(sys.stdout.encoding or "unknown"),
    ]


def _bot_facts(checkout: Path) -> list[Fact]:
    """Return Facts on the bot's engines and on the folders for compiled files."""
    builds = cache_folder(checkout)
    folders = {builds: recorded("builds")}
    try:
        engines = packages.ask_bot(checkout)
    except packages.NoStatus as error:
        text = recorded("the bot could not list its engines: {error}").format(error=error)
        facts = [Fact(recorded("engines"), State.MISSING, text, recorded("clone the repository of dropfour again"))]
    else:
        compiles = _command_in_folder(checkout, [sys.executable, "-m", "bot.compiled"])
        facts = packages.engine_facts(engines, cpu_level(), compiles)
        caches = {Path(engine.cache) for engine in engines}
        folders |= {cache: recorded("kernels") for cache in caches if not cache.is_relative_to(builds)}
    advice = "export DROPFOUR_CACHE_DIR=FOLDER"
    return [*facts, *(folder_fact(name, folder, advice, State.WARNING) for folder, name in folders.items())]


def _how_to_get_package(name: str, checkout: Path) -> str:
    """Return a shell command that installs the package `name`.

    The command runs scripts/setup if the folder `checkout` has that file, and pip otherwise.
    """
    set_up = checkout / "scripts" / "setup"
    if set_up.exists():
        return recorded(
            "run {program}: it makes an environment with this package, and prints the Python to use instead"
        ).format(program=shlex.quote(str(set_up)))
    return shlex.join([sys.executable, "-m", "pip", "install", "--upgrade", name])


def _command_in_folder(folder: Path, command: Sequence[str]) -> str:
    """Return the text of a shell command that runs `command` in `folder`.

    The text begins with "cd" unless `folder` is the current folder.
    """
    change_folder = "" if folder == Path(os.getcwd()) else f"cd {shlex.quote(str(folder))} && "
    return change_folder + shlex.join(command)


def _print_facts(facts: Sequence[Fact]) -> None:
    """Print a line for each fact: its state, its name and its text.

    Below it is a line with the fact's advice, unless the next fact has the same advice.
    """
    marks = {state: _(mark) for state, mark in MARKS.items()}
    mark_width = max(map(columns, marks.values()))
    name_width = max(columns(shown(fact.name)) for fact in facts)
    margin = " " * (mark_width + name_width + 4)
    for fact, following in zip(facts, [*facts[1:], None], strict=True):
        mark, name = _padded(marks[fact.state], mark_width), _padded(shown(fact.name), name_width)
        _print_styled(mark, STYLES[fact.state], f"  {name}  {printable(shown(fact.text))}")
        if fact.advice and (following is None or fact.advice != following.advice):
            print(f"{margin}-> {printable(shown(fact.advice))}")


def _padded(text: str, width: int) -> str:
    """Return the text padded with spaces to `width` columns of the screen."""
    return text + " " * (width - columns(text))


def _print_styled(mark: str, style: str, rest: str) -> None:
    """Print a line that begins with `mark`. The mark has the rich style `style` if rich is installed."""
    try:
        from rich.text import Text
    except ModuleNotFoundError:
        print(f"{mark}{rest}")
    else:
        console().print(Text.assemble((mark, style), rest), soft_wrap=True)
