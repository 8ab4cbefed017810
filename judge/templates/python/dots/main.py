# [en] Your bot. choose_edge() is asked for every edge: change it as you like. main() speaks to the contest platform.
# [en] stdout is for the replies alone: print what you want to see to stderr, with print(..., file=sys.stderr).
# [zh] 你的 AI。每一条边都由 choose_edge() 决定：随你修改。main() 负责与比赛平台对话。
# [zh] 标准输出只能用来应答：想看的内容请用 print(..., file=sys.stderr) 打印到标准错误。
import sys
import time

LETTERS = "ABCDEFGH"

# [en] The limit is 3 s a turn, and the contest's machine is not yours: the search ends here, the rest is the margin.
# [zh] 每个回合限 3 秒，而且比赛的机器不是你的机器：搜索到这里就停，剩下的是余量。
STOP_S = 2.4
# [en] Edges that are looked ahead at most. A deeper search plays better and takes longer; the clock ends it in time.
# [zh] 最多往后看几条边。看得越深下得越好，也越慢；时钟会让它及时停下。
MOST_DEPTH = 2
MOST_BOXES = 1000


class OutOfTime(Exception):
    pass


# [en] An edge's name has three letters: A is horizontal and B vertical; then its line, the row of dots from the top or
# [en] the column of dots from the left; then its place on that line. "AAB" lies on the top row, second from the left.
# [zh] 边的名字有三个字母：A 是横边，B 是竖边；然后是它在哪条线上：从上往下数的第几行点，或从左往右数的第几列点；最后是
# [zh] 它在线上的位置。“AAB” 在最上面一行，左起第二条。
class Board:
    # [en] Rows and columns of boxes. The contest's board is 5 x 5; dropfour plays others too.
    # [zh] 格子的行数和列数。比赛的棋盘是 5 x 5；dropfour 也下别的大小。
    def __init__(self, rows=5, columns=5):
        self.rows, self.columns = rows, columns
        horizontal = [("A", line, place) for line in range(rows + 1) for place in range(columns)]
        vertical = [("B", line, place) for line in range(columns + 1) for place in range(rows)]
        self.free = [kind + LETTERS[line] + LETTERS[place] for kind, line, place in horizontal + vertical]
        self.sides = {(row, column): 0 for row in range(rows) for column in range(columns)}

    def copy(self):
        other = Board(self.rows, self.columns)
        other.free, other.sides = list(self.free), dict(self.sides)
        return other

    # [en] The boxes on both sides of an edge, as (row, column); the box (0, 0) is at the top left.
    # [zh] 边两侧的格子，写成 (行, 列)；格子 (0, 0) 在左上角。
    def boxes_beside(self, edge):
        line, place = LETTERS.index(edge[1]), LETTERS.index(edge[2])
        above_and_below, left_and_right = [(line - 1, place), (line, place)], [(place, line - 1), (place, line)]
        boxes = above_and_below if edge[0] == "A" else left_and_right
        return [box for box in boxes if box in self.sides]

    # [en] How many boxes the edge would complete.
    # [zh] 这条边能围成几个格子。
    def completed_by(self, edge):
        return sum(self.sides[box] == 3 for box in self.boxes_beside(edge))

    # [en] Draws the edge; whether it completes a box, so that the same player moves again.
    # [zh] 画上这条边；返回它有没有围成格子（围成了，就由同一方接着画）。
    def draw(self, edge):
        completes = self.completed_by(edge) > 0
        self.free.remove(edge)
        for box in self.boxes_beside(edge):
            self.sides[box] += 1
        return completes


# [en] Completes a box where it can; else draws the edge that is best when some edges are looked ahead.
# [zh] 能围成格子就围；否则往后看几条边，画其中最好的一条。
def choose_edge(board):
    for edge in board.free:
        if board.completed_by(edge):
            return edge
    start = time.monotonic()
    best = None
    # [en] Look one edge ahead, then two ..: when time is up, the edge of the last whole search is drawn.
    # [zh] 先往后看一条边，再看两条……时间一到，就画最后一次完整搜索得到的边。
    try:
        for depth in range(1, MOST_DEPTH + 1):
            _, best = search(board.copy(), depth, -MOST_BOXES, MOST_BOXES, start)
    except OutOfTime:
        pass
    return best


# [en] (how many boxes more than the opponent the player who moves gets: it completes what it can, and then `depth`
# [en] edges are looked ahead; the best of these edges): negamax with alpha-beta. Raises OutOfTime.
# [zh] （轮到的一方能比对方多得几个格子：先把能围的都围上，再往后看 depth 条边；其中最好的一条边）：负极大值搜索加
# [zh] alpha-beta 剪枝。抛出 OutOfTime。
def search(board, depth, alpha, beta, start):
    if time.monotonic() - start > STOP_S:
        raise OutOfTime
    taken = take_all(board)
    if depth == 0 or not board.free:
        return taken, None
    best_value, best = 0, None
    for edge in board.free:
        other = board.copy()
        other.draw(edge)
        found = taken - search(other, depth - 1, taken - beta, taken - alpha, start)[0]
        if best is None or found > best_value:
            best_value, best = found, edge
        alpha = max(alpha, best_value)
        if alpha >= beta:
            break
    return best_value, best


# [en] Completes boxes, one after another, as long as there are any; how many. Who leaves the last two boxes of a row to
# [en] the opponent often wins the next row by it: that is for you to write.
# [zh] 只要有能围成的格子就一个接一个地围；返回围了几个。把一串格子的最后两个让给对方，往往能换来下一串：由你来写。
def take_all(board):
    taken = 0
    while True:
        completing = [edge for edge in board.free if board.completed_by(edge)]
        if not completing:
            return taken
        taken += board.completed_by(completing[0])
        board.draw(completing[0])


# [en] A turn: edges as long as they complete boxes, and one more. Its reply is their number and their names.
# [zh] 一个回合：只要围成格子就接着画，再加最后一条。应答是边的条数和它们的名字。
def take_turn(board):
    edges, goes_on = [], True
    while goes_on and board.free:
        edges.append(choose_edge(board))
        goes_on = board.draw(edges[-1])
    if edges:
        print("move", len(edges), "".join(edges), flush=True)


def main():
    board, to_move = Board(), 0
    for line in sys.stdin:
        words = line.split()
        word = words[0] if words else ""
        # [en] "move K EDGES" has its edges in the last word, "board RxC EDGES" too.
        # [zh] “move K EDGES” 的最后一个词是各条边，“board RxC EDGES” 也是。
        names = words[-1] if words else ""
        edges = [names[start : start + 3] for start in range(0, len(names), 3)]
        if word == "name?":
            print("name first-bot", flush=True)
        elif word == "board":
            # [en] From dropfour alone: a board of another size, or edges that both players have drawn already.
            # [zh] 只有 dropfour 会发：别的大小的棋盘，或者双方已经画好的一些边。
            rows, columns = words[1].split("x")
            board, to_move = Board(int(rows), int(columns)), 0
            for edge in edges if len(words) > 2 else []:
                if not board.draw(edge):
                    to_move = 1 - to_move
        elif word == "new":
            if words[1] == ("black", "white")[to_move]:
                take_turn(board)
        elif word == "move":
            for edge in edges:
                board.draw(edge)
            take_turn(board)
        elif word == "end":
            board, to_move = Board(), 0
        elif word == "quit":
            return


if __name__ == "__main__":
    main()
