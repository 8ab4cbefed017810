// [en] Your bot. getPoint() at the end of this file is asked for every move: change it as you like.
// [zh] 你的 AI。每一步棋都由本文件末尾的 getPoint() 决定：随你修改。
#include "Strategy.h"

#include <cstdlib>

// [en] What is in a cell of the board. The forbidden cell, which nobody may take, is FREE too.
// [zh] 棋盘上一个格子的内容。谁都不能下的禁手格也是 FREE。
const int FREE = 0, OPPONENT = 1, ME = 2;

struct Game {
    int rows, columns;
    const int *board;  // rows * columns

    bool isStoneOf(int player, int x, int y) const {
        bool isInside = 0 <= x && x < rows && 0 <= y && y < columns;
        return isInside && board[x * columns + y] == player;
    }

    // [en] How many stones of the player follow one another from (x, y) in this direction, without (x, y) itself.
    // [zh] 从 (x, y) 出发，沿这个方向连续有几枚该方的棋子，不算 (x, y) 本身。
    int stonesFrom(int x, int y, int stepX, int stepY, int player) const {
        int count = 0;
        while (isStoneOf(player, x + (count + 1) * stepX, y + (count + 1) * stepY)) ++count;
        return count;
    }

    // [en] Whether a stone of the player in (x, y) makes four in a line.
    // [zh] 该方在 (x, y) 落子能不能连成四子。
    bool makesFour(int x, int y, int player) const {
        const int steps[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
        for (const auto &step : steps) {
            int before = stonesFrom(x, y, -step[0], -step[1], player);
            int behind = stonesFrom(x, y, step[0], step[1], player);
            if (before + 1 + behind >= 4) return true;
        }
        return false;
    }
};

// [en] The arguments:
// [en]   M, N          the board has M rows and N columns, 9 to 12 each
// [en]   top           top[y] is the row of the highest stone in column y: M if it is empty, 0 if it is full.
// [en]                 A stone dropped into column y comes to lie in row top[y] - 1.
// [en]   board         board[x * N + y] is the cell in row x and column y: FREE, OPPONENT or ME
// [en]   lastX, lastY  where the opponent has just played, -1 and -1 if you make the first move
// [en]   noX, noY      the forbidden cell; where it lies just above the stones, top[y] is already above it
// [zh] 参数：
// [zh]   M, N          棋盘有 M 行 N 列，各为 9 到 12
// [zh]   top           top[y] 是第 y 列最高的棋子所在的行：空列为 M，满列为 0。
// [zh]                 在第 y 列落子，棋子会落到第 top[y] - 1 行。
// [zh]   board         board[x * N + y] 是第 x 行第 y 列的格子：FREE、OPPONENT 或 ME
// [zh]   lastX, lastY  对方刚下的格子；你下第一步时是 -1 和 -1
// [zh]   noX, noY      禁手格；它正好在棋子上方时，top[y] 已经越过了它
extern "C" Point *getPoint(const int M, const int N, const int *top, const int *board, const int lastX,
                           const int lastY, const int noX, const int noY) {
    const Game game{M, N, board};
    int bestColumn = -1, bestValue = 0;
    for (int y = 0; y < N; ++y) {
        if (top[y] == 0) continue;
        const int x = top[y] - 1;

        // [en] The nearer to the middle the better.
        // [zh] 越靠近中间越好。
        int value = -abs(2 * y - (N - 1));

        // [en] Win if you can, else stop the opponent from winning.
        // [zh] 能赢就赢，否则阻止对方赢。
        if (game.makesFour(x, y, ME)) value += 10000;
        if (game.makesFour(x, y, OPPONENT)) value += 1000;

        // [en] Do not drop a stone on which the opponent's next one would win.
        // [zh] 不要给对方垫脚：在上面一格落子就能赢的位置不要下。
        int above = x - 1;
        if (above == noX && y == noY) --above;
        if (above >= 0 && game.makesFour(above, y, OPPONENT)) value -= 100;

        if (bestColumn < 0 || value > bestValue) {
            bestColumn = y;
            bestValue = value;
        }
    }
    return new Point{top[bestColumn] - 1, bestColumn};
}

// [en] Frees what getPoint() has made.
// [zh] 释放 getPoint() 创建的内容。
extern "C" void clearPoint(Point *point) { delete point; }
