"""Builds native engines: the kernels that numba compiles, as shared libraries for portable CPUs without any Python.

    python -m bot.backends.native_build [GAME] [NAME ..]

builds a game's engines of those names, or all: x86-64-v3, x86-64-v2, x86-64.

numba compiles an entry point down to LLVM code, once for all CPUs (kernels/kernel.py); all of it but the entry is made
internal, and for each portable CPU it is optimised as a whole and linked without the C library. A function keeps
numba's own calling convention: status f(result *, exception **, int64 ..), 0 for success. native.py loads what this
file builds.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys

from ..games import NAMES, part_of
from . import native
from .sources import PACKAGE, drop_old_versions, lock_exclusively, native_folder, source_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..kernels.kernel import Kernel

    Facts = dict[tuple[str, ...], str]  # the manifest's lines: words that name a fact -> the other words

# All that a library may ask of the process that loads it.
ALLOWED_SYMBOLS = {"clock_gettime", "memcpy", "memmove", "memset"}
# Addresses of this process, which numba may write into code as numbers.
_ADDRESS_IN_CODE = re.compile(r"inttoptr \(i64 \d{6,} to|numba\.dynamic\.globals")
_CODE_FILE = "%s.so"
# LLVM's own at -O2. With -O3's 250 dots' tree is 12 % slower; 75, 150, 500 and 1000 gain nowhere.
_INLINING_THRESHOLD = 225


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
            report(f"building the native engines of {game}: {', '.join(missing)} ..")
            _compile_all(missing, game, folder, facts)
            _write_manifest(folder, facts)
            if folder == native_folder(game):
                drop_old_versions(os.path.dirname(folder), native.MANIFEST)
    for name in names:
        if name in native.runnable():
            try:
                native.load(
                    folder, part_of(game, "entry_points").ENTRY_POINTS, part_of(game, "self_test").self_test, name
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
    """Compile the engines into the folder and enter what the manifest should say of them into `facts`."""
    import binascii

    # By a process of its own: what numba is told here, it has to know before it is imported.
    environment = {**os.environ, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}
    compiler = subprocess.run(
        [sys.executable, "-m", "bot.backends.native_build", "--compile", game, folder, *names],
        cwd=os.path.dirname(PACKAGE),
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    if compiler.returncode:
        raise BuildError((compiler.stderr.strip() or f"status {compiler.returncode}").splitlines()[-1])
    found = [line.partition(" ")[::2] for line in compiler.stdout.splitlines()]
    for key, words in found:
        for fact in [(key, name) for name in names] if key == "compilers" else [(key,)]:
            if facts.setdefault(fact, words) != words:
                raise BuildError(f"{key} is {words}, and {facts[fact]} for another engine")
    facts[("sources",)] = source_hash(game)
    for name in names:
        file = _CODE_FILE % name
        with open(os.path.join(folder, file), "rb") as library:
            code = library.read()
        facts["engine", name] = f"{file} {len(code)} {binascii.crc32(code):08x}"


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


def compile_engines(game: str, folder: str, names: Sequence[str]) -> None:
    """Compile and link the game's engines of these names; prints what the manifest should say of them."""
    import llvmlite
    import llvmlite.binding as llvm
    import numba

    from ..kernels.kernel import Kernel

    kernels, entry_points = part_of(game, "kernels"), part_of(game, "entry_points").ENTRY_POINTS
    code = {}
    for entry_point, count in entry_points.items():
        function = Kernel(getattr(kernels, entry_point).py_func)
        function.compile((numba.int64,) * count)
        symbol = "dropfour_" + entry_point
        code[symbol] = _visible_alone(function, symbol)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    linker = _c_compiler() or "cc"
    for name in names:
        path = os.path.join(folder, _CODE_FILE % name)
        _link(linker, path, {symbol: _object_code(name, symbol, text) for symbol, text in code.items()})
        if name in native.runnable():
            engine = native.NativeKernels(ctypes.CDLL(path), entry_points, name)
            print(f"self_test {part_of(game, 'self_test').self_test(engine)}")
    version = subprocess.run([linker, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    llvm_version = ".".join(map(str, llvm.llvm_version_info))
    print(
        f"compilers numba {numba.__version__}, llvmlite {llvmlite.__version__} (LLVM {llvm_version}), "
        f"linked by {version}"
    )


def _visible_alone(function: Kernel, symbol: str) -> str:
    """LLVM code of a compiled function, as text, that alone can be seen from outside, under that name."""
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
    """Bytes of an object file: that function's LLVM code, optimised for the CPU.

    Raises BuildError where the code is of use to the compiling process alone.
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


def _link(linker: str, path: str, objects: dict[str, bytes]) -> None:
    """Link object files, {symbol: bytes}, into a library that stands alone. Raises BuildError."""
    import tempfile

    flags = ["-shared", "-s", "-nostdlib", "-Wl,--gc-sections,-z,noexecstack,--build-id=none"]
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, symbol + ".o") for symbol in objects]
        for file, code in zip(files, objects.values()):
            with open(file, "wb") as target:
                target.write(code)
        linked = subprocess.run([linker, *flags, "-o", path, *files], check=False, capture_output=True, text=True)
    if linked.returncode:
        reason = linked.stderr.strip().replace("\n", " | ")[-300:]
        raise BuildError(f"{linker}: {reason}")
    strange = undefined_symbols(path) - ALLOWED_SYMBOLS
    if strange:
        raise BuildError(f"the library asks for {', '.join(sorted(strange))}")


def undefined_symbols(path: str) -> set[str]:
    """Names that a library expects from the process that loads it."""
    listed = subprocess.run(["nm", "-D", "-u", path], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].partition("@")[0] for line in listed.splitlines()}


def main(words: list[str]) -> None:
    if words[:1] == ["--compile"]:
        compile_engines(words[1], words[2], words[3:])
        return
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
