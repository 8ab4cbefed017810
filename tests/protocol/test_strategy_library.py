"""A strategy library hosted in a process of its own: small ones, compiled here from C."""

import os
import subprocess
import sys

import pytest

from protocol import strategy_library
from protocol.games.connect_four import Opening, Reply, ReplyDecoder, Turn, encode_opening, encode_turn
from tests.places import REPOSITORY
from tests.programs import c_compiler

ROWS, COLS = 9, 10

HEADER = """
#include <stdio.h>
#include <stdlib.h>
typedef struct { int x, y; } Point;
"""
SIGNATURE = """
Point *getPoint(const int M, const int N, const int *top, const int *board,
                const int lastX, const int lastY, const int noX, const int noY)
"""
CLEAR = "void clearPoint(Point *p) { free(p); }\n"
LEFTMOST = f"""{HEADER}{SIGNATURE}{{
    Point *p = malloc(sizeof *p);
    printf("a line on stdout, which must not reach the judge\\n");
    fflush(stdout);
    for (int y = 0; y < N; y++)
        if (top[y] > 0) {{ p->x = top[y] - 1; p->y = y; return p; }}
    return p;
}}
{CLEAR}"""
# Answers with what it was told, in numbers that are no cells: everything the library sees can be read off.
ECHO = f"""{HEADER}
static int turn = 0, cleared = 0;
{SIGNATURE}{{
    Point *p = malloc(sizeof *p);
    int sum = 0;
    for (int cell = 0; cell < M * N; cell++) sum += board[cell] * (cell + 1);
    switch (turn++) {{
    case 0: p->x = M; p->y = N; break;
    case 1: p->x = lastX; p->y = lastY; break;
    case 2: p->x = noX; p->y = noY; break;
    case 3: p->x = top[0]; p->y = top[N - 1]; break;
    default: p->x = sum; p->y = cleared;
    }}
    return p;
}}
void clearPoint(Point *p) {{ cleared++; free(p); }}
"""
NULL = f"{HEADER}{SIGNATURE}{{ return NULL; }}\n{CLEAR}"
CRASH = f"{HEADER}{SIGNATURE}{{ abort(); }}\n{CLEAR}"
NO_CLEAR = f"{HEADER}{SIGNATURE}{{ return NULL; }}\n"

BOARD = tuple((cell * 7) % 3 for cell in range(ROWS * COLS))
TURN = Turn((5, 3), (4, *[ROWS] * (COLS - 2), 0), BOARD)
FIRST_TURN = Turn(None, (ROWS,) * COLS, (0,) * (ROWS * COLS))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A function from C source to the path of a shared object."""
    compiler = c_compiler()
    folder = tmp_path_factory.mktemp("libraries")

    def compile_source(source):
        path = folder / f"{abs(hash(source))}.so"
        if not path.exists():
            path.with_suffix(".c").write_text(source)
            subprocess.run([compiler, "-shared", "-fPIC", "-o", path, path.with_suffix(".c")], check=True, timeout=60)
        return path

    return compile_source


# What it prints stays in a buffer.
PRINTING = LEFTMOST.replace("    fflush(stdout);\n", "")
CLOSING = LEFTMOST.replace("    fflush(stdout);\n", "    fclose(stdout);\n")
LINE = b"a line on stdout, which must not reach the judge\n"


def host(path, *turns, tail=b"", prints=None):
    """(exit status, replies, stderr) of a host of the library that is sent these turns and then the end.

    prints: the descriptor of a pipe for what the library prints.
    """
    messages = [encode_opening(Opening(ROWS, COLS, (8, 2)), "saiblo")]
    messages += [encode_turn(turn, "saiblo") for turn in turns]
    done = subprocess.run(
        [sys.executable, "-m", "protocol.strategy_library", path],
        input=b"".join(messages) + tail,
        capture_output=True,
        env={
            **os.environ,
            "PYTHONPATH": str(REPOSITORY),
            "PYTHONUNBUFFERED": "",  # it would take away C's buffers as well
            **({} if prints is None else {strategy_library.PRINTS: str(prints)}),
        },
        pass_fds=[] if prints is None else [prints],
        timeout=30,
    )
    decoder = ReplyDecoder("saiblo")
    decoder.feed(done.stdout)
    replies = list(iter(decoder.next_reply, None))
    decoder.end()
    return done.returncode, replies, done.stderr.decode()


def test_every_argument_reaches_the_library(compiled):
    status, replies, _ = host(compiled(ECHO), *[TURN] * 5)
    assert status == 0
    weighted_sum = sum(value * (cell + 1) for cell, value in enumerate(BOARD))
    assert replies == [Reply(ROWS, COLS), Reply(5, 3), Reply(8, 2), Reply(4, 0), Reply(weighted_sum, 4)]


def test_an_empty_board_has_no_last_cell(compiled):
    _, replies, _ = host(compiled(ECHO), FIRST_TURN, FIRST_TURN)
    assert replies[1] == Reply(-1, -1)


def test_the_end_of_the_input_is_no_failure(compiled):
    assert host(compiled(LEFTMOST)) == (0, [], "")


def test_a_null_pointer_is_named(compiled):
    status, replies, stderr = host(compiled(NULL), FIRST_TURN)
    assert (status, replies) == (1, [])
    assert stderr.endswith("getPoint returned a null pointer, expected a Point\n")


def test_a_crash_is_the_hosts_own(compiled):
    assert host(compiled(CRASH), FIRST_TURN)[0] == -6


def test_malformed_input_is_named(compiled):
    status, replies, stderr = host(compiled(LEFTMOST), FIRST_TURN, tail=b"5 x")
    assert (status, replies) == (1, [Reply(ROWS - 1, 0)])
    assert stderr.startswith("malformed input: lastY: ")


@pytest.mark.parametrize(
    "source, printed",
    [(LEFTMOST, 2 * LINE), (PRINTING, 2 * LINE), (CLOSING, LINE)],
    ids=["flushed", "buffered", "closed"],
)
def test_what_a_library_prints_goes_to_the_pipe_it_is_given_or_nowhere(compiled, source, printed):
    path, answered = compiled(source), (0, [Reply(ROWS - 1, 0), Reply(3, 0)], "")
    reading, writing = os.pipe()
    with open(reading, "rb") as pipe:
        assert host(path, FIRST_TURN, TURN, prints=writing) == answered
        os.close(writing)
        assert pipe.read() == printed
    assert host(path, FIRST_TURN, TURN) == answered


@pytest.mark.parametrize("kind", ["missing", "text", "no clearPoint"])
def test_what_is_no_strategy_library_is_named(compiled, tmp_path, kind):
    path = tmp_path / "not.so"
    if kind == "text":
        path.write_text("no library")
    elif kind == "no clearPoint":
        path = compiled(NO_CLEAR)
    status, replies, stderr = host(path, FIRST_TURN)
    assert (status, replies) == (2, [])
    assert stderr.startswith(f"strategy library {path}: cannot be loaded: ")
    assert kind != "no clearPoint" or "clearPoint" in stderr


def test_one_library_has_to_be_named(capsys):
    for words in ([], ["a.so", "b.so"]):
        assert strategy_library.main(words) == 2
        assert capsys.readouterr().err == "usage: python -m protocol.strategy_library PATH.so\n"
