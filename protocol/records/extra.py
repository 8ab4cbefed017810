"""What of a record's `extra` reports read: of the kind that they expect, where it is there at all.

Not part of the ladder bundle. Whatever else stands in `extra` is whoever wrote it's own.
"""

from collections.abc import Callable, Mapping
from typing import Any

from .fields import RecordError, check_count, check_integer, check_object, check_seconds, check_text, expect

Check = Callable[[str, Any], None]


def check_extra(extra: dict[str, Any]) -> None:
    """Raise RecordError for the first known entry that is of another kind than judges write."""
    _check(extra, OF_GAME, "extra")
    for side in ("A", "B"):
        if side in extra:
            check_object(f"extra.{side}", extra[side])
            _check(extra[side], OF_SIDE, f"extra.{side}")


def _check(content: Mapping[str, Any], checks: Mapping[str, Check], place: str) -> None:
    for name, check in checks.items():
        if name in content:
            try:
                check(name, content[name])
            except RecordError as error:
                raise RecordError(f"{place}.{error}") from None


def _optional(check: Callable[..., None]) -> Check:
    return lambda name, value: check(name, value, optional=True)


def _list_of_seconds(name: str, value: Any) -> None:
    expect(isinstance(value, list), name, "a list", value)
    for position, entry in enumerate(value):
        check_seconds(f"{name}[{position}]", entry)


def _seconds_by_ply(name: str, value: Any) -> None:
    check_object(name, value)
    for ply, entry in value.items():
        check_seconds(f"{name}[{ply[:8]!r}]", entry)


OF_GAME: dict[str, Check] = {
    "id": check_text,
    "index": check_count,
    "reason": check_text,
    "limit_s": _optional(check_seconds),
    "player_limit_s": _optional(check_seconds),
    "schedule": check_object,
}
OF_SIDE: dict[str, Check] = {
    "cpu_s": check_seconds,
    "start_up_s": _optional(check_seconds),
    "peak_rss_bytes": check_count,
    "stderr_bytes": check_count,
    "printed_bytes": check_count,
    "exit_status": _optional(check_integer),
    "waits_s": _list_of_seconds,
    "overtime_s": _seconds_by_ply,
    **dict.fromkeys(("folder", "printed", "stderr", "stdout"), check_text),
}
