"""Builds native engines: shared libraries of the kernels that numba compiles, for portable CPU levels, without Python.

    python -m bot.backends.native_build [GAME] [NAME ..]

builds the engines NAME .. of GAME. Without NAME it builds x86-64-v3, x86-64-v2 and x86-64. native.py loads them. The
work is shared among processes, which this file starts itself:

    python -m bot.backends.native_build emit GAME FOLDER CPU[,CPU ..] ENTRY_POINT[,ENTRY_POINT ..]
    python -m bot.backends.native_build link GAME FOLDER CPU[,CPU ..]

`emit` writes an object file for every entry point and CPU into FOLDER, and prints a line to stdout after each step.
`link` makes the libraries from these object files, and prints lines for the manifest.

numba compiles an entry point to LLVM code, once for all CPUs (kernels/kernel.py). In that code only the entry point
stays visible from outside. For each portable CPU the code is optimised as a whole and linked without the C library. A
function keeps numba's own calling convention: status f(result *, exception **, int64 ..), with status 0 for success.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence

from ..games import NAMES, part_of
from . import native
from .sources import PACKAGE, drop_old_versions, entry_points, lock_exclusively, native_folder, source_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..kernels.kernel import Kernel

Facts = dict[tuple[str, ...], str]  # a manifest line: the words that name the fact -> the rest of the line
CODE_FILE = "%s.so"
# The only symbols that a library may take from the process that loads it.
ALLOWED_SYMBOLS = {"clock_gettime", "memcpy", "memmove", "memset"}
# Environment that numba needs before it is imported: code for every CPU, and no calls into Intel's SVML library.
PORTABLE = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}
# Matches addresses of this process, which numba may write into the code as numbers.
_ADDRESS_IN_CODE = re.compile(r"inttoptr \(i64 \d{6,} to|numba\.dynamic\.globals")
# LLVM's own threshold at -O2. With 250, the threshold at -O3, the tree search of dots is 12 % slower. With 75, 150, 500
# and 1000 no search is faster.
_INLINING_THRESHOLD = 225
# How long an entry point takes to compile, in units of the time that one not listed here takes. These numbers only
# decide how processes share the work and how a progress bar moves.
_COSTS = {"search": 6, "pvs": 5, "alphabeta": 2, "prepare_root": 2, "solve": 2}
# Limited because each compiling process takes up to 600 MB of memory.
_MOST_PROCESSES = 4


class BuildError(RuntimeError):
    """An engine cannot be built, or it is faulty. str() says why."""


def why_impossible() -> str | None:
    """Returns why no engine can be built on this machine, or None if engines can be built."""
    import importlib.util

    if not (sys.platform == "linux" and os.uname().machine == "x86_64"):
        return "native engines are for Linux on x86-64"
    if importlib.util.find_spec("numba") is None:
        return "numba is not installed (pip install 'dropfour[compile]' has it)"
    if linker() is None:
        return "no C compiler (cc, gcc or clang) to link with"
    if shutil.which("nm") is None:
        return "no nm (binutils) to check the result with"
    return None


def build_for_this_cpu(
    game: str,
    report: Callable[[str], None] = lambda text: None,
    progress: Callable[[float], None] = lambda share: None,
) -> str | None:
    """Build the best engine for this CPU. Returns None on success, else why the engine cannot be built.

    See `build` for `report` and `progress`.
    """
    try:
        build(native.runnable()[:1], game, report=report, progress=progress)
    except (BuildError, OSError) as error:
        return str(error)
    return None


def build(
    names: Sequence[str],
    game: str,
    folder: str | None = None,
    report: Callable[[str], None] = lambda text: None,
    progress: Callable[[float], None] = lambda share: None,
) -> str:
    """Build the engines `names` of a game, unless `folder` has them already. Returns the folder.

    If `folder` is None, the folder is native_folder(game). `report` is called with a line of text before each step that
    takes long. `progress` is called, from any thread, with the share of the work that is done, 0 to 1. Each named
    engine that this CPU can run is tested at the end. Raises BuildError or OSError.
    """
    folder = folder or native_folder(game)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        lock_exclusively(lock)
        facts = _facts_in(folder)
        missing = [name for name in names if not _is_there(folder, facts.get(("engine", name)))]
        if missing:
            facts = {key: words for key, words in facts.items() if key[-1] not in missing}
            report(f"building the native engines of {game}: {', '.join(missing)} ..")
            _compile_all(missing, game, folder, facts, progress)
            _write_manifest(folder, facts)
            if folder == native_folder(game):
                drop_old_versions([native_folder(game) for game in NAMES], native.MANIFEST)
    for name in names:
        if name in native.runnable():
            try:
                native.load(folder, part_of(game, "self_test").self_test, name)
            except native.NativeUnavailable as error:
                os.unlink(os.path.join(folder, native.MANIFEST))
                raise BuildError(f"an engine does not work: {error}") from error
    return folder


def _is_there(folder: str, words: str | None) -> bool:
    """Returns whether the folder has the engine that the manifest describes by `words`.

    `words` is None if the manifest does not name the engine.
    """
    if words is None:
        return False
    file, size, _ = words.split(" ")
    path = os.path.join(folder, file)
    return os.path.exists(path) and os.path.getsize(path) == int(size)


def _compile_all(names: Sequence[str], game: str, folder: str, facts: Facts, progress: Callable[[float], None]) -> None:
    """Compile the engines `names` into the folder and enter the facts about them into `facts`. Raises BuildError."""
    import binascii
    import tempfile

    with tempfile.TemporaryDirectory(dir=folder) as workshop:
        for line in _compiled_in(workshop, names, game, progress):
            key, _, words = line.partition(" ")
            for fact in [(key, name) for name in names] if key == "compilers" else [(key,)]:
                if facts.setdefault(fact, words) != words:
                    raise BuildError(f"{key} is {words}, and {facts[fact]} for another engine")
        facts[("sources",)] = source_hash(game)
        facts.update({("entry_point", name): str(count) for name, count in entry_points(game).items()})
        for name in names:
            file = CODE_FILE % name
            with open(os.path.join(workshop, file), "rb") as library:
                code = library.read()
            os.replace(os.path.join(workshop, file), os.path.join(folder, file))
            facts["engine", name] = f"{file} {len(code)} {binascii.crc32(code):08x}"


def _compiled_in(workshop: str, names: Sequence[str], game: str, progress: Callable[[float], None]) -> list[str]:
    """Compile the libraries of the engines `names` into the folder `workshop`. Returns lines for the manifest."""
    from concurrent.futures import ThreadPoolExecutor

    functions = list(entry_points(game))
    total = sum(map(_cost, functions)) * steps(names)
    done = 0

    def count(line: str) -> None:
        nonlocal done
        done += _cost(line.split()[0])
        progress(done / total)

    where = (game, workshop, ",".join(names))
    shares = _shares(functions, min(len(os.sched_getaffinity(0)), _MOST_PROCESSES))
    with ThreadPoolExecutor(len(shares)) as threads:
        for _ in threads.map(lambda share: _run("emit", *where, ",".join(share), on_line=count), shares):
            pass
    return _run("link", *where)


def _cost(entry_point: str) -> int:
    return _COSTS.get(entry_point, 1)


def _shares(functions: Sequence[str], processes: int) -> list[list[str]]:
    """Returns a list of entry points for each of `processes` processes, so that all end at about the same time.

    The entry points that take longest to compile are assigned first.
    """
    shares: list[list[str]] = [[] for _ in range(min(processes, len(functions)))]
    for entry_point in sorted(functions, key=_cost, reverse=True):
        min(shares, key=lambda share: sum(map(_cost, share))).append(entry_point)
    return shares


def _run(*words: str, on_line: Callable[[str], None] = lambda line: None) -> list[str]:
    """Run this file with `emit` or `link`. Returns the lines that it prints.

    Each line is passed to on_line() as soon as it is printed. If the process fails, raises BuildError with the last
    line of its stderr.
    """
    import tempfile

    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "bot.backends.native_build", *words],
            cwd=os.path.dirname(PACKAGE),
            env={**os.environ, **PORTABLE},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        lines = []
        with process:
            for line in process.stdout or ():
                lines.append(line.rstrip("\n"))
                on_line(lines[-1])
        if process.returncode:
            errors.seek(0)
            raise BuildError((errors.read().strip() or f"status {process.returncode}").splitlines()[-1])
    return lines


def _facts_in(folder: str) -> Facts:
    """Returns the facts of the folder's manifest, or {} if the folder has no manifest."""
    try:
        with open(os.path.join(folder, native.MANIFEST)) as manifest:
            lines = [line.split(" ") for line in manifest.read().splitlines()]
    except FileNotFoundError:
        return {}
    keys = [2 if words[0] in ("engine", "compilers", "entry_point") else 1 for words in lines]
    return {tuple(words[:count]): " ".join(words[count:]) for words, count in zip(lines, keys)}


def _write_manifest(folder: str, facts: Facts) -> None:
    path = os.path.join(folder, native.MANIFEST)
    with open(path + ".new", "w") as manifest:
        for key, words in sorted(facts.items()):
            manifest.write(" ".join(key) + " " + words + "\n")
    os.replace(path + ".new", path)


def linker() -> str | None:
    """Returns the path of the C compiler that links the libraries, or None if no C compiler is installed."""
    return next(filter(None, map(shutil.which, (os.environ.get("CC") or "cc", "gcc", "clang"))), None)


def steps(names: Sequence[str]) -> int:
    """Returns how many lines `emit` prints for an entry point: one for its LLVM code, one for each CPU in `names`."""
    return 1 + len(names)


def emit(game: str, folder: str, names: Sequence[str], functions: Sequence[str]) -> None:
    """Write an object file for each of the entry points `functions` and each CPU in `names`. Raises BuildError."""
    import llvmlite.binding as llvm
    import numba

    from ..kernels.kernel import Kernel

    kernels, arguments = part_of(game, "kernels"), entry_points(game)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for entry_point in functions:
        function = Kernel(getattr(kernels, entry_point).py_func)
        function.compile((numba.int64,) * arguments[entry_point])
        symbol = _symbol(entry_point)
        text = _visible_alone(function, symbol)
        print(entry_point, flush=True)
        for name in names:
            with open(_object_file(folder, name, entry_point), "wb") as target:
                target.write(_object_code(name, symbol, text))
            print(entry_point, name, flush=True)


def link(game: str, folder: str, names: Sequence[str]) -> None:
    """Make a library for each CPU in `names` from the object files in the folder, and print lines for the manifest.

    Raises BuildError.
    """
    import llvmlite
    import llvmlite.binding as llvm
    import numba

    self_test, functions = part_of(game, "self_test").self_test, entry_points(game)
    program = linker() or "cc"
    for name in names:
        path = os.path.join(folder, CODE_FILE % name)
        _link(program, path, [_object_file(folder, name, entry_point) for entry_point in functions])
        if name in native.runnable():
            engine = native.NativeKernels(ctypes.CDLL(path), functions, name)
            print(f"self_test {self_test(engine)}")
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    llvm_version = ".".join(map(str, llvm.llvm_version_info))
    print(
        f"compilers numba {numba.__version__}, llvmlite {llvmlite.__version__} (LLVM {llvm_version}), "
        f"linked by {version}"
    )


def _symbol(entry_point: str) -> str:
    return "dropfour_" + entry_point


def _object_file(folder: str, name: str, entry_point: str) -> str:
    return os.path.join(folder, f"{name}-{entry_point}.o")


def _visible_alone(function: Kernel, symbol: str) -> str:
    """Returns the LLVM code of a compiled function as text.

    In this code only the function itself is visible from outside, under the name `symbol`.
    """
    import llvmlite.binding as llvm

    (compiled,) = function.overloads.values()
    module = llvm.parse_assembly(compiled.library.get_llvm_str())
    for value in [*module.functions, *module.global_variables]:
        if not value.is_declaration:
            value.linkage = "internal"
    entry = module.get_function(compiled.fndesc.llvm_func_name)
    entry.linkage, entry.name = "external", symbol
    return str(module)


def _object_code(cpu: str, symbol: str, text: str) -> bytes:
    """Returns the bytes of an object file, compiled from the LLVM code `text` of one function and optimised for `cpu`.

    The function has the name `symbol`.

    Raises BuildError if the code holds addresses of this process, so that no other process can use it.
    """
    import llvmlite.binding as llvm

    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=cpu, features="", opt=3, reloc="pic", codemodel="small"
    )
    module = llvm.parse_assembly(text)
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.inlining_threshold = _INLINING_THRESHOLD
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    if _ADDRESS_IN_CODE.search(str(module)):
        raise BuildError(f"{symbol} has addresses of the compiling process in it")
    return machine.emit_object(module)


def _link(program: str, path: str, objects: Sequence[str]) -> None:
    """Link the files `objects` into the library `path`, which needs no other library.

    `program` is the C compiler. Raises BuildError.
    """
    flags = ["-shared", "-s", "-nostdlib", "-Wl,--gc-sections,-z,noexecstack,--build-id=none"]
    linked = subprocess.run([program, *flags, "-o", path, *objects], check=False, capture_output=True, text=True)
    if linked.returncode:
        reason = linked.stderr.strip().replace("\n", " | ")[-300:]
        raise BuildError(f"{program}: {reason}")
    strange = undefined_symbols(path) - ALLOWED_SYMBOLS
    if strange:
        raise BuildError(f"the library asks for {', '.join(sorted(strange))}")


def undefined_symbols(path: str) -> set[str]:
    """Returns the names of the symbols that a library takes from the process that loads it."""
    listed = subprocess.run(["nm", "-D", "-u", path], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].partition("@")[0] for line in listed.splitlines()}


def _do_part(task: str, game: str, folder: str, names: str, functions: str = "") -> None:
    """Do `task`, "emit" or "link", in this process, which `build` has started.

    If the task fails, ends the process and prints the reason to stderr. The other arguments are the words of the
    command line after the task.
    """
    try:
        if task == "emit":
            emit(game, folder, names.split(","), functions.split(","))
        else:
            link(game, folder, names.split(","))
    except BuildError as error:
        sys.exit(str(error))


def main(words: list[str]) -> None:
    """Build the engines that the command line `words` names.

    If its first word is `emit` or `link`, only do that part.
    """
    if words[:1] in (["emit"], ["link"]):
        return _do_part(*words)
    game = words.pop(0) if words and words[0] in NAMES else NAMES[0]
    unknown = [word for word in words if word not in native.NAMES]
    if unknown:
        sys.exit(
            f"bot.backends.native_build: unknown game or engine {unknown[0]}; "
            f"expected one of {', '.join(NAMES)} and then some of {', '.join(native.NAMES)}"
        )
    reason = why_impossible()
    if reason is not None:
        sys.exit(f"bot.backends.native_build: {reason}")
    try:
        folder = build(words or native.NAMES, game, report=lambda text: print(text, flush=True))
    except (BuildError, OSError) as error:
        sys.exit(f"bot.backends.native_build: {error}")
    with open(os.path.join(folder, native.MANIFEST)) as manifest:
        sys.stdout.write(f"in {folder}:\n{manifest.read()}")


if __name__ == "__main__":
    main(sys.argv[1:])
