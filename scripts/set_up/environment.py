"""The part of scripts/setup that an interpreter does: .venv, the pinned packages, the compiled engines.

    environment.py venv [EXTRA] [OPTION]        make .venv with the running interpreter, unless it is there and current
    environment.py as-it-is [EXTRA] [OPTION]    only check that the running interpreter has what is needed

    --no-engines      compile no engine: a match compiles those that it needs; so for the extras of ONLY_PACKAGES
    --without-data    do not look at the data that games come with: who learns them needs none

The last line on stdout is the interpreter to use; everything else goes to stderr. Standard library only.

What was installed is remembered in .venv, one stamp for each set of packages, holding a digest of all that
decided it. A stamp is written when its installation is complete. While one is under way a mark lies in
.cache/: if it is found there later, that set-up was interrupted, and .venv is made anew.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
VENV = CHECKOUT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
STATE = CHECKOUT / ".cache" / "setup"
UNFINISHED = STATE / "unfinished"
PROJECT, PINS = CHECKOUT / "pyproject.toml", CHECKOUT / "constraints.txt"
INTERRUPTED_STATUS = 130  # as a shell reports a program ended by Ctrl-C
REDRAWN_S = 0.2
ERASE_LINE = "\r\x1b[K"  # to its start, then erase to its end: ECMA-48

NO_ENGINES, WITHOUT_DATA = "--no-engines", "--without-data"

# Packages by the names they are imported under, for an interpreter that is used as it is.
NEEDED = ("argcomplete", "llvmlite", "msgspec", "numba", "numpy", "prompt_toolkit", "psutil", "rich", "scipy")
OF_CLUSTER = ("cryptography", "distributed")
OF_DOCS = ("jieba", "material", "mkdocs")
OF_PLOTS = ("matplotlib",)
OF_SERVE = ("starlette", "uvicorn", "websockets")
OF_TRAINING = ("torch",)
OF_TESTS = (
    "PIL",
    "babel",
    "httpx",
    "hypothesis",
    "importlinter",
    "mypy",
    "pexpect",
    "playwright",
    "pytest",
    "pytest_timeout",
    "ruff",
    "vermin",
    "xdist",
)
NEEDED_BY_EXTRA = {
    None: (),
    "cluster": OF_CLUSTER,
    "docs": OF_DOCS,
    "plot": OF_PLOTS,
    "serve": OF_SERVE,
    "test": (*OF_TESTS, *OF_CLUSTER, *OF_DOCS, *OF_SERVE),
    "train": OF_TRAINING,
}
ONLY_PACKAGES = ("cluster", "docs", "plot", "serve")  # extras that need no engine: a game compiles its own, with a bar
# PyTorch's builds without CUDA, which is gigabytes of no use where there is no GPU.
TORCH_FOR_CPU = "https://download.pytorch.org/whl/cpu"
NVIDIA = Path("/proc/driver/nvidia")


class SetupError(Exception):
    """Set-up cannot go on; str() says why and what to do."""


def say(text):
    """One line on what set-up is doing."""
    print(f"setup: {text}", file=sys.stderr, flush=True)


def run(command, failure):
    """Run a command in the checkout with its output on stderr. Raises SetupError(failure) if it fails."""
    # Open descriptors are passed on: an installer that outlives this process keeps the lock with it.
    ended = subprocess.run(
        command, check=False, cwd=CHECKOUT, stdin=subprocess.DEVNULL, stdout=sys.stderr, close_fds=False
    )
    if ended.returncode:
        raise SetupError(failure)


def run_quietly(command, title, failure):
    """The same with its last line and the time on one line of a terminal; all that it said is shown if it fails."""
    process = subprocess.Popen(
        command,
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        close_fds=False,
    )
    lines = []
    with process, StatusLine(title) as status:
        for line in process.stdout:
            lines.append(line)
            status.text = line.strip()
    if process.returncode:
        sys.stderr.writelines(lines)
        raise SetupError(failure)


class StatusLine:
    """A line on stderr that says for how long something has been going on, and `text`.

    Elsewhere than on a terminal it says so at the end.
    """

    def __init__(self, title):
        self.text = ""
        self._title, self._began = title, time.monotonic()
        self._over = threading.Event()
        self._redrawing = threading.Thread(target=self._redraw, daemon=True)

    def __enter__(self):
        if sys.stderr.isatty():
            self._redrawing.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        if sys.stderr.isatty():
            self._redrawing.join()
            sys.stderr.write(ERASE_LINE)
        say(f"{self._title}: {time.monotonic() - self._began:.0f} s")

    def _redraw(self):
        while not self._over.wait(REDRAWN_S):
            line = f"setup: {self._title}  {time.monotonic() - self._began:3.0f} s  {printable(self.text)}"
            sys.stderr.write(ERASE_LINE + line[: shutil.get_terminal_size().columns - 1])
            sys.stderr.flush()


def printable(text):
    """The text without what a terminal would obey."""
    return "".join(character if character.isprintable() else " " for character in text)


def own_identity():
    """Text that differs between interpreters that cannot share packages."""
    return f"{sys.implementation.cache_tag} {os.path.realpath(sys.base_prefix)}"


def venv_identity():
    """own_identity() of the interpreter in .venv; None where there is none that runs."""
    command = [VENV_PYTHON, "-I", __file__, "identity"]
    with contextlib.suppress(OSError):
        found = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return found.stdout.strip() if found.returncode == 0 else None
    return None


def digest(identity):
    """Stands for what decides an installation: requirements, pins, interpreter, the place of the checkout."""
    parts = [PROJECT.read_bytes(), PINS.read_bytes(), identity.encode(), os.fsencode(CHECKOUT)]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def stamp_file(extra):
    """Where it is remembered that the packages of an extra, or without one (None), are installed."""
    return VENV / f"dropfour-{extra or 'base'}.stamp"


def is_stamped(extra, key):
    """Whether the packages of that extra are installed as this digest says."""
    with contextlib.suppress(FileNotFoundError):
        return stamp_file(extra).read_text("ascii").strip() == key
    return False


@contextlib.contextmanager
def one_at_a_time():
    """Hold the checkout's set-up lock; the system releases it when the process ends, however it ends."""
    STATE.mkdir(parents=True, exist_ok=True)
    with open(STATE / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another set-up of this checkout is running; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        os.set_inheritable(lock.fileno(), True)
        yield


def set_up_venv(extra):
    """Bring .venv up to date; does nothing where it is."""
    with one_at_a_time():
        interrupted = UNFINISHED.exists()
        found = venv_identity()
        fits = found == own_identity() and not interrupted
        key = digest(own_identity())
        if fits and is_stamped(extra, key):
            return
        if interrupted:
            say("an earlier set-up was interrupted; starting over")
        elif found is not None and not fits:
            say(f"the .venv there is belongs to another Python ({found})")
        UNFINISHED.touch()
        if not fits:
            make_venv()
        for stamp in VENV.glob("dropfour-*.stamp"):
            if stamp.read_text("ascii").strip() != key:
                stamp.unlink()
        install(extra)
        for complete in {None, extra}:
            stamp_file(complete).write_text(key + "\n", "ascii")
        UNFINISHED.unlink()


def make_venv():
    """Make .venv with the running interpreter, in place of what is there."""
    say(f"making .venv with Python {sys.version.split()[0]} ({sys.executable})")
    command = [sys.executable, "-I", "-m", "venv", "--clear", VENV]
    run(command, "the virtual environment could not be made, see above")


def install(extra):
    """Install the pinned packages and this checkout itself."""
    pip = [VENV_PYTHON, "-I", "-m", "pip", "--disable-pip-version-check"]
    pip += ["install", "--constraint", PINS.name]
    if extra == "train" and not NVIDIA.exists():
        pip += ["--extra-index-url", TORCH_FOR_CPU]
    failure = "installing failed, see above; the first set-up needs a network or another package index"
    say("installing the pinned packages (at first it downloads some 150 MB)")
    extras = ",".join(filter(None, ("compile", extra)))
    try:
        # The pinned setuptools, installed first, builds: pip need not fetch one for itself every time.
        run([*pip, "--quiet", "setuptools"], failure)
        command = [*pip, "--no-build-isolation", "--editable", f".[{extras}]"]
        run_quietly(command, "installing", failure)
    except SetupError:
        UNFINISHED.unlink()  # pip has cleaned up: what it had installed before can serve again
        raise


def check_packages(extra):
    """Raise SetupError naming the packages that the running interpreter lacks."""
    missing = [name for name in NEEDED + NEEDED_BY_EXTRA[extra] if importlib.util.find_spec(name) is None]
    if missing:
        raise SetupError(f"{sys.executable}, named by DROPFOUR_PYTHON, lacks {', '.join(missing)}")


def build_engines(python, options):
    """Have the engines of all games compiled, some 10 s each, once for every version of them."""
    words = [word for word in options if word == WITHOUT_DATA]
    run([python, "-m", "judge.players.own_bot", *words], "the engines are not ready, see above")


def main(words):
    """Do what the words say; returns the exit status."""
    if words == ["identity"]:
        print(own_identity())
        return 0
    mode, *others = words
    options = [word for word in others if word in (NO_ENGINES, WITHOUT_DATA)]
    extra = next((word for word in others if word not in options), None)
    try:
        if extra not in NEEDED_BY_EXTRA:
            *others, last = filter(None, NEEDED_BY_EXTRA)
            known = f"{', '.join(others)} or {last}"
            raise SetupError(f"there is no extra {extra!r}, expected {known}")
        if mode == "as-it-is":
            check_packages(extra)
            python = sys.executable
        else:
            set_up_venv(extra)
            python = str(VENV_PYTHON)
        if extra == "test":
            run([sys.executable, "-I", Path(__file__).with_name("browser.py"), STATE], "looking for a browser failed")
        if NO_ENGINES not in options and extra not in ONLY_PACKAGES:
            build_engines(python, options)
    except (SetupError, OSError) as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED_STATUS
    print(python)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
