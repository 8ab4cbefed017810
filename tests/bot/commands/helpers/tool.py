"""`python -m bot WORDS` in this process: quicker than a process of its own."""

import contextlib
import io
import json
import subprocess
import sys
from unittest import mock

from bot import __main__ as bot


def run_tool(*words, given=""):
    """What `python -m bot WORDS` does with that on its stdin: CompletedProcess, in text."""
    words, output, errors = list(map(str, words)), io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["bot", *words]),
        mock.patch.object(sys, "stdin", io.StringIO(given)),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
    ):
        try:
            status = bot.main()
        except SystemExit as end:  # of argparse
            status = end.code
    return subprocess.CompletedProcess(words, status, output.getvalue(), errors.getvalue())


def found_by(*words, given=""):
    """The JSON object that a command prints, which must succeed."""
    done = run_tool(*words, "--json", given=given)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
