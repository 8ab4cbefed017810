// [en] Your bot. chooseMove() is asked for every move: change it as you like. main() speaks to the platform.
// [en] stdout is for the replies alone: print what you want to see to stderr, with std::cerr.
// [zh] 你的 AI。每一步棋都由 chooseMove() 决定：随你修改。main() 负责与平台对话。
// [zh] 标准输出只能用来应答：想看的内容请用 std::cerr 打印到标准错误。
#include <cstdio>
#include <string>

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

    // [en] How many discs `me` turns over by playing in (x, y). A move that turns none is not allowed.
    // [zh] me 下在 (x, y) 能翻转几枚棋子。一枚都翻不了的地方不能下。
    int turnedBy(char me, int x, int y) const {
        if (at(x, y) != '2') return 0;
        int turned = 0;
        for (int stepX = -1; stepX <= 1; ++stepX)
            for (int stepY = -1; stepY <= 1; ++stepY) {
                if (stepX == 0 && stepY == 0) continue;
                int count = 0, nextX = x + stepX, nextY = y + stepY;
                while (isInside(nextX, nextY) && at(nextX, nextY) != me && at(nextX, nextY) != '2') {
                    ++count;
                    nextX += stepX;
                    nextY += stepY;
                }
                if (isInside(nextX, nextY) && at(nextX, nextY) == me) turned += count;
            }
        return turned;
    }
};

// [en] Corners cannot be turned again; who plays beside an empty corner often gives it away.
// [zh] 角上的棋子再也翻不动；下在空角旁边往往会把角送给对方。
int valueOf(const Board &board, int x, int y) {
    const int last = board.size - 1;
    const int toEdgeX = x < last - x ? x : last - x;
    const int toEdgeY = y < last - y ? y : last - y;
    if (toEdgeX == 0 && toEdgeY == 0) return 100;
    if (toEdgeX <= 1 && toEdgeY <= 1) return -50;
    if (toEdgeX == 0 || toEdgeY == 0) return 10;
    return 0;
}

// [en] me: '0' or '1'. You are only asked when you have a move.
// [zh] me：'0' 或 '1'。只有在你有棋可下时才会问你。
Cell chooseMove(const Board &board, char me) {
    Cell best{-1, -1};
    int bestValue = 0;
    for (int x = 0; x < board.size; ++x)
        for (int y = 0; y < board.size; ++y) {
            const int turned = board.turnedBy(me, x, y);
            if (turned == 0) continue;
            const int value = valueOf(board, x, y) + turned;
            if (best.x < 0 || value > bestValue) {
                best = {x, y};
                bestValue = value;
            }
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
