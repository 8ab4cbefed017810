"""Where a game's compiled kernels come from: a native engine built before, or numba.

prepare.py gets the best of them ready on this machine. On the start path: what needs time to import is imported where
it is used. Standard library only, Python 3.8 syntax.
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
# What --backend takes beside these: "auto", and "python" for no kernels at all.
BACKENDS = ("auto", NATIVE, JIT, "python") + native.NAMES
# From the choice of a native engine to its first result: 0.003 s on an idle machine.
NATIVE_LOAD_S = 0.02


class KernelsUnavailable(RuntimeError):
    """There is no compiled search to be had; str() says why."""


class Kernels:
    """The kernels of one game: whether they are ready, how to get them ready, and loading them.

    game: name of a package in bot.games; backend: "auto" (native, else numba), "native", "jit", or a native engine's
    name; engines: the folder of native engines, None for this checkout's own.
    """

    def __init__(self, game: str, backend: str = "auto", engines: str | None = None) -> None:
        self._game, self._backend, self._engines = game, backend, engines
        self._jit: JitKernels | None = None
        self._choice: native.Choice | None = None
        self._refusal: str | None = {JIT: "not asked for", "python": "--backend python has no compiled search"}.get(
            backend
        )

    def may_be_native(self) -> bool:
        """Whether a native engine is still to be tried."""
        return self._refusal is None

    def available(self) -> bool:
        """Whether they can ever be ready on this machine."""
        return self.may_be_native() or self._with_numba().available()

    def ready(self) -> bool:
        """Whether loading them compiles nothing; a native engine that is not there shows when it is loaded."""
        return self.may_be_native() or self._with_numba().ready()

    def load_s(self) -> float:
        """Seconds that loading takes, at most, on a machine that is not full."""
        if self.may_be_native():
            return NATIVE_LOAD_S
        from .jit import LOAD_S

        return LOAD_S

    def load(self) -> LoadedKernels:
        """The entry points, as a module or an object with `name` and `reason`: which engine it is, and why that one.

        Raises KernelsUnavailable: numba's kernels are not compiled, or no native engine works; after that the next call
        is for numba, if it may be.
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
        """Let a child try the best native engine, if any may be used, while the caller goes on; `load` ends that."""
        try:
            if self.may_be_native():
                self._choose_native()
        except native.NativeUnavailable:
            pass  # load will say so

    def _choose_native(self) -> native.Choice:
        """The native.Choice under way, begun here unless it has been. Raises NativeUnavailable."""
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
            except Exception as error:  # ctypes cannot be imported, say: it must not cost the game
                raise native.NativeUnavailable(native.in_words(error)) from None
        return self._choice

    def _load_jit(self) -> LoadedKernels:
        module = self._with_numba().load()
        module.name, module.reason = "numba", f"native: {self._refusal}"
        return module

    def obtain(self, report: Callable[[str], None] = lambda text: None) -> LoadedKernels:
        """`load` for callers without a clock: a native engine is built first if need be, or numba compiles.

        report takes a line on what takes long. Raises KernelsUnavailable.
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
        """Build the native engine for this CPU; False where it cannot be had."""
        try:
            from . import native_build
        except ImportError:
            return False  # a bundle has its engines, and no builder
        if native_build.why_impossible() is not None:
            return False
        return native_build.build_for_this_cpu(self._game, report) is None

    def start_compiling(self) -> None:
        """Have numba compile beside the game."""
        self._with_numba().start_compiling()

    def has_failed_to_compile(self) -> bool:
        """Whether that has ended in vain."""
        return self._with_numba().has_failed_to_compile()

    def stop_compiling(self) -> None:
        """End that compiling if it still runs."""
        if self._jit is not None:
            self._jit.stop_compiling()

    def _with_numba(self) -> JitKernels:
        if self._jit is None:
            if self._backend not in ("auto", JIT):
                return _NoNumba()  # type: ignore[return-value]  # what it lacks is asked of what is available alone
            from .jit import JitKernels

            self._jit = JitKernels(self._game)
        return self._jit


class _NoNumba:
    """In place of numba where it is not wanted."""

    @staticmethod
    def available() -> bool:
        return False

    ready = has_failed_to_compile = available
