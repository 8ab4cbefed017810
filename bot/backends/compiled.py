"""Loads a game's compiled kernels: from a native engine that was built before, or from numba.

prepare.py prepares whichever of the two is better on this machine. This module is on the start path, so modules that
are slow to import are imported where they are used. Standard library only, Python 3.8 syntax.
"""

from __future__ import annotations

from ..games import part_of
from . import native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..games.interface import LoadedKernels
    from .jit import JitKernels

NATIVE, JIT = "native", "jit"
# The values of --backend. "auto" stands for native, and for numba if native fails. "python" stands for no kernels at
# all. native.NAMES are the names of native engines, which are CPU levels.
BACKENDS = ("auto", NATIVE, JIT, "python") + native.NAMES
# Seconds to allow from the choice of a native engine to its first result: measured 0.003 s on an idle machine.
NATIVE_LOAD_S = 0.02


class KernelsUnavailable(RuntimeError):
    """No compiled search is available. str() says why."""


class Kernels:
    """The kernels of one game: says whether they are ready, gets them ready, and loads them.

    `game` is the name of a package in bot.games. `backend` is a value of BACKENDS. `engines` is the folder of native
    engines. None stands for the folder that sources.engines_folder() returns.
    """

    def __init__(self, game: str, backend: str = "auto", engines: str | None = None) -> None:
        self._game, self._backend, self._engines = game, backend, engines
        self._jit: JitKernels | None = None
        self._choice: native.Choice | None = None
        self._refusal: str | None = {JIT: "not asked for", "python": "--backend python has no compiled search"}.get(
            backend
        )

    def may_be_native(self) -> bool:
        """Returns whether `backend` allows native engines and no attempt to load one has failed."""
        return self._refusal is None

    def available(self) -> bool:
        """Returns whether kernels can ever be ready on this machine."""
        return self.may_be_native() or self._with_numba().available()

    def ready(self) -> bool:
        """Returns whether loading needs no compiling.

        A native engine counts as ready until an attempt to load it has failed.
        """
        return self.may_be_native() or self._with_numba().ready()

    def load_s(self) -> float:
        """Returns the seconds that loading takes at most on a machine that is not overloaded."""
        if self.may_be_native():
            return NATIVE_LOAD_S
        from .jit import LOAD_S

        return LOAD_S

    def load(self) -> LoadedKernels:
        """Load the entry points. Returns them as a module or an object.

        Its `name` is the engine's name, and its `reason` says why this engine was chosen.

        Raises KernelsUnavailable if no native engine works or numba's kernels are not compiled. After a native engine
        has failed, the next call tries numba, if `backend` allows it.
        """
        if self.may_be_native():
            try:
                choice, self._choice = self._choose_native(), None
                return choice.kernels()
            except native.NativeUnavailable as error:
                self._refusal = str(error)
                raise KernelsUnavailable(self._refusal) from None
        if not (self._with_numba().available() and self._with_numba().ready()):
            raise KernelsUnavailable(self._refusal)
        return self._load_jit()

    def begin(self) -> None:
        """Start a child process that tests the best native engine, if a native engine may be used.

        `load` takes the result.
        """
        try:
            if self.may_be_native():
                self._choose_native()
        except native.NativeUnavailable:
            pass  # load() will raise it again

    def _choose_native(self) -> native.Choice:
        """Returns the native.Choice of this game's engine, which is made on the first call.

        Raises NativeUnavailable if there are no native engines.
        """
        if self._choice is None:
            wanted = self._backend if self._backend in native.NAMES else None
            try:
                folder = self._engines
                if folder is None:
                    from .sources import engines_folder

                    folder = engines_folder(self._game)
                self_test = part_of(self._game, "self_test").self_test
                self._choice = native.Choice(folder, self_test, wanted)
            except native.NativeUnavailable:
                raise
            except Exception as error:  # for example, ctypes cannot be imported; that must not cost the game
                raise native.NativeUnavailable(native.in_words(error)) from None
        return self._choice

    def _load_jit(self) -> LoadedKernels:
        module = self._with_numba().load()
        module.name, module.reason = "numba", f"native: {self._refusal}"
        return module

    def obtain(self, report: Callable[[str], None] = lambda text: None) -> LoadedKernels:
        """Do what `load` does, for callers without a clock.

        If needed, first build a native engine or compile with numba. `report` is called with a line of text before each
        step that takes long. Raises KernelsUnavailable if neither way gives a compiled search.
        """
        try:
            return self.load()
        except KernelsUnavailable:
            if self._backend in ("auto", NATIVE) and self._engines is None and self._builds_native(report):
                self._refusal = None
                return self.load()
            if self._backend not in ("auto", JIT):
                raise
        if not self._with_numba().available():
            raise KernelsUnavailable(f"no compiled search: {self._refusal}; and numba is not installed")
        try:
            self._with_numba().compile(report)
            return self._load_jit()
        except OSError as error:
            raise KernelsUnavailable(f"the kernel cache cannot be used: {error}") from error

    def _builds_native(self, report: Callable[[str], None]) -> bool:
        """Build the native engine for this CPU. Returns whether that succeeded."""
        try:
            from . import native_build
        except ImportError:
            return False  # a bundle has engines, but not the module that builds them
        if native_build.why_impossible() is not None:
            return False
        return native_build.build_for_this_cpu(self._game, report) is None

    def start_compiling(self) -> None:
        """Start a process that compiles the kernels with numba while the game goes on."""
        self._with_numba().start_compiling()

    def has_failed_to_compile(self) -> bool:
        """Returns whether the process of start_compiling() has ended without filling numba's cache."""
        return self._with_numba().has_failed_to_compile()

    def stop_compiling(self) -> None:
        """Kill the process of start_compiling() if it still runs."""
        if self._jit is not None:
            self._jit.stop_compiling()

    def _with_numba(self) -> JitKernels:
        if self._jit is None:
            if self._backend not in ("auto", JIT):
                return _NoNumba()  # type: ignore[return-value]  # its other methods are called only if it is available
            from .jit import JitKernels

            self._jit = JitKernels(self._game)
        return self._jit


class _NoNumba:
    """Stands in for JitKernels if the backend rules numba out."""

    @staticmethod
    def available() -> bool:
        return False

    ready = has_failed_to_compile = available
