"""How much memory a search asks for where the system does not give all of it."""

import pytest

from bot.search.limits import check_memory, made_with_less


def test_less_memory_is_asked_for_until_the_system_gives_it():
    asked = []

    def make(megabytes):
        asked.append(megabytes)
        if len(asked) < 3:
            raise (MemoryError, OSError)[len(asked) % 2]
        return "made"

    assert made_with_less(make, 800) == "made" and asked == [800, 600, 450]


def test_too_little_memory_is_refused():
    assert check_memory(198) is None
    for refuse in (check_memory, lambda megabytes: made_with_less(check_memory, megabytes)):
        with pytest.raises(ValueError, match="expected at least 198 MB, got 197"):
            refuse(197)
