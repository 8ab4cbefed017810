"""`--sandbox` settled before the first game: the walls are there, or a line says that they are not."""

import argparse
import sys

from judge.command_parts import cluster_run
from judge.language import _, shown
from judge.play.walls import AUTO, ON, Sandbox
from judge.runs.schedule import sandbox_of


def settle(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Sandbox:
    """The Sandbox that the options ask for. Without a wall, `on` ends the program, and `auto` says so on stderr."""
    sandbox = sandbox_of(options)
    if getattr(options, "cluster", None) is not None and cluster_run.jobs_here(options) is None:
        return sandbox  # what its workers have is for them to say
    if sandbox.mode == ON and sandbox.found.program is None:
        parser.error(_("--sandbox on: {reason}").format(reason=shown(sandbox.found.why_not)))
    if sandbox.mode == AUTO and sandbox.found.program is None:
        note = _("note: bots play without walls and can reach each other and your files: {reason}")
        print(note.format(reason=shown(sandbox.found.why_not)), file=sys.stderr, flush=True)
    return sandbox
