"""A C++ project whose getPoint prints to stdout, in the way that the variable PRINTS names, and plays on."""

import dataclasses

from tests.judge.helpers.projects import MAIN, POINT, write_project

VARIABLE = "PRINTS"
STRATEGY = """\
#include "Point.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>

static bool in_mode(const char *name) {
    const char *mode = getenv("PRINTS");
    return mode != nullptr && strcmp(mode, name) == 0;
}

static struct WhenLoaded {
    WhenLoaded() {
        if (in_mode("load")) puts("loading");
        if (in_mode("own buffer")) std::ios::sync_with_stdio(false);
    }
} when_loaded;

extern "C" Point *getPoint(const int M, const int N, const int *top, const int *board, const int lastX,
                           const int lastY, const int noX, const int noY) {
    static int calls = 0;
    ++calls;
    if (in_mode("turn")) printf("%s", "\\033[1mthinking...");
    if (in_mode("own buffer")) std::cout << "by stream";
    if (in_mode("child")) {
        const int child = fork();
        if (child == 0) {
            puts("from a child");
            fflush(stdout);
            _exit(0);
        }
        waitpid(child, nullptr, 0);
    }
    if (in_mode("flood")) {
        static char block[1 << 16];
        memset(block, 'z', sizeof block);
        for (int number = 0; number < 64; ++number) fwrite(block, 1, sizeof block, stdout);
    }
    if (in_mode("close file")) fclose(stdout);
    if (in_mode("close")) close(1);
    if (in_mode("exit") && calls == 1) atexit([] { puts("bye"); });
    if (in_mode("crash")) {
        printf("last words");
        fflush(stdout);
        abort();
    }
    for (int column = 0; column < N; ++column)
        if (top[column] > 0) return new Point{top[column] - 1, column};
    return new Point{0, 0};
}

extern "C" void clearPoint(Point *point) {
    if (in_mode("clear")) printf("cleared");
    delete point;
}
"""
# The platform's own goes on for ever at the end of its input; this one where it is told to.
ENDLESS = "ENDLESS"
ENDS = 'while (scanf("%d%d", &lastX, &lastY) == 2) {'
GOES_ON = f'while (scanf("%d%d", &lastX, &lastY) == 2 || getenv("{ENDLESS}")) {{'
assert ENDS in MAIN


def printing_library(folder):
    """The project without a main()."""
    return write_project(folder, {"Point.h": POINT, "Strategy.cpp": STRATEGY})


def printing_program(folder):
    """The project with one."""
    main = MAIN.replace(ENDS, GOES_ON).replace("#include <cstdio>", "#include <cstdio>\n#include <cstdlib>")
    return write_project(folder, {"Point.h": POINT, "Strategy.cpp": STRATEGY, "main.cpp": main})


def in_mode(player, mode, **variables):
    """The player told to print in this way, with more variables."""
    launch = player.prepared
    environment = {**launch.environment, VARIABLE: mode, **variables}
    return dataclasses.replace(player, prepared=dataclasses.replace(launch, environment=environment))
