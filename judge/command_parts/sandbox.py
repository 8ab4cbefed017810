"""`--sandbox` before the first game: the walls are there, or a line says that they are not."""

import argparse
import sys

from judge.command_parts import cluster_run
from judge.language import _, shown
from judge.play.walls import AUTO, ON, Sandbox
from judge.runs.schedule import sandbox_of


def settle(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Sandbox:
    """The Sandbox that the options ask for. Ends the program where that is `on` and there is no wall."""
    sandbox = sandbox_of(options)
    if sandbox.mode == ON and _is_missed(sandbox, options):
        parser.error(_("--sandbox on: {reason}").format(reason=shown(sandbox.found.why_not)))
    return sandbox


def warn(sandbox: Sandbox, options: argparse.Namespace) -> None:
    """Say on stderr that `auto` has found no wall; to be called once nothing but the players can go wrong."""
    if sandbox.mode == AUTO and _is_missed(sandbox, options):
        note = _("note: bots play without walls and can reach each other and your files: {reason}")
        print(note.format(reason=shown(sandbox.found.why_not)), file=sys.stderr, flush=True)


def _is_missed(sandbox: Sandbox, options: argparse.Namespace) -> bool:
    """Whether this machine has no wall; what the workers of a cluster have is for them to say."""
    plays_elsewhere = getattr(options, "cluster", None) is not None and cluster_run.jobs_here(options) is None
    return not plays_elsewhere and sandbox.found.program is None
