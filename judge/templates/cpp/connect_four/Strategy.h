#pragma once

// [en] A cell: x is its row, counted from 0 at the top, y is its column, counted from 0 at the left.
// [zh] 一个格子：x 是行，从上往下数；y 是列，从左往右数；都从 0 开始。
struct Point {
    int x, y;
};

// [en] What main.cpp calls, and the course's samples have. Strategy.cpp says what the arguments are.
// [zh] main.cpp 调用的两个函数，课程的样例也是这样。参数的含义见 Strategy.cpp。
extern "C" Point *getPoint(const int M, const int N, const int *top, const int *board, const int lastX,
                           const int lastY, const int noX, const int noY);
extern "C" void clearPoint(Point *point);
