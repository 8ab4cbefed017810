"""Small C++ projects as students have them, written for the tests."""

from tests.programs import needs

needs_compiler = needs("g++")

POINT = "#pragma once\nstruct Point { int x, y; };\n"
# The first column that has room.
STRATEGY = """\
#include "Point.h"
extern "C" Point *getPoint(const int M, const int N, const int *top, const int *board, const int lastX,
                           const int lastY, const int noX, const int noY) {
    for (int column = 0; column < N; ++column)
        if (top[column] > 0) return new Point{top[column] - 1, column};
    return nullptr;
}
extern "C" void clearPoint(Point *point) { delete point; }
"""
# What the platform's kit does: numbers in, frames out.
MAIN = """\
#include "Point.h"
#include <cstdio>
#include <cstring>
#include <vector>
extern "C" Point *getPoint(const int, const int, const int *, const int *, const int, const int, const int, const int);
extern "C" void clearPoint(Point *);
#ifdef ONLINE_JUDGE
int main() {
    int rows, columns, noX, noY, lastX, lastY;
    if (scanf("%d%d%d%d", &rows, &columns, &noX, &noY) != 4) return 0;
    std::vector<int> top(columns), board(rows * columns);
    while (scanf("%d%d", &lastX, &lastY) == 2) {
        for (int &number : top) scanf("%d", &number);
        for (int &number : board) scanf("%d", &number);
        Point *point = getPoint(rows, columns, top.data(), board.data(), lastX, lastY, noX, noY);
        char text[16];
        sprintf(text, "%d %d", point->x, point->y);
        clearPoint(point);
        unsigned length = strlen(text);
        for (int shift = 24; shift >= 0; shift -= 8) putchar(length >> shift & 255);
        fwrite(text, 1, length, stdout);
        fflush(stdout);
    }
}
#endif
"""


def write_project(folder, files):
    """A folder with {path: text}; returns it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def library_project(folder, files=None):
    """A project without a main(), and more files."""
    return write_project(folder, {"Point.h": POINT, "Strategy.cpp": STRATEGY, **(files or {})})


def program_project(folder, files=None):
    """A project with the platform's main(), and more files."""
    return library_project(folder, {"main.cpp": MAIN, **(files or {})})
