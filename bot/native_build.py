"""Builds native engines: the kernels that numba compiles, as shared libraries for portable CPUs without any Python.

    python -m bot.native_build [GAME] [NAME ..]   a game's engines of those names (all: x86-64-v3, x86-64-v2, x86-64)

numba compiles an entry point down to LLVM code; all of it but the entry is made internal, what is dead is dropped,
and an object for the portable CPU is linked without the C library. A function keeps numba's own calling convention:
status f(result *, exception **, int64 ..), 0 for success. The CPU's name has to be known before numba is imported, so
every engine is compiled by a process of its own. native.py loads what this file builds.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

from . import native
from .games import NAMES, part_of
from .kernel_sources import PACKAGE, drop_old_versions, lock_exclusively, native_folder, source_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    Facts = dict[tuple[str, ...], str]

# All that a library may ask of the process that loads it.
ALLOWED_SYMBOLS = {"clock_gettime", "memcpy", "memmove", "memset"}
# Addresses of this process, which numba may write into code as numbers.
_ADDRESS_IN_CODE = re.compile(r"inttoptr \(i64 \d{6,} to")
_CODE_FILE = "%s.so"


class BuildError(RuntimeError):
    """An engine cannot be built, or is not what it should be; str() says why."""


def why_impossible() -> str | None:
    """Why no engine can be built on this machine, None where it can."""
    import importlib.util

    if not (sys.platform == "linux" and os.uname().machine == "x86_64"):
        return "native engines are for Linux on x86-64"
    if importlib.util.find_spec("numba") is None:
        return "numba is not installed"
    if _c_compiler() is None:
        return "no C compiler (cc, gcc or clang) to link with"
    if shutil.which("nm") is None:
        return "no nm (binutils) to check the result with"
    return None


def _c_compiler() -> str | None:
    return next(filter(None, map(shutil.which, (os.environ.get("CC") or "cc", "gcc", "clang"))), None)


def build_for_this_cpu(game: str, report: Callable[[str], None] = lambda text: None) -> str | None:
    """The best engine for this CPU; None, or why it cannot be had."""
    try:
        build(native.runnable()[:1], game, report=report)
    except (BuildError, OSError) as error:
        return str(error)
    return None


def build(
    names: Sequence[str], game: str, folder: str | None = None, report: Callable[[str], None] = lambda text: None
) -> str:
    """Have the named engines in the folder (default: where the bot looks), building those that are missing.

    Returns the folder. Each engine that this CPU can run is tried. Raises BuildError, OSError.
    """
    folder = folder or native_folder(game)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        lock_exclusively(lock)
        facts = _facts_in(folder)
        missing = [name for name in names if not _is_there(folder, facts.get(("engine", name)))]
        if missing:
            facts = {key: words for key, words in facts.items() if key[-1] not in missing}
            report("building native engines: {} ..".format(", ".join(missing)))
            _compile_all(missing, game, folder, facts)
            _write_manifest(folder, facts)
            if folder == native_folder(game):
                drop_old_versions(os.path.dirname(folder), native.MANIFEST)
    for name in names:
        if name in native.runnable():
            try:
                native.load(
                    folder, part_of(game, "entry_points").ENTRY_POINTS, part_of(game, "exercise").exercise, name
                )
            except native.NativeUnavailable as error:
                os.unlink(os.path.join(folder, native.MANIFEST))
                raise BuildError(f"an engine does not work: {error}") from error
    return folder


def _is_there(folder: str, words: str | None) -> bool:
    """Whether the engine that the manifest describes in these words, if it does, lies in the folder."""
    if words is None:
        return False
    file, size, _ = words.split(" ")
    path = os.path.join(folder, file)
    return os.path.exists(path) and os.path.getsize(path) == int(size)


def _compile_all(names: Sequence[str], game: str, folder: str, facts: Facts) -> None:
    """Compile the engines into the folder, side by side, and enter what the manifest should say of them into `facts`."""
    compilers = [_start_compiler(name, game, folder) for name in names]
    try:
        for name, compiler in zip(names, compilers):
            for key, words in _finished(name, compiler, game, folder):
                if facts.setdefault(key, words) != words:
                    raise BuildError(f"{name}: {key[0]} is {words}, and {facts[key]} for another engine")
    finally:
        for compiler in compilers:
            if compiler.poll() is None:
                compiler.kill()
                compiler.communicate()


def _start_compiler(name: str, game: str, folder: str) -> subprocess.Popen[str]:
    """A process that compiles that engine into the folder."""
    environment = {**os.environ, "NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "bot.native_build", "--compile", name, game, os.path.join(folder, _CODE_FILE % name)],
        cwd=os.path.dirname(PACKAGE),
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _finished(
    name: str, compiler: subprocess.Popen[str], game: str, folder: str
) -> Iterator[tuple[tuple[str, ...], str]]:
    """(key words, the other words) of each line that the manifest should have of an engine, once it is compiled."""
    import binascii

    output, errors = compiler.communicate()
    if compiler.returncode:
        raise BuildError("{}: {}".format(name, (errors.strip() or f"status {compiler.returncode}").splitlines()[-1]))
    file = _CODE_FILE % name
    with open(os.path.join(folder, file), "rb") as library:
        code = library.read()
    yield ("engine", name), f"{file} {len(code)} {binascii.crc32(code):08x}"
    yield ("sources",), source_hash(game)
    for line in output.splitlines():
        key, _, words = line.partition(" ")
        yield ((key, name) if key == "compilers" else (key,)), words


def _facts_in(folder: str) -> Facts:
    """The facts of the folder's manifest, {} where there is none."""
    try:
        with open(os.path.join(folder, native.MANIFEST)) as manifest:
            lines = [line.split(" ") for line in manifest.read().splitlines()]
    except FileNotFoundError:
        return {}
    keys = [2 if words[0] in ("engine", "compilers") else 1 for words in lines]
    return {tuple(words[:count]): " ".join(words[count:]) for words, count in zip(lines, keys)}


def _write_manifest(folder: str, facts: Facts) -> None:
    path = os.path.join(folder, native.MANIFEST)
    with open(path + ".new", "w") as manifest:
        for key, words in sorted(facts.items()):
            manifest.write(" ".join(key) + " " + words + "\n")
    os.replace(path + ".new", path)


def compile_engine(name: str, game: str, path: str) -> None:
    """Compile for the CPU that the environment names and link; prints what the manifest should say of it."""
    import tempfile

    os.environ["NUMBA_CACHE_DIR"] = os.path.join(tempfile.gettempdir(), "dropfour-unused")

    import llvmlite
    import llvmlite.binding as llvm
    import numba

    kernels = part_of(game, "kernels")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=name, features="", opt=3, reloc="pic", codemodel="small"
    )
    with tempfile.TemporaryDirectory() as objects:
        functions = {}
        for entry_point, count in part_of(game, "entry_points").ENTRY_POINTS.items():
            # Anew, not the cached function: of that only machine code for this CPU is left.
            signature = numba.int64(*[numba.int64] * count)
            function = numba.njit(signature, error_model="numpy")(getattr(kernels, entry_point).py_func)
            functions[entry_point] = function
            with open(os.path.join(objects, entry_point + ".o"), "wb") as target:
                target.write(_object_code(machine, llvm, function, "dropfour_" + entry_point))
        linker = _c_compiler() or "cc"
        linked = subprocess.run(
            [linker, "-shared", "-s", "-nostdlib", "-Wl,--gc-sections,-z,noexecstack,--build-id=none", "-o", path]
            + [os.path.join(objects, entry_point + ".o") for entry_point in functions],
            check=False,
            capture_output=True,
            text=True,
        )
        if linked.returncode:
            raise BuildError("{}: {}".format(linker, linked.stderr.strip().replace("\n", " | ")[-300:]))
    strange = undefined_symbols(path) - ALLOWED_SYMBOLS
    if strange:
        raise BuildError("the library asks for {}".format(", ".join(sorted(strange))))
    if name in native.runnable():
        print(
            f"exercise {part_of(game, 'exercise').exercise(type('Kernels', (), {entry_point: staticmethod(function) for entry_point, function in functions.items()}))}"
        )
    version = subprocess.run([linker, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    print(
        "compilers numba {}, llvmlite {} (LLVM {}), linked by {}".format(
            numba.__version__, llvmlite.__version__, ".".join(map(str, llvm.llvm_version_info)), version
        )
    )


def _object_code(machine: Any, llvm: Any, function: Any, symbol: str) -> bytes:
    """Bytes of an object file whose only visible function is the compiled one, under that name."""
    (compiled,) = function.overloads.values()
    text = compiled.library.get_llvm_str()
    if compiled.library.has_dynamic_globals or _ADDRESS_IN_CODE.search(text):
        raise BuildError(f"{symbol} has addresses of the compiling process in it")
    module = llvm.parse_assembly(text)
    for value in [*module.functions, *module.global_variables]:
        if not value.is_declaration:
            value.linkage = "internal"
    entry = module.get_function(compiled.fndesc.llvm_func_name)
    entry.linkage, entry.name = "external", symbol
    # All of the optimiser once more: what only one other function calls is now worth inlining.
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    return machine.emit_object(module)


def undefined_symbols(path: str) -> set[str]:
    """Names that a library expects from the process that loads it."""
    listed = subprocess.run(["nm", "-D", "-u", path], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].partition("@")[0] for line in listed.splitlines()}


def main(words: list[str]) -> None:
    if words[:1] == ["--compile"]:
        compile_engine(*words[1:])
        return
    game = words.pop(0) if words and words[0] in NAMES else NAMES[0]
    unknown = [word for word in words if word not in native.NAMES]
    if unknown:
        sys.exit(
            "bot.native_build: unknown game or engine {}; expected one of {} and then some of {}".format(
                unknown[0], ", ".join(NAMES), ", ".join(native.NAMES)
            )
        )
    reason = why_impossible()
    if reason is not None:
        sys.exit(f"bot.native_build: {reason}")
    try:
        folder = build(words or native.NAMES, game, report=lambda text: print(text, flush=True))
    except (BuildError, OSError) as error:
        sys.exit(f"bot.native_build: {error}")
    with open(os.path.join(folder, native.MANIFEST)) as manifest:
        sys.stdout.write(f"in {folder}:\n{manifest.read()}")


if __name__ == "__main__":
    main(sys.argv[1:])
