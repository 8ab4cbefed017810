"""Where a bot failed is found in what it wrote: reports of sanitizers, Python and gdb, as these programs write them."""

import shutil
import subprocess

import pytest
from msgspec import structs

from judge.play.backtraces import LINES_SHOWN, Backtrace, Source, backtrace_in, backtrace_of, with_line_numbers
from protocol.records.record import Termination
from tests.judge.helpers.random_games import recorded_game

ADDRESSES = """\
=================================================================
==25298==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60400000018c at pc 0x5584e0dddde6 bp 0x7ffc sp 0x7ff
WRITE of size 4 at 0x60400000018c thread T0
    #0 0x7f0 in __interceptor_memcpy ../../../../src/libsanitizer/sanitizer_common/sanitizer_common_interceptors.inc:827
    #1 0x5584e0dddde5 in pick(int, int const*, int) /home/me/v8/Strategy.cpp:6
    #2 0x5584e0ddca2c in main /home/me/v8/main.cpp:15

0x60400000018c is located 88 bytes to the right of 36-byte region [0x604000000110,0x604000000134)
allocated by thread T0 here:
    #0 0x7fbc8dcb94c8 in operator new(unsigned long) ../../../../src/libsanitizer/asan/asan_new_delete.cpp:95

SUMMARY: AddressSanitizer: heap-buffer-overflow /home/me/v8/Strategy.cpp:6 in pick
==25298==ABORTING
"""
SHIFT = "shift exponent 40 is too large for 32-bit type 'int'"
UNDEFINED = f"Strategy.cpp:6:49: runtime error: {SHIFT}\n"
TRACEBACK = """\
Traceback (most recent call last):
  File "/home/me/bot.py", line 17, in <module>
    main()
  File "/home/me/bot.py", line 9, in choose
    return {}[turn]
           ~~^^^^^^
KeyError: 4
"""
ABORTED = """\
Fatal Python error: Aborted

Current thread 0x00007f1c2e3c7740 (most recent call first):
  File "/home/me/bot.py", line 5 in choose
  File "/home/me/bot.py", line 13 in main
"""
IN_A_LIBRARY = """\
Fatal Python error: Segmentation fault

Current thread 0x00007f1c2e3c7740 (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "/home/me/.venv/lib64/python3.11/site-packages/numpy/core.py", line 8 in dot
  File "<frozen importlib._bootstrap>", line 241 in _call_with_frames_removed
  File "/home/me/python/bot.py", line 18 in choose
  File "/home/me/python/bot.py", line 79 in main
"""
GDB = """\
#0  0x0000555555555345 in pick (turn=4, top=0x55555556b2c0, N=9) at ./Strategy.cpp:6
#1  getPoint (M=9, N=9, top=0x55555556b2c0) at Strategy.cpp:13
#2  0x0000555555555200 in main () at main.cpp:15"""


ABORT = """\
#0  __pthread_kill_implementation (signo=6) at ./nptl/pthread_kill.c:44
#1  0x00007ffff7a9e380 in new_do_write (to_do=15) at ./libio/libioP.h:947
#2  __GI_raise (sig=6) at ../sysdeps/posix/raise.c:26
#3  __assert_fail_base () at ./assert/assert.c:94
#4  0x0000555555555345 in pick () at ./Strategy.cpp:46"""


@pytest.mark.parametrize(
    "text, source, first, words",
    [
        (ADDRESSES, Source.SANITIZER, 1, "heap-buffer-overflow in the bot's program at /home/me/v8/Strategy.cpp:6"),
        (UNDEFINED, Source.SANITIZER, 0, f"{SHIFT} in the bot's program at Strategy.cpp:6"),
        (TRACEBACK, Source.TRACEBACK, 0, "KeyError in the bot's program at /home/me/bot.py:9"),
        (ABORTED, Source.PYTHON, 3, "in the bot's program at /home/me/bot.py:5"),
        (IN_A_LIBRARY, Source.PYTHON, 3, "in the bot's program at /home/me/python/bot.py:18"),
    ],
)
def test_the_last_report_tells_fault_and_line(text, source, first, words):
    for before in ("", "thinking of column 3\n", text.replace("6", "7")):
        found = backtrace_in(before + text)
        assert (found.source, found.in_words()) == (source, words)
        assert found.lines[0] == text.splitlines()[first] and len(found.lines) <= LINES_SHOWN


def test_a_fault_that_is_a_librarys_alone_has_its_line():
    found = backtrace_in("".join(f"{line}\n" for line in IN_A_LIBRARY.splitlines() if "bot.py" not in line))
    assert found.place == "/usr/lib/python3.11/ctypes/__init__.py:519"


def test_of_a_deep_recursion_the_innermost_calls_are_shown():
    frames = "".join(f'  File "/home/me/bot.py", line {line}, in deeper\n' for line in range(1, 900))
    found = backtrace_in(
        f"Traceback (most recent call last):\n{frames}RecursionError: maximum recursion depth exceeded\n"
    )
    assert len(found.lines) == LINES_SHOWN
    assert found.lines[0].startswith("Traceback") and found.lines[-1].startswith("RecursionError")
    assert found.in_words() == "RecursionError in the bot's program at /home/me/bot.py:899"


def test_an_exception_that_was_caught_long_before_is_no_reason():
    assert backtrace_in(TRACEBACK + "go on\n" * LINES_SHOWN) is None
    assert backtrace_in("column 7 is high\n") is backtrace_in("") is None


def test_a_record_has_a_debuggers_stack_or_that_of_its_stderr():
    record = recorded_game("connect_four", {"rows": 9, "cols": 9, "forbidden": [0, 8]}, seed=1)
    record.extra["A"] = {"stderr": TRACEBACK}
    assert backtrace_of(record, "A").source is Source.TRACEBACK
    record.extra["A"] = {"stderr": "", "backtrace": GDB}
    found = backtrace_of(record, "A")
    assert (found.source, found.place, len(found.lines)) == (Source.DEBUGGER, "Strategy.cpp:6", 3)
    record.extra["A"] = {"backtrace": ABORT}
    assert backtrace_of(record, "A").in_words() == "in the bot's program at Strategy.cpp:46"
    illegal = structs.replace(record, termination=Termination.ILLEGAL_MOVE)
    assert backtrace_of(illegal, "A").in_words() == "the bot was asked for the illegal move at Strategy.cpp:46"
    record.extra["A"] = {"backtrace": f"#0  return new Point{{0, 0}}; at Strategy.cpp:52\n{ABORT}"}
    assert backtrace_of(illegal, "A").in_words() == "the bot returned the illegal move at Strategy.cpp:52"
    record.extra["A"] = {"backtrace": '  File "bot.py", line 5, in choose, which returned 40'}
    assert backtrace_of(record, "A") == Backtrace(Source.PYTHON, (record.extra["A"]["backtrace"],), "bot.py:5")
    for kept in ({}, {"backtrace": ""}):
        record.extra["A"] = kept
        assert backtrace_of(record, "A") is None


@pytest.mark.skipif(not all(map(shutil.which, ("g++", "nm", "addr2line"))), reason="needs g++ with nm and addr2line")
def test_a_frame_without_a_line_gets_it_from_the_program_that_the_judge_built(tmp_path, monkeypatch):
    monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "bot.cpp").write_text('extern "C" int\npick() { return 3; }\nint main() { return pick(); }\n')
    for folder, expected in (("cache", f"{tmp_path}/bot.cpp:2"), ("elsewhere", "")):
        (tmp_path / folder).mkdir()
        program = tmp_path / folder / "bot"
        subprocess.run(["g++", "-g", "-O0", str(tmp_path / "bot.cpp"), "-o", str(program)], check=True)
        symbols = subprocess.run(["nm", str(program)], capture_output=True, text=True, check=True).stdout
        offset = next(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" pick"))
        report = f"==1==ERROR: AddressSanitizer: SEGV on 0x1\n    #0 0x55 in pick ({program}+{offset:#x})\n"
        assert backtrace_in(with_line_numbers(report)).place == expected
