"""A browser without a window, for taking pictures of pages and for testing them."""

import contextlib
import os
import shutil

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 120_000


@contextlib.contextmanager
def running_browser():
    """A browser of Playwright's. Raises ImportError or OSError where there is none, or where it does not start."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, started(playwright.chromium) as browser:
        yield browser


@contextlib.contextmanager
def started(browser_type):
    """A browser of one of Playwright's types, which may be running already. Raises OSError as running_browser()."""
    from playwright.sync_api import Error

    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        raise OSError(f"none of {', '.join(PROGRAMS)} is installed (on Debian: apt install chromium)")
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    try:
        browser = browser_type.launch(executable_path=program, args=flags, timeout=PATIENCE_MS)
    except Error as error:
        reason = str(error).partition("\n")[0]
        raise OSError(f"{program} does not start: {reason}") from error
    try:
        yield browser
    finally:
        browser.close()
