"""`src:FOLDER [OPTIONS]`: a student's own C++ project as a player, built as on the platform; builds are cached.

OPTIONS: --without NAME leaves a file or folder out; --sanitize and --debug build for finding faults.

All sources below the folder are compiled with the platform's flags and linked. If one of them has a main(), the result
is a program. If none has a main() but one has getPoint, the result is a strategy library, which our own host plays.
Notes name the file whose main() is played, and report where the build differs from the build on the platform.

The compiler gets each source as `./PATH`, so that no name is taken for an option or for a file of options. Where
sandboxes can be had, the compiler and the programs that read its output run in one: they see the project and the
system, but no network and no home.
"""

import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from judge import files
from judge.games import DEFAULT_GAME
from judge.language import _, as_data, from_data, recorded, shown
from judge.players import library_player, versions
from judge.players.launch import PlayerError, path_of
from judge.players.waiting import Waiting
from judge.processes.bubblewrap import SHELL, TEMPORARY, BotSandbox, Sandbox, passed_environment
from judge.processes.folders import GIT
from judge.processes.installations import in_both_forms, installations
from judge.processes.start import JudgeFailure, KeeperConnection, Launch, take_keeper
from judge.terminal import printable

SOURCE_SUFFIXES = (".c", ".cpp", ".cc", ".cxx")  # in small letters or capitals
PLATFORM_SUFFIXES = (".c", ".cpp")  # the suffixes that the platform is known to compile
# Folders that build tools fill, with sources of their own: CMake's test of the compiler has a main().
BUILD_FOLDERS = ("build", "CMakeFiles", "cmake-build-*")
MAIN_SCRIPT = "main.py"
COMPILER, NM = "g++", "nm"
PLATFORM_FLAGS = ("-O2", "-std=c++17", "-DONLINE_JUDGE")
WINDOWS_HEADERS = str(Path(__file__).parent / "windows_headers")
# What a source gets that does not compile with the platform's flags: headers in the project's folder, mistakes that
# other compilers put up with, and stand-ins for headers and keywords of the Windows compiler, which projects of the
# course's early years use. The messages are then on what remains.
STAND_INS = (
    *("-I.", "-fpermissive", "-w", "-idirafter", WINDOWS_HEADERS),
    *("-D__int8=char", "-D__int64=long long", "-D__declspec(words)="),
)
LIMIT_S = 120.0  # for a whole build
LINES_SHOWN = 30  # the most lines of a compiler's messages: they fit a screen, and later errors mostly follow from them
# A compiler's process gets at most 3 GiB of address space (the shell counts units of 1024 bytes), files of 1 GiB (units
# of 512 bytes), and no core dump: a source may include /dev/zero.
LIMITS = 'ulimit -v 3145728 && ulimit -f 2097152 && ulimit -c 0 && exec "$@"'
MOST_LISTED = 64 * 10**6  # the most bytes that are read of a list: of functions, or of the files that a compiler read
DIAGNOSTIC_FLAGS = {
    "debug": ("-O0", "-g"),
    # -O0, as the optimiser takes a variable without a value for whatever suits it. The check of object sizes is off, as
    # the sanitizer for addresses reports the same faults in more detail.
    "sanitize": ("-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize=object-size"),
}
# For the sanitizers. Leaks are not looked for: they lose no game, and a sandbox stops the search. Memory without a
# value gets one that shows. Both end the program at the first fault: nobody sees a report that only goes to stderr.
SETTINGS = {
    "ASAN_OPTIONS": "detect_leaks=0:max_malloc_fill_size=65536",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}
BUILDS = "builds"  # in the cache folder
# Notes on a build, stored with it.
UNUSUAL_SUFFIX = recorded(
    "the platform may refuse {path}: it is known to compile only {suffixes}; rename the file", "unusual_suffix"
)
NEEDS_STAND_INS = recorded(
    "the platform may refuse the project: {error}; here it was built with -fpermissive and stand-ins for headers of "
    "Windows",
    "needs_stand_ins",
)
OLD_WIRE = recorded(
    "{sources} is the platform's kit of 2022, whose messages the platform no longer understands: the build leaves it "
    "out, and a host program of dropfour calls {entry}",
    "old_kit_left_out",
)
NO_MAIN = recorded("the project has no main(): a host program of dropfour calls {entry}", "no_main")
MAIN_IS_PLAYED = recorded("the program that plays is built with the main() of {source}", "main_is_played")
NO_CLEAR_POINT = recorded(
    "the project has no clearPoint: here its points are not freed, but the platform's main() does not link without "
    "clearPoint; add {line}",
    "no_clear_point",
)
OLD_KIT = recorded(
    "{sources} is the platform's kit of 2022, whose messages the platform no longer understands", "old_kit"
)
# Raise this number whenever the same sources give another build or other notes, so that old builds are not reused.
SCHEME = "8"
PROGRAM, LIBRARY, NOTES, FILES_READ = "program", "strategy.so", "notes.json", "read.json"
OUTPUT_FOLDER = "out"  # in an unfinished build: all that compilers write
ENTRY, CLEARING, MAIN = "getPoint", "clearPoint", "main"
# The mangled names of the two functions in a project without extern "C", and their prototypes.
PLAIN_NAMES = {ENTRY: "_Z8getPointiiPKiS0_iiii", CLEARING: "_Z10clearPointP5Point"}
PROTOTYPES = {
    ENTRY: 'extern "C" Point *getPoint(const int M, const int N, const int *top, const int *board, const int lastX, '
    "const int lastY, const int noX, const int noY)",
    CLEARING: 'extern "C" void clearPoint(Point *point)',
}
CLEARING_LINE = f"{PROTOTYPES[CLEARING]} {{ delete point; }}"
PREFIX = "src:"
WITHOUT, DEBUG, SANITIZE = "--without", "--debug", "--sanitize"


@dataclass(frozen=True)
class SourceTree:
    """A project: its folder `root`, and the sources to compile as paths relative to `root`.

    `build_folders` are the folders of build tools (BUILD_FOLDERS) that hold sources; these sources are left out.
    `is_single` says that the project is one source file. Only headers in its folder belong to it too, as the folder may
    hold unrelated files.
    """

    root: Path
    sources: tuple[Path, ...]
    build_folders: tuple[Path, ...] = ()
    is_single: bool = False

    def names(self) -> tuple[str, ...] | None:
        """Return the names of the files in the project's folder that the compiler may read, None for all files."""
        if not self.is_single:
            return None
        headers = [
            path.name
            for path in self.root.iterdir()
            if path.suffix in (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tpp")
        ]
        return (*map(str, self.sources), *headers)

    def compete_folder(self) -> Path | None:
        """Return the folder, relative to `root`, that holds the course's own judge, None if the project lacks it.

        This is the folder of Compete.cpp, or a folder Compete above.
        """
        for source in self.sources:
            if source.name == "Compete.cpp" and len(source.parts) > 1:
                above = [folder for folder in source.parents if folder.name == "Compete"]
                return above[-1] if above else source.parent
        return None


def read_tree(path: Path, left_out: Sequence[str] = ()) -> SourceTree:
    """Return the SourceTree of `path`, which is a folder or a single source file.

    `left_out` are the paths, relative to `path`, of files and folders to leave out. Raises PlayerError if one of these
    paths does not exist or there is no source.
    """
    if path.is_file():
        if path.suffix.lower() not in SOURCE_SUFFIXES:
            message = _("{path!r} is no source file, expected one of the suffixes {choices}")
            raise PlayerError(message.format(path=str(path), choices=", ".join(SOURCE_SUFFIXES)))
        return SourceTree(path.parent, _usable_sources(path.parent, [Path(path.name)]), is_single=True)
    if not path.is_dir():
        raise PlayerError(_("{path!r}: there is no such folder or file").format(path=str(path)))
    for name in left_out:
        if not (path / name).exists():
            message = _("--without {name}: there is no such file or folder in {path!r}")
            raise PlayerError(message.format(name=name, path=str(path)))
    all_sources = list(_files_below(path, SOURCE_SUFFIXES, left_out))
    build_folders = tuple(
        dict.fromkeys(folder for file in all_sources if (folder := _build_folder_of(file)) is not None)
    )
    sources = [file for file in all_sources if _build_folder_of(file) is None]
    if not sources:
        message = _("folder {path!r} holds no source file, expected one of the suffixes {choices}")
        raise PlayerError(message.format(path=str(path), choices=", ".join(SOURCE_SUFFIXES)))
    return SourceTree(path, _usable_sources(path, sources), build_folders)


def _usable_sources(folder: Path, sources: Sequence[Path]) -> tuple[Path, ...]:
    """Return the sources, which are paths relative to `folder`, as a tuple if all of them can be compiled.

    Raises PlayerError for a source that is larger than 64 MB or is no regular file.
    """
    for source in sources:
        try:
            files.require_file(folder / source, 64 * 10**6)
        except OSError as error:
            raise PlayerError(str(error)) from error
    return tuple(sources)


def files_below(folder: Path) -> list[Path]:
    """Return the paths of all files below `folder`, relative to it.

    Hidden files and folders, and folders such as __pycache__, are left out. Raises PlayerError if the folder is too
    large to be walked.
    """
    return list(_files_below(folder, None, ()))


def kinds_of(folder: Path) -> list[str]:
    """Return the kinds of player that a folder may hold, to judge by its files: any of "python", "src" and "lib".

    Sources in the folders of build tools do not count. Raises PlayerError if the folder is too large to be walked, and
    OSError if it cannot be read.
    """
    kinds = []
    if (folder / MAIN_SCRIPT).is_file():
        kinds.append("python")
    if any(_build_folder_of(file) is None for file in _files_below(folder, SOURCE_SUFFIXES, left_out=())):
        kinds.append("src")
    if any(path.suffix == library_player.SUFFIX for path in folder.iterdir()):
        kinds.append("lib")
    return kinds


def _files_below(root: Path, suffixes: Sequence[str] | None, left_out: Sequence[str]) -> Iterator[Path]:
    """Yield the paths of the files below `root` that have one of these suffixes, sorted and relative to `root`.

    Suffixes may be in capitals. `suffixes` of None means all files. Hidden files and folders, folders that begin with
    "__", and the paths in `left_out` are skipped. Raises PlayerError for a folder that is too large to be walked.
    """
    hidden = {Path(name) for name in left_out}
    paths = []
    try:
        for folder, entries in files.walk(
            root, lambda folder: not folder.name.startswith((".", "__")) and folder not in hidden
        ):
            paths += [folder / entry.name for entry in entries if not entry.name.startswith(".")]
    except OSError as error:
        raise PlayerError(str(error)) from error
    for path in sorted(paths):
        is_wanted = (suffixes is None or path.suffix.lower() in suffixes) and path not in hidden
        if is_wanted and (root / path).is_file():
            yield path


def _build_folder_of(path: Path) -> Path | None:
    """Return the outermost folder in BUILD_FOLDERS in which a path lies, None if it lies in none."""
    for depth, part in enumerate(path.parts[:-1], start=1):
        if any(fnmatch.fnmatchcase(part, pattern) for pattern in BUILD_FOLDERS):
            return Path(*path.parts[:depth])
    return None


class Compiler:
    """Compiles and links a project in its folder, within LIMIT_S for the whole build.

    `extra` are flags besides the platform's, such as DIAGNOSTIC_FLAGS. The compiler writes only into the folder `out`;
    in a sandbox it cannot write anywhere else. `objects` is {source: its object file}, and `warnings` holds the
    messages of compilers that did not fail. All methods that start programs raise PlayerError if the time is over.
    """

    def __init__(self, tree: SourceTree, out: Path, extra: Sequence[str], sandbox: Sandbox) -> None:
        self._tree, self._out, self._extra, self._name = tree, out, tuple(extra), repr(str(tree.root))
        self.objects = {source: out / f"{number}.o" for number, source in enumerate(tree.sources)}
        self.warnings: list[str] = []
        self._sandbox = _build_sandbox(tree, out, sandbox)
        self._deadline = time.monotonic() + LIMIT_S

    def compile(self, further_flags: Sequence[str] = ()) -> str:
        """Compile every source with the platform's flags, and those that fail once more with STAND_INS.

        `further_flags` are for all sources. Return the messages on the sources that needed STAND_INS, "" if none did.
        Raises PlayerError with the messages that remain.
        """
        flags = (*self._extra, *further_flags)
        first_errors = self._compile_with(self._tree.sources, flags)
        errors = self._compile_with(list(first_errors), (*flags, *STAND_INS))
        first_text = "\n".join(first_errors.values())
        if errors:
            message = _("{name} does not compile with {flags}; the compiler says:")
            heading = message.format(name=self._name, flags=shlex.join(PLATFORM_FLAGS))
            raise PlayerError("\n".join([heading, *self._lines_with_advice("\n".join(errors.values()), first_text)]))
        return first_text

    def link(self, sources: Sequence[Path], flags: Sequence[str], target: Path) -> str:
        """Link `sources` to the program or library `target`. Return the linker's messages if that fails, else "".

        In the messages the names of object files are replaced by the paths of their sources in the project.
        """
        inputs = [str(self.objects[source]) for source in sources]
        (errors,) = self._errors_of([[COMPILER, "-pthread", *self._extra, *flags, *inputs, "-o", str(target)]])
        for source, file in self.objects.items():
            errors = errors.replace(str(file), printable(str(source)))
        return errors

    def functions(self, *options: str) -> dict[Path, list[str]]:
        """Return {source: the names of the functions that it defines for other files}, as nm lists them.

        `options` are further options of nm. Raises CalledProcessError if nm fails.
        """
        files = [str(file) for file in self.objects.values()]
        command = [NM, "--defined-only", "--extern-only", "--format=posix", "--print-file-name", *options, *files]
        # A line is FILE: NAME T VALUE SIZE, where T is the type of functions, and VALUE and SIZE are hexadecimal.
        listed = re.findall(r"^(.+?): (.+) T [0-9a-f]+ ?[0-9a-f]*$", self.output(command), re.MULTILINE)
        return {source: [name for path, name in listed if path == str(file)] for source, file in self.objects.items()}

    def files_read(self) -> list[Path]:
        """Return the sorted paths of the files that the compiler has read for the sources, without system headers.

        Paths that are not absolute are relative to the project's folder. Precondition: compile() has succeeded.
        """
        paths: set[str] = set()
        for source in self._tree.sources:
            # The compiler lists these files in a make rule, TARGET: NAME NAME ..
            rule = files.content(self.objects[source].with_suffix(".d"), MOST_LISTED).partition(b": ")[2]
            # Backslashes before a blank of a name are doubled; the blank, "#", ":" and "$" are escaped.
            names = re.findall(rb"(?:\\[ \t]|[^ \t\n])+", rule.replace(b"\\\n", b" "))
            blanks = (re.sub(rb"(\\*)\1\\([ \t])", rb"\1\2", name) for name in names)
            paths.update(os.fsdecode(re.sub(rb"\\([#:])|\$(\$)", rb"\1\2", name)) for name in blanks)
        return sorted(map(Path, paths))

    def output(self, command: Sequence[str]) -> str:
        """Return the stdout of a program that reads compiled files. Raises CalledProcessError if the program fails."""
        ((status, output),) = self._run_programs([command], MOST_LISTED)
        if status:
            raise subprocess.CalledProcessError(status, list(command), output)
        return output

    def _run_programs(self, commands: Sequence[Sequence[str]], most_bytes: int) -> list[tuple[int, str]]:
        """Run programs, as many at a time as there are cores.

        The programs have LIMITS, and are in the sandbox if there is one. Return a pair for each: its exit status, and
        the first `most_bytes` bytes of its stdout and stderr together as text. Raises PlayerError if the build takes
        too long or a program cannot be started; programs that still run are ended.
        """
        results: list[tuple[int, str]] = []
        to_start = list(commands)
        running: list[tuple[KeeperConnection, IO[bytes]]] = []
        root = str(self._tree.root.resolve())
        with open(os.devnull, "rb") as nothing:
            try:
                while to_start or running:
                    if to_start and len(running) < (os.cpu_count() or 1):
                        words = [SHELL, "-c", LIMITS, SHELL, *to_start.pop(0)]
                        if self._sandbox is not None:
                            words = self._sandbox.command(words, root)
                        # No pipe: the program could say more than the memory holds.
                        output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed below
                        running.append((take_keeper(), output))
                        streams = {0: nothing.fileno(), 1: output.fileno(), 2: output.fileno()}
                        running[-1][0].start(words, self._environment(), root, streams)
                        continue
                    keeper, output = running[0]
                    if not keeper.has_ended(max(0.0, self._deadline - time.monotonic())):
                        message = _("{name}: the build was stopped after {limit:g} s")
                        raise PlayerError(message.format(name=self._name, limit=LIMIT_S))
                    assert keeper.status is not None
                    running.pop(0)
                    keeper.end()
                    with output:
                        output.seek(0)
                        results.append((keeper.status, output.read(most_bytes).decode("utf-8", "replace")))
            except JudgeFailure as failure:
                raise PlayerError(shown(str(failure))) from failure
            finally:
                for keeper, unread in running:
                    keeper.end()
                    unread.close()
        return results

    def _environment(self) -> dict[str, str]:
        """Return the environment variables of a compiler. Its messages are in English, as they are parsed."""
        english = {"LC_ALL": "C", "LANGUAGE": ""}
        if self._sandbox is not None:
            return {**passed_environment(os.environ), **self._sandbox.variables, **english}
        return {**os.environ, **english, "TMPDIR": str(self._out)}  # removed with the build's folder

    def _lines_with_advice(self, errors: str, first_errors: str) -> list[str]:
        """Return the first LINES_SHOWN lines of the compiler's messages `errors`, followed by lines of advice.

        The advice names a header that exists under a similar name, the option for a file that the sandbox does not
        show, and the first error of the attempt without STAND_INS, whose messages are `first_errors`.
        """
        lines = errors.splitlines()
        shown_lines = lines[:LINES_SHOWN]
        if len(lines) > LINES_SHOWN:
            left_out = _("({number} more lines of the compiler are not shown: most errors follow from the first ones)")
            shown_lines.append(left_out.format(number=len(lines) - LINES_SHOWN))
        missing = dict.fromkeys(re.findall(r"fatal error: (.+): No such file or directory", errors))
        project_files = [] if self._tree.is_single or not missing else files_below(self._tree.root)
        for header in missing:
            similar = [file for file in project_files if file.name.lower() == re.split(r"[/\\]", header)[-1].lower()]
            if similar:
                advice = _("there is no {header}, but there is {found}: #include needs the same capitals and folder")
                shown_lines.append(advice.format(header=printable(header), found=_listed(similar)))
        if self._sandbox is not None and missing:
            advice = _(
                "the compiler can read only the files below {folder} and those of the system; --show PATH lets the "
                "compiler read PATH too"
            )
            shown_lines.append(advice.format(folder=printable(str(self._tree.root))))
        if first_error(first_errors) not in errors:
            advice = _(
                "(the errors above remain with stand-ins for headers of Windows; the platform's compiler stops at "
                "{error})"
            )
            shown_lines.append(advice.format(error=printable(first_error(first_errors))))
        return shown_lines

    def _compile_with(self, sources: Sequence[Path], flags: Sequence[str]) -> dict[Path, str]:
        """Compile these sources with the flags. Return {source: the compiler's messages} for the sources that fail."""
        words = (COMPILER, *PLATFORM_FLAGS, *flags, "-MMD", "-MT", "read", "-x", "c++", "-c")
        commands = [[*words, os.path.join(os.curdir, source), "-o", str(self.objects[source])] for source in sources]
        return {source: errors for source, errors in zip(sources, self._errors_of(commands), strict=True) if errors}

    def _errors_of(self, commands: Sequence[Sequence[str]]) -> list[str]:
        """Run compilers in the project's folder. Return the messages of each that fails, "" for the others."""
        results = self._run_programs(commands, most_bytes=10**6)
        self.warnings += [output for status, output in results if not status]
        silent = _("the program ended with status {number} and wrote no message")
        return [(output.strip() or silent.format(number=status)) if status else "" for status, output in results]


def _build_sandbox(tree: SourceTree, out: Path, sandbox: Sandbox) -> BotSandbox | None:
    """Return the sandbox in which a project is built, None if sandboxes are off or not available.

    In the sandbox the compiler can write only into the folder `out`.
    """
    program = sandbox.availability.program
    if program is None:
        return None
    root, out = tree.root.resolve(), out.resolve()
    named = [str(root / source) for source in tree.sources] if tree.is_single else []
    own = [os.path.join(root, name) for name in tree.names() or ("",)]
    compilers = installations((COMPILER, NM), str(root), os.environ.get("PATH"))
    return BotSandbox(
        program,
        (*compilers, *in_both_forms([*sandbox.shown, *named, WINDOWS_HEADERS]), *own),
        writable={str(out): str(out)},
        hidden=tuple(map(os.path.realpath, (*sandbox.protected, str(root / GIT)))),
        variables={"HOME": TEMPORARY},
    )


def compiler_version() -> str:
    """Return the compiler's version.

    Raises PlayerError, which says how to install the compiler, if it is not installed.
    """
    path = shutil.which(COMPILER)
    if path is None:
        message = _(
            "{compiler} is not installed, and players with src: need it: install {compiler} first (Debian and Ubuntu: "
            "`sudo apt install {compiler}`)"
        )
        raise PlayerError(message.format(compiler=COMPILER))
    return subprocess.run([path, "-dumpfullversion"], capture_output=True, text=True, check=False).stdout.strip()


@dataclass(frozen=True)
class Build:
    """A project that has been built.

    `path` is its program or strategy library, `digest` the hash of all inputs of the build, `notes` are sentences for
    the user. `refusal` says why the platform refuses the project, "" if the platform builds it too. `main` is the
    source whose main() is played although another source defines getPoint, "" if there is no such source.
    """

    path: Path
    is_library: bool
    digest: str
    notes: tuple[str, ...]
    refusal: str
    main: str


def build(tree: SourceTree, diagnostics: Sequence[str] = (), sandbox: Sandbox | None = None) -> Build:
    """Build a project, unless the cache holds a build of the same inputs, and return the Build.

    `diagnostics` are the keys of DIAGNOSTIC_FLAGS whose flags are added. `sandbox` holds the sandbox options of the
    compiler, None for the defaults. Raises PlayerError if there is no compiler, or if the sources do not compile in
    time, do not link, or do not make exactly one program or library.
    """
    extra = tuple(flag for name in diagnostics for flag in DIAGNOSTIC_FLAGS[name])
    if SANITIZE.removeprefix("--") in diagnostics and int(compiler_version().partition(".")[0] or 0) >= 12:
        # Gives local variables without a value one that an index or a pointer shows; known since g++ 12.
        extra += ("-ftrivial-auto-var-init=pattern",)
    names = [path.as_posix() for path in tree.sources]
    # A build for finding faults contains the path of its sources' folder, so a copy of the folder needs its own build.
    place = [str(tree.root.resolve())] if diagnostics else []
    home = (
        versions.cache_folder()
        / BUILDS
        / versions.digest([], SCHEME, compiler_version(), *PLATFORM_FLAGS, *extra, *place, *names)
    )
    digest = _digest(tree, home, _files_read_last(home))
    if digest is None or not (home / digest / NOTES).exists():
        digest = _build_into_cache(tree, home, extra, sandbox or Sandbox())
    folder = home / digest
    is_library = (folder / LIBRARY).exists()
    stored = json.loads((folder / NOTES).read_text())
    path = folder / (LIBRARY if is_library else PROGRAM)
    stored_notes = tuple(map(from_data, stored["notes"]))
    return Build(path, is_library, digest, stored_notes, from_data(stored["refusal"]), stored["main"])


def _build_into_cache(tree: SourceTree, home: Path, extra: Sequence[str], sandbox: Sandbox) -> str:
    """Build a project, store the build in the folder `home` of the cache, and return its digest, which names it there.

    `extra` are the flags besides the platform's. The errors are those of build().
    """
    home.mkdir(parents=True, exist_ok=True)
    title = _("building {name}").format(name=tree.root.resolve().name)
    with tempfile.TemporaryDirectory(dir=home) as work, Waiting(title):
        out = Path(work).resolve() / OUTPUT_FOLDER
        out.mkdir()
        compiler = Compiler(tree, out, extra, sandbox)
        try:
            notes, refusal, main = _build_project(tree, out, compiler)
        except PlayerError as error:
            advice = shown(_advice_on_compete(tree))
            raise PlayerError(f"{error}\n{advice}" if advice else str(error)) from error
        files_read = compiler.files_read()
        digest = _digest(tree, home, files_read)
        if digest is None:
            raise PlayerError(_("{path!r} changed while it was built: try again").format(path=str(tree.root)))
        stored = {"notes": [as_data(note) for note in notes], "refusal": as_data(refusal), "main": main}
        (Path(work) / NOTES).write_text(json.dumps(stored))
        _move_to_cache(Path(work), home / digest)
        _replace_content(home / FILES_READ, json.dumps([str(path) for path in files_read]))
    return digest


def _files_read_last(home: Path) -> list[Path] | None:
    """Return the files that the compiler read for the last build in the folder `home`, None if there was no build."""
    try:
        return [Path(name) for name in json.loads((home / FILES_READ).read_text())]
    except (FileNotFoundError, ValueError):
        return None


def _digest(tree: SourceTree, home: Path, files_read: Iterable[Path] | None) -> str | None:
    """Return a hash of a build's settings and of the files that the compiler read.

    The name of the folder `home` stands for the settings. The paths in `files_read` are relative to the project. Return
    None if `files_read` is None or one of the files cannot be read.
    """
    if files_read is None:
        return None
    try:
        return versions.digest([(path.as_posix(), tree.root / path) for path in files_read], home.name)
    except OSError:
        return None


def _replace_content(path: Path, text: str) -> None:
    """Replace the content of a file by `text` in one step, as other judges may read the file at the same time."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as new_file:
        new_file.write(text)
    os.replace(new_file.name, path)


def _move_to_cache(work: Path, folder: Path) -> None:
    """Move a finished build from the folder `work` to `folder` in the cache.

    If another judge has stored the same build in the meantime, that build stays. Raises OSError if neither is there.
    """
    finished = folder.with_name(f"{work.name}-finished")
    finished.mkdir()
    for path in (work / OUTPUT_FOLDER / PROGRAM, work / OUTPUT_FOLDER / LIBRARY, work / NOTES):
        if path.is_file() and not path.is_symlink():
            os.replace(path, finished / path.name)
    try:
        os.rename(finished, folder)
    except OSError:
        shutil.rmtree(finished)
        if not (folder / NOTES).exists():
            raise


def _build_project(tree: SourceTree, out: Path, compiler: Compiler) -> tuple[list[str], str, str]:
    """Build the program or library in the folder `out`. Return the values of Build's `notes`, `refusal` and `main`.

    Raises PlayerError if the sources do not compile or link, or do not make exactly one program or library.
    """
    refusal = first_error(compiler.compile())
    notes = [*_notes_on_suffixes(tree), *([NEEDS_STAND_INS.format(error=refusal)] if refusal else [])]
    functions = compiler.functions()
    mains = _sources_of_function(functions, MAIN)
    # The header is that of the platform's kit of 2022 and before.
    old_mains = [main for main in mains if "ai_client.hpp" in (tree.root / main).read_text("utf-8", "replace")]
    sources = list(tree.sources)
    if old_mains and old_mains == mains:
        notes.append(OLD_WIRE.format(sources=_listed(old_mains), entry=ENTRY))
        refusal = refusal or OLD_KIT.format(sources=_listed(old_mains))
        sources, mains = [source for source in sources if source not in old_mains], []
    if len(mains) > 1:
        message = _(
            "{path!r} has {number} files with a main() ({sources}), expected one: --without FILE leaves a file out"
        )
        raise PlayerError(message.format(path=str(tree.root), number=len(mains), sources=_listed(mains)))
    flags: tuple[str, ...] = ()
    target = out / PROGRAM
    if mains:
        notes.append(MAIN_IS_PLAYED.format(source=_listed(mains)))
    else:
        # Without -z defs, a library links whatever its sources lack, and then cannot be loaded.
        flags, target = ("-shared", "-Wl,-z,defs", *_renaming_flags(compiler, functions, tree)), out / LIBRARY
        if not old_mains:
            notes.append(NO_MAIN.format(entry=ENTRY))
        if not _sources_of_entry(functions, CLEARING):
            notes.append(NO_CLEAR_POINT.format(line=CLEARING_LINE))
            refusal = refusal or NO_CLEAR_POINT.format(line=CLEARING_LINE)
            stub = out / "clear_point.cpp"
            with open(stub, "x") as file:
                file.write('extern "C" void clearPoint(void *) {}\n')
            flags += (str(stub),)
        compiler.compile(["-fPIC"])
    failure = compiler.link(sources, flags, target)
    if failure:
        raise PlayerError(_link_error(tree, compiler, failure))
    has_entry_elsewhere = any(source not in mains for source in _sources_of_entry(functions, ENTRY))
    return notes, refusal, str(mains[0]) if mains and has_entry_elsewhere else ""


def _link_error(tree: SourceTree, compiler: Compiler, failure: str) -> str:
    """Return the lines to show for a project that does not link; `failure` is the linker's messages."""
    message = _("{path!r} compiles, but its parts do not link; the linker says:")
    if "multiple definition" in failure:
        message = _("{path!r} does not link: two of its files define the same name; --without FILE leaves a file out")
    if "relocation truncated" in failure:  # the linker names any line, and not that of an array
        message = _("{path!r} does not link: its static arrays take 2 GB or more, above any memory limit")
    lacks = [_lack_of_function(compiler, name) for name in PLAIN_NAMES if f"undefined reference to `{name}" in failure]
    return "\n".join([message.format(path=str(tree.root)), failure, *lacks])


def first_error(messages: str) -> str:
    """Return the first error in the messages of the compiler or linker, with its file and line if known.

    Without an error, return the first line of the messages; "" if there are no messages.
    """
    errors: list[str] = re.findall(r"^.+?:\d+(?::\d+)?: (?:fatal )?error: .*", messages, re.MULTILINE)
    lines = [line for line in messages.splitlines() if line.strip()]
    return next(iter([*errors, *lines]), "").removeprefix("./")


def _notes_on_suffixes(tree: SourceTree) -> list[str]:
    """Return notes on the sources whose suffix the platform may not compile."""
    unusual = [path for path in tree.sources if path.suffix not in PLATFORM_SUFFIXES]
    return [UNUSUAL_SUFFIX.format(path=_listed([path]), suffixes=", ".join(PLATFORM_SUFFIXES)) for path in unusual]


def _renaming_flags(compiler: Compiler, functions: Mapping[Path, list[str]], tree: SourceTree) -> tuple[str, ...]:
    """Return the linker's flags that give a project's getPoint and clearPoint the names that our host expects.

    Raises PlayerError unless exactly one source defines getPoint with the prototype of the platform's kit.
    """
    entries = _sources_of_entry(functions, ENTRY)
    if len(entries) > 1:
        message = _(
            "{path!r} defines {entry} {number} times ({sources}), expected once: --without FILE leaves a file out"
        )
        raise PlayerError(
            message.format(path=str(tree.root), entry=ENTRY, number=len(entries), sources=_listed(entries))
        )
    for name in PLAIN_NAMES:
        if not _sources_of_entry(functions, name) and _similar_functions(compiler, name):
            raise PlayerError(_lack_of_function(compiler, name))
    if not entries:
        message = _("{path!r} makes no program: expected a main(), or {entry} and clearPoint")
        raise PlayerError(message.format(path=str(tree.root), entry=ENTRY))
    return tuple(
        f"-Wl,--defsym={name}={plain}" for name, plain in PLAIN_NAMES.items() if _sources_of_function(functions, plain)
    )


def _sources_of_function(functions: Mapping[Path, list[str]], name: str) -> list[Path]:
    """Return the sources that define a function with this name; `functions` are those of Compiler.functions()."""
    return [source for source, names in functions.items() if name in names]


def _sources_of_entry(functions: Mapping[Path, list[str]], name: str) -> list[Path]:
    """Return the sources that define `name`, getPoint or clearPoint, with the prototype of the platform's kit.

    A definition counts with extern "C" or without.
    """
    return [*_sources_of_function(functions, name), *_sources_of_function(functions, PLAIN_NAMES[name])]


def _similar_functions(compiler: Compiler, name: str) -> list[tuple[Path, str]]:
    """Return (source, declaration) of the functions called `name`, whatever their case, namespace and parameters."""
    return [
        (source, function)
        for source, functions in compiler.functions("--demangle").items()
        for function in functions
        if function.partition("(")[0].rpartition("::")[2].lower() == name.lower()
    ]


def _lack_of_function(compiler: Compiler, name: str) -> str:
    """Return a sentence which says that the function `name` is missing, or that it is declared in another way.

    `name` is getPoint or clearPoint.
    """
    expected = PROTOTYPES[name]
    for source, function in _similar_functions(compiler, name):
        message = _("{source} defines the function {found}, expected {expected}")
        return message.format(source=_listed([source]), found=function, expected=expected)
    return _("your bot lacks the function {expected}").format(expected=expected)


def _listed(sources: Iterable[Path]) -> str:
    """Return the paths as a text, with commas between them."""
    return ", ".join(printable(str(source)) for source in sources)


def _advice_on_compete(tree: SourceTree) -> str:
    """Return a sentence on the folder that holds the course's own judge, "" if the project has no such folder."""
    folder = tree.compete_folder()
    if folder is None:
        return ""
    sentence = recorded("{folder} is the course's own judge: --without {folder} leaves it out")
    return sentence.format(folder=printable(shlex.quote(str(folder))))


@dataclass(frozen=True)
class Project:
    """A project that has been built: its name, Launch and version."""

    name: str
    launch: Launch
    version: str


def prepare(text: str, game: str = DEFAULT_GAME, sandbox: Sandbox | None = None, prints_notes: bool = True) -> Project:
    """Build the project that `text` names, print the notes on stderr, and return the Project.

    `sandbox` holds the sandbox options of the compiler, None for the defaults. A caller sets `prints_notes` to False if
    another build of the project has printed the notes. Raises PlayerError with the compiler's messages if the project
    cannot be built.
    """
    path, diagnostics, left_out = parse_text(text)
    tree = read_tree(path, left_out)
    built = build(tree, diagnostics, sandbox)
    name = path.resolve().name
    notes = [*built.notes, _advice_on_compete(tree)]
    if tree.build_folders:
        left_out_note = recorded(
            "the folders of build tools are left out of the build: {folders}; leave these folders out of an upload "
            "too, as the platform compiles all sources of an upload"
        )
        notes.insert(0, left_out_note.format(folders=_listed(tree.build_folders)))
    for note in filter(None, notes if prints_notes else ()):
        print(_("note: {text}").format(text=f"{printable(name)}: {shown(note)}"), file=sys.stderr, flush=True)
    version = built.digest[: versions.DIGITS]
    if not built.is_library:
        only = tuple(map(str, tree.sources)) if tree.is_single else None
        variables = SETTINGS if "sanitize" in diagnostics else {}
        return Project(name, Launch((str(built.path),), variables, str(tree.root.resolve()), only=only), version)
    if game != DEFAULT_GAME:
        message = _("player {name!r}: getPoint plays only {own_game}, but the game is {game}")
        raise PlayerError(message.format(name=text, own_game=DEFAULT_GAME, game=game))
    return Project(name, library_player.prepare(built.path, _host_variables(diagnostics)), version)


def refusal_by_platform(text: str) -> tuple[str, list[str]]:
    """Return (the reason why the platform refuses the project that `text` names, notes on what it may refuse).

    The reason is "" if the platform builds the project. --sanitize and --debug in the text are ignored. Raises
    PlayerError if the project cannot be built here.
    """
    path, _diagnostics, left_out = parse_text(text)
    tree = read_tree(path, left_out)
    return build(tree).refusal, _notes_on_suffixes(tree)


def parse_text(text: str) -> tuple[Path, list[str], list[str]]:
    """Return (path, keys of DIAGNOSTIC_FLAGS, names to leave out) from the text of a player, `src:FOLDER [OPTIONS]`.

    Raises PlayerError if the options are wrong.
    """
    path = path_of(text.removeprefix(PREFIX))
    if os.path.exists(path):  # its name may have spaces in it
        return path, [], []
    try:
        first, *options = shlex.split(text)
    except ValueError as error:
        raise PlayerError(_("player {name!r}: {error}").format(name=text, error=shown(str(error)))) from error
    diagnostics, left_out = [], []
    words = iter(options)
    for word in words:
        if word.removeprefix("--") in DIAGNOSTIC_FLAGS:
            diagnostics.append(word.removeprefix("--"))
        elif word == WITHOUT:
            left_out.append(next(words, ""))
        else:
            message = _("player {name!r}: unknown option {option!r}, expected --debug, --sanitize or --without NAME")
            raise PlayerError(message.format(name=text, option=word))
    if "" in left_out:
        raise PlayerError(_("player {name!r}: --without needs the name of a file or folder").format(name=text))
    return path_of(first.removeprefix(PREFIX)), diagnostics, left_out


def with_option(text: str, option: str) -> str | None:
    """Return the text of the same project with one more option.

    Return None if `text` has that option already or names no project.
    """
    if not text.startswith(PREFIX):
        return None
    try:
        _path, diagnostics, _left_out = parse_text(text)
    except PlayerError:
        return None
    if option.removeprefix("--") in diagnostics:
        return None
    path = text.removeprefix(PREFIX)
    return f"{PREFIX}{shlex.quote(path) if os.path.exists(path) else path} {option}"


def rebuilt(text: str, option: str, game: str, sandbox: Sandbox | None = None) -> Project | None:
    """Build the project that `text` names with DEBUG or SANITIZE added, and return the Project.

    No notes are printed. Return None if `text` names no project, if it has DEBUG or SANITIZE already, or if the build
    fails, as where g++ has no sanitizers.
    """
    text_with_option = with_option(text, option)
    if text_with_option is None or with_option(text, DEBUG) is None or with_option(text, SANITIZE) is None:
        return None
    try:
        return prepare(text_with_option, game, sandbox, prints_notes=False)
    except PlayerError:
        return None


def warnings(text: str, sandbox: Sandbox) -> str:
    """Return the compiler's warnings, with the platform's flags, -Wall and -Wextra, on the project that `text` names.

    Raises PlayerError if the project does not compile.
    """
    path, _diagnostics, left_out = parse_text(text)
    tree = read_tree(path, left_out)
    with tempfile.TemporaryDirectory() as out, Waiting(_("building {name}").format(name=tree.root.resolve().name)):
        compiler = Compiler(tree, Path(out).resolve(), ("-Wall", "-Wextra"), sandbox)
        compiler.compile()
    return "\n".join(compiler.warnings)


def own_place(text: str, place: str) -> str:
    """Return `place`, FILE:LINE, with a path relative to the project that `text` names.

    Return "" if there is no such file in the project.
    """
    path = parse_text(text)[0]
    root = (path if path.is_dir() else path.parent).resolve()
    name, _colon, line = place.rpartition(":")
    file = (root / name).resolve()
    return f"{file.relative_to(root)}:{line}" if name and file.is_relative_to(root) and file.is_file() else ""


def without_own_main(text: str) -> tuple[str, str] | None:
    """Return advice for a project that has both a main() and getPoint, None for all other players.

    The result is (the source with main(), the project's text with --without for that source). With the second text
    getPoint would be played. The project is built if it is not in the cache.
    """
    if not text.startswith(PREFIX):
        return None
    try:
        path, diagnostics, left_out = parse_text(text)
        main = build(read_tree(path, left_out), diagnostics).main
    except PlayerError:
        return None
    without = with_option(text, f"{WITHOUT} {shlex.quote(main)}")
    return None if not main or without is None else (main, without)


def _host_variables(diagnostics: list[str]) -> dict[str, str]:
    """Return the environment variables with which our host plays a library that was built with these `diagnostics`.

    A sanitizer must be loaded before everything else.
    """
    if "sanitize" not in diagnostics:
        return {}
    command = [COMPILER, "-print-file-name=libasan.so"]
    library = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return {"LD_PRELOAD": library, **SETTINGS}
