"""Copies of the built native engines for a test to damage, and machine code that misbehaves.

A process that has loaded a library goes on with it whatever becomes of its file: damage first, load afterwards.
"""

import builtins
import io
import shutil
import struct
import subprocess
import zlib

import pytest

from bot.backends import native
from bot.games.connect_four.self_test import self_test

# Code for a function: an instruction that no CPU has; return 0, without a result; return 1, the status of an error.
UNKNOWN_INSTRUCTION = b"\x0f\x0b"
RETURNS_NOTHING = b"\x31\xc0\xc3"
RETURNS_AN_ERROR = b"\xb8\x01\x00\x00\x00\xc3"


class EngineFolder:
    """A copy of the engines in `built`, below the folder `cache`, where bots with `environment` look for them.

    path: of the copy itself.
    """

    def __init__(self, built, cache):
        self.path = cache / "native" / built.name
        self.environment = {"DROPFOUR_CACHE_DIR": str(cache)}
        shutil.copytree(built, self.path)

    def library(self, name):
        return self.path / (name + ".so")

    def manifest(self):
        return self.path / native.MANIFEST

    def edit_manifest(self, old, new):
        """Replace a text that is in the manifest."""
        text = self.manifest().read_text("ascii")
        assert old in text
        self.manifest().write_text(text.replace(old, new), "ascii")

    def load(self, wanted=None):
        """The NativeKernels that the loader finds here."""
        return native.load(str(self.path), self_test, wanted)

    def refusal(self, wanted=None):
        """Why nothing can be loaded."""
        with pytest.raises(native.NativeUnavailable) as error:
            self.load(wanted)
        return str(error.value)

    def finds_what_is_expected(self, kernels):
        """Whether kernels that are loaded work in this process too."""
        return self_test(kernels) == native.Manifest(str(self.path)).self_test

    def replace_code(self, name, code, entry_point="steps"):
        """Let a library's entry point begin with other code, and the manifest agree."""
        data = bytearray(self.library(name).read_bytes())
        place = _offset_of(self.library(name), data, "dropfour_" + entry_point)
        before = f"{name}.so {len(data)} {zlib.crc32(data):08x}"
        data[place : place + len(code)] = code
        self.library(name).write_bytes(data)
        self.edit_manifest(before, f"{name}.so {len(data)} {zlib.crc32(data):08x}")


def _offset_of(path, data, symbol):
    """Where in a library's file a function begins (ELF, 64 bits)."""
    listed = subprocess.run(["nm", "-D", "--defined-only", path], check=True, capture_output=True, text=True).stdout
    (address,) = (int(line.split()[0], 16) for line in listed.splitlines() if line.split()[-1] == symbol)
    (first_header,) = struct.unpack_from("<Q", data, 32)
    header_bytes, headers = struct.unpack_from("<HH", data, 54)
    for header in range(headers):
        kind, _, offset, begin, _, size = struct.unpack_from("<IIQQQQ", data, first_header + header * header_bytes)
        if kind == 1 and begin <= address < begin + size:  # PT_LOAD
            return offset + address - begin
    raise AssertionError(f"{symbol} is in no segment")


def give_cpuinfo(monkeypatch, text):
    """What /proc/cpuinfo says to the loader; None: it cannot be read."""

    def opened(path, *arguments):
        if path != "/proc/cpuinfo":
            return builtins.open(path, *arguments)
        if text is None:
            raise PermissionError(13, "Permission denied")
        return io.BytesIO(text.encode())

    monkeypatch.setattr(native, "open", opened, raising=False)
