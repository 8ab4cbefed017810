"""A strategy library is loaded in its player's sandbox alone: its constructors run nothing as the user."""

import pytest

from judge.play.start_trial import require_start
from judge.players.players import PlayerError, contestant
from tests.judge.helpers.rightmost_libraries import RIGHTMOST, make_library
from tests.judge.helpers.sandboxes import SANDBOXED, UNSANDBOXED, needs_sandbox

# What this writes outside a sandbox stays; its own /tmp, in a sandbox, is gone with it.
CONSTRUCTOR = """
#include <stdio.h>
__attribute__((constructor)) static void begin(void) {{ FILE *f = fopen("{trace}", "w"); if (f) fclose(f); }}
"""
WITHOUT_AN_ENTRY = RIGHTMOST.replace("getPoint", "otherName")
ONLY_DECLARED = (
    "extern int getPoint, clearPoint; int *a(void) { return &getPoint; } int *b(void) { return &clearPoint; }"
)


@pytest.fixture
def tracing(tmp_path):
    """(player's text, the file that its constructor writes)"""
    trace = tmp_path / "trace"
    make_library(tmp_path / "library.so", CONSTRUCTOR.format(trace=trace) + RIGHTMOST)
    return f"lib:{tmp_path / 'library.so'}", trace


def test_it_is_not_loaded_to_be_looked_at(tracing):
    text, trace = tracing
    assert contestant(text).is_library
    assert not trace.exists()


@needs_sandbox
def test_it_is_tried_in_its_sandbox(tracing):
    text, trace = tracing
    require_start([contestant(text)], 1.0, sandbox=SANDBOXED)
    assert not trace.exists()


def test_without_a_sandbox_it_is_tried_as_any_player_is(tracing):
    text, trace = tracing
    require_start([contestant(text)], 1.0, sandbox=UNSANDBOXED)
    assert trace.exists()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (WITHOUT_AN_ENTRY, "lacks the function getPoint"),
        (ONLY_DECLARED, "cannot be loaded: "),
        (RIGHTMOST + "__attribute__((constructor)) static void begin(void) { abort(); }", "SIGABRT"),
    ],
)
def test_the_reason_is_named(tmp_path, source, reason):
    make_library(tmp_path / "library.so", source)
    with pytest.raises(PlayerError) as caught:
        require_start([contestant(f"lib:{tmp_path / 'library.so'}")], 1.0)
    assert reason in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"text", b"\x7fELF"])
def test_what_is_no_library_is_refused_before_it_is_started(tmp_path, content):
    (tmp_path / "library.so").write_bytes(content)
    with pytest.raises(PlayerError, match="library.so"):
        contestant(f"lib:{tmp_path / 'library.so'}")
