"""Runs a script's package in this process: quicker than a process, and with the signals as they were afterwards."""

import contextlib
import io
import os
import signal
import subprocess
from pathlib import Path

from stopping import STOPPING_SIGNALS


def run_here(main, folder, words):
    """main(words) in that folder: CompletedProcess, in text, without what processes of its own say."""
    words, before = list(map(str, words)), Path.cwd()
    handlers = {number: signal.getsignal(number) for number in STOPPING_SIGNALS}
    output, errors = io.StringIO(), io.StringIO()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = main(words)
    except SystemExit as end:  # of argparse
        status = end.code
    finally:
        os.chdir(before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return subprocess.CompletedProcess(words, status, output.getvalue(), errors.getvalue())
