// [en] Your bot. chooseEdge() is asked for every edge: change it as you like. main() speaks to the contest platform.
// [en] stdout is for the replies alone: print what you want to see to stderr, with std::cerr.
// [zh] 你的 AI。每一条边都由 chooseEdge() 决定：随你修改。main() 负责与比赛平台对话。
// [zh] 标准输出只能用来应答：想看的内容请用 std::cerr 打印到标准错误。
#include <chrono>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

// [en] An edge's name has three letters: A is horizontal and B vertical; then its line, the row of dots from the top or
// [en] the column of dots from the left; then its place on that line. "AAB" lies on the top row, second from the left.
// [zh] 边的名字有三个字母：A 是横边，B 是竖边；然后是它在哪条线上：从上往下数的第几行点，或从左往右数的第几列点；最后是
// [zh] 它在线上的位置。“AAB” 在最上面一行，左起第二条。
using Edge = std::string;

// [en] The limit is 3 s a turn, and the contest's machine is not yours: the search ends here, the rest is the margin.
// [zh] 每个回合限 3 秒，而且比赛的机器不是你的机器：搜索到这里就停，剩下的是余量。
const double STOP_S = 2.4;
// [en] Edges that are looked ahead at most. A deeper search plays better and takes longer; the clock ends it in time.
// [zh] 最多往后看几条边。看得越深下得越好，也越慢；时钟会让它及时停下。
const int MOST_DEPTH = 3;
const int MOST_BOXES = 1000;

struct OutOfTime {};

struct Board {
    // [en] Rows and columns of boxes. The contest's board is 5 x 5; dropfour plays others too.
    // [zh] 格子的行数和列数。比赛的棋盘是 5 x 5；dropfour 也下别的大小。
    int rows = 5, columns = 5;
    std::set<Edge> drawn;

    static Edge edge(char kind, int line, int place) {
        return {kind, static_cast<char>('A' + line), static_cast<char>('A' + place)};
    }

    // [en] How many sides of the box are drawn; the box in row 0 and column 0 is at the top left.
    // [zh] 这个格子已经画了几条边；第 0 行第 0 列的格子在左上角。
    int sidesOf(int row, int column) const {
        return drawn.count(edge('A', row, column)) + drawn.count(edge('A', row + 1, column)) +
               drawn.count(edge('B', column, row)) + drawn.count(edge('B', column + 1, row));
    }

    // [en] How many of the boxes on both sides of an edge have so many sides drawn.
    // [zh] 这条边两侧的格子中，有几个已经画了 sides 条边。
    int boxesBeside(const Edge &edge, int sides) const {
        const int line = edge[1] - 'A', place = edge[2] - 'A';
        int count = 0;
        for (int side = line - 1; side <= line; ++side) {
            const int row = edge[0] == 'A' ? side : place, column = edge[0] == 'A' ? place : side;
            if (0 <= row && row < rows && 0 <= column && column < columns) count += sidesOf(row, column) == sides;
        }
        return count;
    }

    std::vector<Edge> freeEdges() const {
        std::vector<Edge> found;
        for (int line = 0; line <= rows; ++line)
            for (int place = 0; place < columns; ++place)
                if (!drawn.count(edge('A', line, place))) found.push_back(edge('A', line, place));
        for (int line = 0; line <= columns; ++line)
            for (int place = 0; place < rows; ++place)
                if (!drawn.count(edge('B', line, place))) found.push_back(edge('B', line, place));
        return found;
    }

    // [en] Draws the edge; whether it completes a box, so that the same player moves again.
    // [zh] 画上这条边；返回它有没有围成格子（围成了，就由同一方接着画）。
    bool draw(const Edge &edge) {
        const bool completes = boxesBeside(edge, 3) > 0;
        drawn.insert(edge);
        return completes;
    }
};

// [en] Completes boxes, one after another, as long as there are any; how many. Who leaves the last two boxes of a row to
// [en] the opponent often wins the next row by it: that is for you to write.
// [zh] 只要有能围成的格子就一个接一个地围；返回围了几个。把一串格子的最后两个让给对方，往往能换来下一串：由你来写。
int takeAll(Board &board) {
    int taken = 0;
    bool goesOn = true;
    while (goesOn) {
        goesOn = false;
        for (const Edge &edge : board.freeEdges())
            if (board.boxesBeside(edge, 3) > 0) {
                taken += board.boxesBeside(edge, 3);
                board.draw(edge);
                goesOn = true;
            }
    }
    return taken;
}

struct Search {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

    // [en] How many boxes more than the opponent the player who moves gets: it completes what it can, and then `depth`
    // [en] edges are looked ahead (negamax with alpha-beta). best gets the best of these edges. Throws OutOfTime.
    // [zh] 轮到的一方能比对方多得几个格子：先把能围的都围上，再往后看 depth 条边（负极大值搜索加 alpha-beta 剪枝）。
    // [zh] best 得到其中最好的一条边。抛出 OutOfTime。
    int look(Board board, int depth, int alpha, int beta, Edge &best) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        if (spent.count() > STOP_S) throw OutOfTime();
        const int taken = takeAll(board);
        const std::vector<Edge> edges = board.freeEdges();
        if (depth == 0 || edges.empty()) return taken;
        int bestValue = 0;
        Edge unused;
        best.clear();
        for (const Edge &edge : edges) {
            Board next = board;
            next.draw(edge);
            const int found = taken - look(next, depth - 1, taken - beta, taken - alpha, unused);
            if (best.empty() || found > bestValue) {
                bestValue = found;
                best = edge;
            }
            if (bestValue > alpha) alpha = bestValue;
            if (alpha >= beta) break;
        }
        return bestValue;
    }
};

// [en] Completes a box where it can; else draws the edge that is best when some edges are looked ahead.
// [zh] 能围成格子就围；否则往后看几条边，画其中最好的一条。
Edge chooseEdge(const Board &board) {
    for (const Edge &edge : board.freeEdges())
        if (board.boxesBeside(edge, 3) > 0) return edge;
    Search search;
    Edge best, found;
    // [en] Look one edge ahead, then two, three ..: when time is up, the edge of the last whole search is drawn.
    // [zh] 先往后看一条边，再看两条、三条……时间一到，就画最后一次完整搜索得到的边。
    try {
        for (int depth = 1; depth <= MOST_DEPTH; ++depth) {
            search.look(board, depth, -MOST_BOXES, MOST_BOXES, found);
            best = found;
        }
    } catch (const OutOfTime &) {
    }
    return best;
}

// [en] A turn: edges as long as they complete boxes, and one more. Its reply is their number and their names.
// [zh] 一个回合：只要围成格子就接着画，再加最后一条。应答是边的条数和它们的名字。
void takeTurn(Board &board) {
    std::string names;
    int count = 0;
    bool goesOn = true;
    while (goesOn && !board.freeEdges().empty()) {
        const Edge edge = chooseEdge(board);
        goesOn = board.draw(edge);
        names += edge;
        ++count;
    }
    if (count > 0) std::cout << "move " << count << " " << names << std::endl;
}

// [en] Draws the edges in a text; how many of them complete no box, which ends a player's turn.
// [zh] 画上一段文字里的各条边；返回其中有几条没有围成格子（没围成，回合就结束）。
int drawAll(Board &board, const std::string &names) {
    int turns = 0;
    for (size_t start = 0; start + 3 <= names.size(); start += 3) turns += !board.draw(names.substr(start, 3));
    return turns;
}

int main() {
    Board board;
    int toMove = 0;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string word, rest, names;
        words >> word >> rest;
        // [en] "move K EDGES" has its edges in the last word, "board RxC EDGES" too.
        // [zh] “move K EDGES” 的最后一个词是各条边，“board RxC EDGES” 也是。
        words >> names;
        if (word == "name?") {
            std::cout << "name first-bot" << std::endl;
        } else if (word == "board") {
            // [en] From dropfour alone: a board of another size, or edges that both players have drawn already.
            // [zh] 只有 dropfour 会发：别的大小的棋盘，或者双方已经画好的一些边。
            board = Board();
            board.rows = rest[0] - '0';
            board.columns = rest[2] - '0';
            toMove = drawAll(board, names) % 2;
        } else if (word == "new") {
            if (toMove == (rest == "black" ? 0 : 1)) takeTurn(board);
        } else if (word == "move") {
            drawAll(board, names.empty() ? rest : names);
            takeTurn(board);
        } else if (word == "end") {
            board = Board();
            toMove = 0;
        } else if (word == "quit") {
            return 0;
        }
    }
}
