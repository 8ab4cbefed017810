"""`@entry_point` is a function that Python calls; `@kernel` is compiled as a part of the entry points that call it.

numba's `njit` makes three functions of each one, optimises each together with all that it calls, and turns that into
machine code, although only the entry points are ever called from outside: a function deep below is compiled once more
for every function above it. A kernel hands over plain LLVM code instead, and the entry point that it ends up in is
optimised as a whole, once. The rest is as in `njit(error_model="numpy", _nrt=False)`: no Python errors, no reference
counting.
"""

from numba import njit
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


class _NoEnvironments:
    """In place of what tells machine code where Python objects are: a kernel's own code is never run."""

    @staticmethod
    def set_env(env_name, env):
        pass


class _PartLibrary(JITCodeLibrary):
    """LLVM code for other libraries to link, as it was generated."""

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
    """numba's compiler, with a _PartLibrary for the result."""

    def compile_extra(self, func):
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class Kernel(CPUDispatcher):
    """A function that compiled code may call."""

    def __init__(self, function, **options):
        super().__init__(function, targetoptions={**_OPTIONS, **options}, pipeline_class=_PartCompiler)

    def add_overload(self, result):
        # Not entered where calls from Python look: there is nothing that they could run.
        self.overloads[tuple(result.signature.args)] = result

    def _compile_for_args(self, *arguments, **named):
        raise TypeError(f"{self.__qualname__} is a kernel: compiled code calls it, or Python its .py_func")


def kernel(function):
    """Make a Kernel of a Python function."""
    return Kernel(function)


def inlined_kernel(function):
    """The same for a function whose statements numba puts in the place of every call, before types are found."""
    return Kernel(function, inline="always")


def entry_point(function):
    """Make a function of integers (int64), which returns one, callable from Python, by numba or from a native engine.

    A game's kernels.py declares them all: backends/sources.py reads their names and how many integers they take there.
    """
    return njit(cache=True, nogil=True, error_model="numpy")(function)
