"""Before a run of games: whether the cores suffice for so many at a time, and a short look at the machine."""

import argparse
from typing import Any

from judge import program
from judge.language import _, shown
from judge.machine.cores import read_cores
from judge.machine.fairness.figures import IDLE, Fairness
from judge.machine.fairness.measurement import measure
from judge.machine.fairness.slots import NotMeasured


def require_cores(parser: argparse.ArgumentParser, options: argparse.Namespace, jobs: int) -> None:
    """End the program where so many games at a time are more than there are cores for, without --oversubscribe."""
    cores = read_cores()
    if jobs > cores.jobs and not options.oversubscribe:
        message = _(
            "--jobs {jobs}: this program may use {cores:g} of the machine's {online} cores, and each game needs one; "
            "--jobs {fitting} fits, --oversubscribe has games share cores"
        )
        parser.error(message.format(jobs=jobs, cores=cores.usable, online=cores.online, fitting=max(1, cores.jobs)))


def look(options: argparse.Namespace, jobs: int) -> dict[str, Any] | None:
    """Measure the machine for less than a second, for so many games at a time, and say in a line what was found.

    Returns the figures for records, None where it is not to be measured, or cannot be.
    """
    if not options.machine_check:
        return None
    try:
        found = measure(jobs)
    except NotMeasured as error:
        print(_("machine not measured: {error}").format(error=shown(str(error))), flush=True)
        return None
    print(_in_words(found), flush=True)
    return found.as_json()


def _in_words(found: Fairness) -> str:
    figures = []
    if found.slots > 1:
        figures.append(_("slowest slot {share} of the fastest").format(share=f"{found.slowest:.0%}"))
    if found.waited is not None:
        figures.append(_("waits {share}").format(share=f"{found.waited:.1%}"))
    p50, p99, _most = (f"{1000 * late_s:.1f}" for late_s in found.late_s)
    figures.append(_("timers {p50} ms late (99 of 100: {p99})").format(p50=p50, p99=p99))
    if found.steal is not None:
        figures.append(_("steal {share}").format(share=f"{found.steal:.1%}"))
    told = ", ".join(figures)
    if found.state == IDLE:
        return _("machine idle for --jobs {jobs}: {figures}").format(jobs=found.jobs, figures=told)
    command = f"{program.again()} doctor --jobs {found.jobs}"
    busy = _("machine busy for --jobs {jobs}: {figures}; longer and in detail: {command}")
    return busy.format(jobs=found.jobs, figures=told, command=command)
