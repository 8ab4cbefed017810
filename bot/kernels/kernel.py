"""The decorators of compiled functions: Python calls an `@entry_point`; a `@kernel` is compiled into its callers.

For each function, numba's `njit` makes three functions. It optimises each of them together with everything that it
calls, and turns the result into machine code, although only the entry points are ever called from outside. So a
function deep in the call tree is compiled once more for every function above it. A kernel hands over plain LLVM code
instead, and each entry point is optimised once as a whole. Otherwise kernels are compiled as by
`njit(error_model="numpy", _nrt=False)`: without Python errors and without reference counting.
"""

import itertools
import os

from numba import njit
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

_OPTIONS = {
    "nopython": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}

# numba numbers the functions that it compiles, from 1 in every process. Only this number tells closures of one factory
# apart by their names in machine code. Of several functions with one name, a process uses the one that it has loaded
# first. So if two processes have filled the cache, a third could call one closure in place of another. Therefore every
# process begins at a number of its own. All numbers have 16 digits, so that an order of names stays the same.
FunctionIdentity._unique_ids = itertools.count(10**15 + int.from_bytes(os.urandom(6), "big"))


class _NoEnvironments:
    """Replaces numba's table of the Python objects that machine code uses.

    A kernel needs none, as its own code is never run.
    """

    @staticmethod
    def set_env(env_name, env):
        pass


class _PartLibrary(JITCodeLibrary):
    """A library of unoptimised LLVM code, which is linked into other libraries."""

    codegen = _NoEnvironments()

    def add_llvm_module(self, ll_module):
        self._final_module.link_in(ll_module)

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name):
        self._ensure_finalized()
        return 0


class _PartCompiler(Compiler):
    """numba's compiler, which puts its result into a _PartLibrary."""

    def compile_extra(self, func):
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class Kernel(CPUDispatcher):
    """A function that only compiled code may call. Calling it from Python raises TypeError."""

    def __init__(self, function, **options):
        super().__init__(function, targetoptions={**_OPTIONS, **options}, pipeline_class=_PartCompiler)

    def add_overload(self, result):
        # The result is not entered into the table that calls from Python use, because such calls could not run it.
        self.overloads[tuple(result.signature.args)] = result

    def _compile_for_args(self, *arguments, **named):
        raise TypeError(f"{self.__qualname__} is a kernel: compiled code calls it, or Python its .py_func")


def kernel(function):
    """Decorator that makes a Kernel from a Python function."""
    return Kernel(function)


def inlined_kernel(function):
    """Decorator that makes a kernel whose statements replace every call of it before numba infers types."""
    return Kernel(function, inline="always")


def entry_point(function):
    """Decorator for a function that Python calls, through numba or in a native engine.

    The function takes int64 arguments and returns an integer. A game declares all its entry points in its kernels.py,
    because backends/sources.py parses their names and argument counts from there.
    """
    return njit(cache=True, nogil=True, error_model="numpy")(function)
