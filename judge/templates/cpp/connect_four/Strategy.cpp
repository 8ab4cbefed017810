// [en] Your bot. getPoint() at the end of this file is asked for every move. Begin with value(): a better one wins.
// [zh] 你的 AI。每一步棋都由本文件末尾的 getPoint() 决定。先改 value()：估值更好就能赢它。
#include "Strategy.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

// [en] What is in a cell of the board. The forbidden cell, which nobody may take, is FREE too.
// [zh] 棋盘上一个格子的内容。谁都不能下的禁手格也是 FREE。
const int FREE = 0, OPPONENT = 1, ME = 2;

// [en] The platform's limit is 3 s a move, and its machine is not yours: the search ends here, the rest is the margin.
// [zh] 平台限每步 3 秒，而且它的机器不是你的机器：搜索到这里就停，剩下的是余量。
const double STOP_S = 2.4;
// [en] Moves that are looked ahead at most. A deeper search plays better and takes longer; the clock ends it in time.
// [zh] 最多往后看几步。看得越深下得越好，也越慢；时钟会让它及时停下。
const int MOST_DEPTH = 4;
const int WIN = 1000000;

struct OutOfTime {};

struct Game {
    int rows, columns, noX, noY;
    std::vector<int> board, top, order;  // rows * columns; columns; the columns from the middle on
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    int positions = 0;

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

    // [en] What the position is worth to the player when no move is looked ahead any more: the nearer to the middle its
    // [en] stones are the better. Threats, lines of two and three .. count nothing yet: that is for you to write.
    // [zh] 不再往后看时，局面对该方值多少：棋子越靠近中间越好。威胁、连二、连三等等还没有算：由你来写。
    int value(int player) const {
        int sum = 0;
        for (int x = 0; x < rows; ++x)
            for (int y = 0; y < columns; ++y) {
                const int stone = board[x * columns + y];
                if (stone != FREE) sum += (stone == player ? 1 : -1) * (columns - std::abs(2 * y - (columns - 1)));
            }
        return sum;
    }

    // [en] The value of the position for the player, who moves, when `depth` moves are looked ahead (negamax with
    // [en] alpha-beta). bestColumn gets its best column. Throws OutOfTime.
    // [zh] 轮到该方时，往后看 depth 步得到的局面估值（负极大值搜索加 alpha-beta 剪枝）。bestColumn 得到最好的列。抛出 OutOfTime。
    int search(int player, int depth, int alpha, int beta, int &bestColumn) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        if (++positions % 256 == 0 && spent.count() > STOP_S) throw OutOfTime();
        if (depth == 0) return value(player);
        bestColumn = -1;
        for (int y = 0; y < columns; ++y)
            if (top[y] > 0 && makesFour(top[y] - 1, y, player)) {
                bestColumn = y;
                return WIN + depth;
            }
        int best = 0, unused;
        for (int y : order) {
            if (top[y] == 0) continue;
            const int x = top[y] - 1;
            board[x * columns + y] = player;
            top[y] = x - 1 == noX && y == noY ? x - 1 : x;
            const int found = -search(ME + OPPONENT - player, depth - 1, -beta, -alpha, unused);
            board[x * columns + y] = FREE;
            top[y] = x + 1;
            if (bestColumn < 0 || found > best) {
                best = found;
                bestColumn = y;
            }
            if (best > alpha) alpha = best;
            if (alpha >= beta) break;
        }
        return best;
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
    Game game{M, N, noX, noY, std::vector<int>(board, board + M * N), std::vector<int>(top, top + N), {}};
    for (int y = 0; y < N; ++y) game.order.push_back(y);
    std::stable_sort(game.order.begin(), game.order.end(),
                     [N](int a, int b) { return std::abs(2 * a - (N - 1)) < std::abs(2 * b - (N - 1)); });

    // [en] Look one move ahead, then two, three ..: when time is up, the move of the last whole search is played.
    // [zh] 先往后看一步，再看两步、三步……时间一到，就下最后一次完整搜索得到的着法。
    int bestColumn = -1;
    try {
        for (int depth = 1; depth <= MOST_DEPTH; ++depth) {
            Game copy = game;
            int column;
            copy.search(ME, depth, -2 * WIN, 2 * WIN, column);
            bestColumn = column;
        }
    } catch (const OutOfTime &) {
    }
    return new Point{top[bestColumn] - 1, bestColumn};
}

// [en] Frees what getPoint() has made.
// [zh] 释放 getPoint() 创建的内容。
extern "C" void clearPoint(Point *point) { delete point; }
