// [en] Speaks to the platform on stdin and stdout and calls getPoint(). You need not change it.
// [en] stdout is for the replies alone: print what you want to see to stderr, with std::cerr.
// [zh] 在标准输入输出上与平台对话，并调用 getPoint()。不需要修改。
// [zh] 标准输出只能用来应答：想看的内容请用 std::cerr 打印到标准错误。
#include "Strategy.h"

#include <cstdio>
#include <string>
#include <vector>

int main() {
    // [en] Once, at the start: M N noX noY
    // [zh] 开局收到一次：M N noX noY
    int M, N, noX, noY;
    if (scanf("%d%d%d%d", &M, &N, &noX, &noY) != 4) return 0;

    // [en] Before each move of yours: lastX lastY, the N numbers of top, the M * N numbers of board
    // [zh] 每次轮到你：lastX lastY，然后是 top 的 N 个数和 board 的 M * N 个数
    std::vector<int> top(N), board(M * N);
    int lastX, lastY;
    while (scanf("%d%d", &lastX, &lastY) == 2) {
        for (int &number : top)
            if (scanf("%d", &number) != 1) return 0;
        for (int &number : board)
            if (scanf("%d", &number) != 1) return 0;

        Point *point = getPoint(M, N, top.data(), board.data(), lastX, lastY, noX, noY);
        const std::string reply = std::to_string(point->x) + " " + std::to_string(point->y);
        clearPoint(point);

        // [en] A reply is "x y" behind its length, a number of four bytes, the lowest last.
        // [zh] 应答是 "x y"，前面是它的长度：四个字节的整数，低位在后。
        const unsigned char length[4] = {0, 0, 0, static_cast<unsigned char>(reply.size())};
        fwrite(length, 1, 4, stdout);
        fwrite(reply.data(), 1, reply.size(), stdout);
        fflush(stdout);
    }
}
