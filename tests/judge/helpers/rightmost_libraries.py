"""Strategy libraries for tests: 2.so and 10.so, which play the rightmost column there is room in; one that prints."""

import shutil
import subprocess

from tests.programs import c_compiler

RIGHTMOST = """
#include <stdlib.h>
typedef struct { int x, y; } Point;
Point *getPoint(const int M, const int N, const int *top, const int *board,
                const int lastX, const int lastY, const int noX, const int noY)
{
    Point *p = malloc(sizeof *p);
    p->y = N - 1;
    while (top[p->y] == 0) p->y--;
    p->x = top[p->y] - 1;
    return p;
}
void clearPoint(Point *p) { free(p); }
"""


PRINTS = 'printf("%d rows\\n", M);'
PRINTING = "#include <stdio.h>" + RIGHTMOST.replace("Point *p = malloc", f"{PRINTS} Point *p = malloc")


def make_libraries(folder):
    """Compile the two into an existing folder; skips the test where there is no C compiler."""
    make_library(folder / "10.so", RIGHTMOST)
    shutil.copy(folder / "10.so", folder / "2.so")


def make_printing_library(path):
    """Compile one that also prints on stdout how many rows there are, in every turn."""
    make_library(path, PRINTING)


def make_library(path, source):
    """Compile C source; skips the test where there is no C compiler."""
    from_input = [c_compiler(), "-shared", "-fPIC", "-o", path, "-x", "c", "-"]
    subprocess.run(from_input, input=source, text=True, check=True, timeout=60)
