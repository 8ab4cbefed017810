// [en] Your bot. chooseMove() is asked for every move. Begin with value(): a better one wins. main() speaks the wire.
// [en] stdout is for the replies alone: print what you want to see to stderr, with std::cerr.
// [zh] 你的 AI。每一步棋都由 chooseMove() 决定。先改 value()：估值更好就能赢它。main() 负责与平台对话。
// [zh] 标准输出只能用来应答：想看的内容请用 std::cerr 打印到标准错误。
#include <chrono>
#include <cstdio>
#include <string>

// [en] The platform's limit is 3 s a move, and its machine is not yours: the search ends here, the rest is the margin.
// [zh] 平台限每步 3 秒，而且它的机器不是你的机器：搜索到这里就停，剩下的是余量。
const double STOP_S = 2.4;
// [en] Moves that are looked ahead at most. A deeper search plays better and takes longer; the clock ends it in time.
// [zh] 最多往后看几步。看得越深下得越好，也越慢；时钟会让它及时停下。
const int MOST_DEPTH = 4;
const int WIN = 1000000;

struct OutOfTime {};

// [en] A cell: x is its row, counted from 0 at the top, y is its column, counted from 0 at the left.
// [zh] 一个格子：x 是行，从上往下数；y 是列，从左往右数；都从 0 开始。
struct Cell {
    int x, y;
};

struct Board {
    // [en] The platform's board is 8 x 8; dropfour plays others too.
    // [zh] 平台的棋盘是 8 x 8；dropfour 也下别的大小。
    int size;
    // [en] Row by row: '0' is a disc of player 0 (black, who begins), '1' one of player 1, '2' an empty cell.
    // [zh] 一行接一行：'0' 是 0 号玩家（黑方，先手）的棋子，'1' 是 1 号玩家的棋子，'2' 是空格。
    std::string cells;

    bool isInside(int x, int y) const { return 0 <= x && x < size && 0 <= y && y < size; }
    char at(int x, int y) const { return cells[x * size + y]; }

    // [en] How many discs of the opponent lie between (x, y) and the next disc of `me` in this direction.
    // [zh] 沿这个方向，(x, y) 和 me 的下一枚棋子之间夹着几枚对方的棋子。
    int discsFrom(char me, int x, int y, int stepX, int stepY) const {
        int count = 0, nextX = x + stepX, nextY = y + stepY;
        while (isInside(nextX, nextY) && at(nextX, nextY) != me && at(nextX, nextY) != '2') {
            ++count;
            nextX += stepX;
            nextY += stepY;
        }
        return isInside(nextX, nextY) && at(nextX, nextY) == me ? count : 0;
    }

    // [en] How many discs `me` turns over by playing in (x, y). A move that turns none is not allowed.
    // [zh] me 下在 (x, y) 能翻转几枚棋子。一枚都翻不了的地方不能下。
    int turnedBy(char me, int x, int y) const {
        if (at(x, y) != '2') return 0;
        int turned = 0;
        for (int stepX = -1; stepX <= 1; ++stepX)
            for (int stepY = -1; stepY <= 1; ++stepY)
                if (stepX != 0 || stepY != 0) turned += discsFrom(me, x, y, stepX, stepY);
        return turned;
    }

    // [en] The board after the move of `me` in (x, y).
    // [zh] me 下在 (x, y) 之后的棋盘。
    Board after(char me, int x, int y) const {
        Board next = *this;
        for (int stepX = -1; stepX <= 1; ++stepX)
            for (int stepY = -1; stepY <= 1; ++stepY) {
                if (stepX == 0 && stepY == 0) continue;
                int count = discsFrom(me, x, y, stepX, stepY);
                for (; count > 0; --count) next.cells[(x + count * stepX) * size + y + count * stepY] = me;
            }
        next.cells[x * size + y] = me;
        return next;
    }
};

char otherThan(char me) { return me == '0' ? '1' : '0'; }

// [en] What a disc in (x, y) is worth. Corners cannot be turned again; who plays beside an empty corner often gives it
// [en] away.
// [zh] (x, y) 上的一枚棋子值多少。角上的棋子再也翻不动；下在空角旁边往往会把角送给对方。
int valueOf(const Board &board, int x, int y) {
    const int last = board.size - 1;
    const int toEdgeX = x < last - x ? x : last - x;
    const int toEdgeY = y < last - y ? y : last - y;
    if (toEdgeX == 0 && toEdgeY == 0) return 100;
    if (toEdgeX <= 1 && toEdgeY <= 1) return -50;
    if (toEdgeX == 0 || toEdgeY == 0) return 10;
    return 0;
}

// [en] What the position is worth to `me` when no move is looked ahead any more. How many moves each side has, which
// [en] discs can never be turned .. count nothing yet: that is for you to write.
// [zh] 不再往后看时，局面对 me 值多少。双方各有几步可走、哪些棋子再也翻不动等等还没有算：由你来写。
int value(const Board &board, char me) {
    int sum = 0;
    for (int x = 0; x < board.size; ++x)
        for (int y = 0; y < board.size; ++y)
            if (board.at(x, y) != '2') sum += (board.at(x, y) == me ? 1 : -1) * (1 + valueOf(board, x, y));
    return sum;
}

struct Search {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

    // [en] The value of the position for `me`, who moves, when `depth` moves are looked ahead (negamax with alpha-beta).
    // [en] best gets the best move, {-1, -1} if there is none. Throws OutOfTime.
    // [zh] 轮到 me 时，往后看 depth 步得到的局面估值（负极大值搜索加 alpha-beta 剪枝）。best 得到最好的一步，
    // [zh] 没有可下的就是 {-1, -1}。抛出 OutOfTime。
    int look(const Board &board, char me, int depth, int alpha, int beta, Cell &best) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        if (spent.count() > STOP_S) throw OutOfTime();
        best = {-1, -1};
        if (depth == 0) return value(board, me);
        int bestValue = 0;
        bool opponentCanMove = false;
        Cell unused;
        for (int x = 0; x < board.size; ++x)
            for (int y = 0; y < board.size; ++y) {
                opponentCanMove = opponentCanMove || board.turnedBy(otherThan(me), x, y) > 0;
                if (board.turnedBy(me, x, y) == 0) continue;
                const int found = -look(board.after(me, x, y), otherThan(me), depth - 1, -beta, -alpha, unused);
                if (best.x < 0 || found > bestValue) {
                    bestValue = found;
                    best = {x, y};
                }
                if (bestValue > alpha) alpha = bestValue;
                if (alpha >= beta) return bestValue;
            }
        if (best.x >= 0) return bestValue;
        // [en] `me` has no move: the opponent moves again, or the game is over, and the discs are counted.
        // [zh] me 没有可下的：对方接着下；或者棋局结束，数棋子。
        if (opponentCanMove) return -look(board, otherThan(me), depth, -beta, -alpha, unused);
        int discs = 0;
        for (char cell : board.cells)
            if (cell != '2') discs += cell == me ? 1 : -1;
        return WIN * ((discs > 0) - (discs < 0)) + discs;
    }
};

// [en] me: '0' or '1'. You are only asked when you have a move.
// [zh] me：'0' 或 '1'。只有在你有棋可下时才会问你。
Cell chooseMove(const Board &board, char me) {
    Search search;
    Cell best{-1, -1}, found;
    // [en] Look one move ahead, then two, three ..: when time is up, the move of the last whole search is played.
    // [zh] 先往后看一步，再看两步、三步……时间一到，就下最后一次完整搜索得到的着法。
    try {
        for (int depth = 1; depth <= MOST_DEPTH; ++depth) {
            search.look(board, me, depth, -2 * WIN, 2 * WIN, found);
            best = found;
        }
    } catch (const OutOfTime &) {
    }
    return best;
}

int main() {
    // [en] Before each move of yours: '#', your digit, a digit for each cell, '#', with nothing between them
    // [zh] 每次轮到你：'#'、你的数字、每个格子一个数字、'#'，中间没有别的字符
    int mark;
    while ((mark = getchar()) != EOF) {
        if (mark != '#') continue;
        const int me = getchar();
        Board board;
        int digit;
        while ((digit = getchar()) != EOF && digit != '#') board.cells += static_cast<char>(digit);
        if (digit == EOF) break;
        board.size = 1;
        while (board.size * board.size < static_cast<int>(board.cells.size())) ++board.size;

        // [en] A reply is two digits, row and column, behind their number, four bytes with the lowest last.
        // [zh] 应答是行和列两个数字，前面是它的长度：四个字节的整数，低位在后。
        const Cell cell = chooseMove(board, static_cast<char>(me));
        const char reply[6] = {0, 0, 0, 2, static_cast<char>('0' + cell.x), static_cast<char>('0' + cell.y)};
        fwrite(reply, 1, 6, stdout);
        fflush(stdout);
    }
}
