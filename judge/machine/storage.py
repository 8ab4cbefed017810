"""Folders that are written to: whether that is possible, and how much they still take."""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from judge.language import recorded
from judge.machine.fact import Fact, State

MEGABYTE = 10**6
FULL_BYTES = 50 * MEGABYTE  # not enough for the engines of one version
LITTLE_BYTES = 1000 * MEGABYTE

# What is said, as JSON has it.
REFUSED = recorded("{path} cannot be written: {why}")
FREE = recorded("{path}, {free} MB free")
FULL, LITTLE = recorded("{place}: the disk is full"), recorded("{place}: little is left")
FREE_OR_OTHER = recorded("free some, or {other}")


@dataclass(frozen=True)
class Place:
    """A folder, which need not exist yet; refusal: why nothing can be written there, "" where it can."""

    path: Path
    free: int | None
    refusal: str


def free_bytes(path: Path) -> int:
    """Bytes that the file system of a folder still takes. Raises OSError."""
    return shutil.disk_usage(path).free


def look_at(path: Path, free: Callable[[Path], int] = free_bytes) -> Place:
    """The Place: a file is made in the folder, or in the nearest one above that exists, and is gone again."""
    nearest = next((place for place in (path, *path.absolute().parents) if place.exists()), Path("/"))
    try:
        with tempfile.TemporaryFile(dir=nearest):
            refusal = ""
    except OSError as error:
        refusal = error.strerror or str(error)
    try:
        return Place(path, free(nearest), refusal)
    except OSError:
        return Place(path, None, refusal)


def place_fact(name: str, place: Place, other: str, is_needed: bool) -> Fact:
    """Whether it can be written to. other: how to choose another folder; is_needed: whether nothing goes on without."""
    broken = State.MISSING if is_needed else State.WARNING
    if place.refusal:
        return Fact(name, broken, REFUSED.format(path=place.path, why=place.refusal), other)
    if place.free is None:
        return Fact(name, State.OK, str(place.path))
    text = FREE.format(path=place.path, free=f"{place.free / MEGABYTE:,.0f}")
    if place.free < FULL_BYTES:
        return Fact(name, broken, FULL.format(place=text), FREE_OR_OTHER.format(other=other))
    if place.free < LITTLE_BYTES:
        return Fact(name, State.WARNING, LITTLE.format(place=text), FREE_OR_OTHER.format(other=other))
    return Fact(name, State.OK, text)
