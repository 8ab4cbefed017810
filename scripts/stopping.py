"""The signals by which users and systems ask a script to stop."""

import signal

STOPPING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def stop_like_ctrl_c():
    """Have each of the signals raise KeyboardInterrupt from now on.

    SIGINT too: a process that was started in the background of a script ignores it.
    """
    for number in STOPPING_SIGNALS:
        signal.signal(number, signal.default_int_handler)
