/* In place of windows.h: the few calls that course projects make. */
#pragma once
#include <algorithm>
#include <ctime>
using std::max;
using std::min;
typedef int BOOL;
typedef unsigned long DWORD;
inline BOOL AllocConsole() { return 1; }
inline BOOL FreeConsole() { return 1; }
inline DWORD GetTickCount() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<DWORD>(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}
