/* In place of Windows' conio.h and console calls: what is printed to a console goes nowhere. */
#pragma once
inline int _cprintf(const char *, ...) { return 0; }
inline int _cputs(const char *) { return 0; }
inline int _kbhit() { return 0; }
inline int _getch() { return 0; }
