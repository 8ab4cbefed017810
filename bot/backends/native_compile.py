"""Compiles and links native engines: the kernels that numba compiles, for portable CPUs, in processes of their own.

    python -m bot.backends.native_compile emit GAME FOLDER CPU[,CPU ..] ENTRY_POINT[,ENTRY_POINT ..]
    python -m bot.backends.native_compile link GAME FOLDER CPU[,CPU ..]

`emit` writes an object file for every entry point and CPU into the folder, and a line to stdout as each step is done;
`link` makes the libraries of them, and prints what the manifest should say. native_build.py starts both.

numba compiles an entry point down to LLVM code, once for all CPUs (kernels/kernel.py); all of it but the entry is made
internal, and for each portable CPU it is optimised as a whole and linked without the C library. A function keeps
numba's own calling convention: status f(result *, exception **, int64 ..), 0 for success.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys

from ..games import part_of
from . import native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..kernels.kernel import Kernel

CODE_FILE = "%s.so"
# All that a library may ask of the process that loads it.
ALLOWED_SYMBOLS = {"clock_gettime", "memcpy", "memmove", "memset"}
# numba has to know before it is imported: code for every CPU, and no calls into Intel's library.
PORTABLE = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}
# Addresses of this process, which numba may write into code as numbers.
_ADDRESS_IN_CODE = re.compile(r"inttoptr \(i64 \d{6,} to|numba\.dynamic\.globals")
# LLVM's own at -O2. With -O3's 250 dots' tree is 12 % slower; 75, 150, 500 and 1000 gain nowhere.
_INLINING_THRESHOLD = 225


class BuildError(RuntimeError):
    """An engine cannot be built, or is not what it should be; str() says why."""


def linker() -> str | None:
    """The C compiler that links, None where there is none."""
    return next(filter(None, map(shutil.which, (os.environ.get("CC") or "cc", "gcc", "clang"))), None)


def steps(names: Sequence[str]) -> int:
    """How many lines `emit` prints for an entry point: its LLVM code, then machine code for each CPU."""
    return 1 + len(names)


def emit(game: str, folder: str, names: Sequence[str], entry_points: Sequence[str]) -> None:
    """Write the object files of these entry points for the CPUs of these names. Raises BuildError."""
    import llvmlite.binding as llvm
    import numba

    from ..kernels.kernel import Kernel

    kernels, arguments = part_of(game, "kernels"), part_of(game, "entry_points").ENTRY_POINTS
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for entry_point in entry_points:
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
    """Make the libraries of the object files in the folder; prints what the manifest should say of them."""
    import llvmlite
    import llvmlite.binding as llvm
    import numba

    entry_points = part_of(game, "entry_points").ENTRY_POINTS
    program = linker() or "cc"
    for name in names:
        path = os.path.join(folder, CODE_FILE % name)
        _link(program, path, [_object_file(folder, name, entry_point) for entry_point in entry_points])
        if name in native.runnable():
            engine = native.NativeKernels(ctypes.CDLL(path), entry_points, name)
            print(f"self_test {part_of(game, 'self_test').self_test(engine)}")
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


def _link(program: str, path: str, objects: Sequence[str]) -> None:
    """Link object files into a library that stands alone. Raises BuildError."""
    flags = ["-shared", "-s", "-nostdlib", "-Wl,--gc-sections,-z,noexecstack,--build-id=none"]
    linked = subprocess.run([program, *flags, "-o", path, *objects], check=False, capture_output=True, text=True)
    if linked.returncode:
        reason = linked.stderr.strip().replace("\n", " | ")[-300:]
        raise BuildError(f"{program}: {reason}")
    strange = undefined_symbols(path) - ALLOWED_SYMBOLS
    if strange:
        raise BuildError(f"the library asks for {', '.join(sorted(strange))}")


def undefined_symbols(path: str) -> set[str]:
    """Names that a library expects from the process that loads it."""
    listed = subprocess.run(["nm", "-D", "-u", path], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].partition("@")[0] for line in listed.splitlines()}


def main(words: list[str]) -> None:
    """Do what native_build.py asks for."""
    task, game, folder, *lists = words
    names, *entry_points = (words.split(",") for words in lists)
    try:
        if task == "emit":
            emit(game, folder, names, *entry_points)
        else:
            link(game, folder, names)
    except BuildError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
