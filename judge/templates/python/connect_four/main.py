# [en] Your bot. choose_column() is asked for every move. Begin with value(): a better one wins.
# [en] stdout is for the replies alone: print what you want to see to stderr, with print(..., file=sys.stderr).
# [zh] 你的 AI。每一步棋都由 choose_column() 决定。先改 value()：估值更好就能赢它。
# [zh] 标准输出只能用来应答：想看的内容请用 print(..., file=sys.stderr) 打印到标准错误。
import sys
import time

# [en] What is in a cell of the board. The forbidden cell, which nobody may take, is FREE too.
# [zh] 棋盘上一个格子的内容。谁都不能下的禁手格也是 FREE。
FREE, OPPONENT, ME = 0, 1, 2

# [en] The platform's limit is 3 s a move, and its machine is not yours: the search ends here, the rest is the margin.
# [zh] 平台限每步 3 秒，而且它的机器不是你的机器：搜索到这里就停，剩下的是余量。
STOP_S = 2.4
# [en] Moves that are looked ahead at most. A deeper search plays better and takes longer; the clock ends it in time.
# [zh] 最多往后看几步。看得越深下得越好，也越慢；时钟会让它及时停下。
MOST_DEPTH = 2
WIN = 1000000


class OutOfTime(Exception):
    pass


# [en] rows, columns  the size of the board, 9 to 12 each. Row 0 is at the top, column 0 at the left.
# [en] top            top[y] is the row of the highest stone in column y: `rows` if it is empty, 0 if it is full.
# [en]                A stone dropped into column y comes to lie in row top[y] - 1.
# [en] board          board[x][y] is the cell in row x and column y: FREE, OPPONENT or ME
# [en] last           (row, column) where the opponent has just played, (-1, -1) if you make the first move
# [en] forbidden      (row, column) of the forbidden cell; where it lies just above the stones, top is already above it
# [zh] rows, columns  棋盘的行数和列数，各为 9 到 12。第 0 行在最上面，第 0 列在最左边。
# [zh] top            top[y] 是第 y 列最高的棋子所在的行：空列为 rows，满列为 0。
# [zh]                在第 y 列落子，棋子会落到第 top[y] - 1 行。
# [zh] board          board[x][y] 是第 x 行第 y 列的格子：FREE、OPPONENT 或 ME
# [zh] last           对方刚下的格子 (行, 列)；你下第一步时是 (-1, -1)
# [zh] forbidden      禁手格 (行, 列)；它正好在棋子上方时，top 已经越过了它
def choose_column(rows, columns, top, board, last, forbidden):
    start = time.monotonic()
    best_column = None
    # [en] Look one move ahead, then two ..: when time is up, the move of the last whole search is played.
    # [zh] 先往后看一步，再看两步……时间一到，就下最后一次完整搜索得到的着法。
    try:
        for depth in range(1, MOST_DEPTH + 1):
            search = Search([list(row) for row in board], list(top), forbidden, start)
            _, best_column = search.search(ME, depth, -2 * WIN, 2 * WIN)
    except OutOfTime:
        pass
    return best_column


# [en] A search from a position. It makes moves on its board and its top, and takes them back.
# [zh] 从一个局面开始的搜索。它在自己的 board 和 top 上落子，再退回来。
class Search:
    def __init__(self, board, top, forbidden, start):
        self.board, self.top, self.forbidden, self.start = board, top, forbidden, start

    # [en] (value of the position for the player, who moves, when `depth` moves are looked ahead; its best column):
    # [en] negamax with alpha-beta. Raises OutOfTime.
    # [zh] （轮到该方时，往后看 depth 步得到的局面估值，最好的列）：负极大值搜索加 alpha-beta 剪枝。
    # [zh] 抛出 OutOfTime。
    def search(self, player, depth, alpha, beta):
        board, top = self.board, self.top
        if time.monotonic() - self.start > STOP_S:
            raise OutOfTime
        if depth == 0:
            return value(board, player), None
        columns = len(top)
        order = sorted((y for y in range(columns) if top[y] > 0), key=lambda y: abs(2 * y - (columns - 1)))
        for y in order:
            if makes_four(board, top[y] - 1, y, player):
                return WIN + depth, y
        best, best_column = 0, None
        for y in order:
            x = top[y] - 1
            board[x][y] = player
            top[y] = x - 1 if (x - 1, y) == self.forbidden else x
            reply_value, _ = self.search(ME + OPPONENT - player, depth - 1, -beta, -alpha)
            board[x][y], top[y] = FREE, x + 1
            if best_column is None or -reply_value > best:
                best, best_column = -reply_value, y
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best, best_column


# [en] What the position is worth to the player when no move is looked ahead any more: the nearer to the middle its
# [en] stones are the better. Threats, lines of two and three .. count nothing yet: that is for you to write.
# [zh] 不再往后看时，局面对该方值多少：棋子越靠近中间越好。威胁、连二、连三等等还没有算：由你来写。
def value(board, player):
    columns = len(board[0])
    return sum(
        (1 if stone == player else -1) * (columns - abs(2 * y - (columns - 1)))
        for row in board
        for y, stone in enumerate(row)
        if stone != FREE
    )


# [en] Whether a stone of the player in row x and column y makes four in a line.
# [zh] 该方在第 x 行第 y 列落子能不能连成四子。
def makes_four(board, x, y, player):
    for step_x, step_y in ((0, 1), (1, 0), (1, 1), (1, -1)):
        before = stones_from(board, x, y, -step_x, -step_y, player)
        behind = stones_from(board, x, y, step_x, step_y, player)
        if before + 1 + behind >= 4:
            return True
    return False


# [en] How many stones of the player follow one another from (x, y) in this direction, without (x, y) itself.
# [zh] 从 (x, y) 出发，沿这个方向连续有几枚该方的棋子，不算 (x, y) 本身。
def stones_from(board, x, y, step_x, step_y, player):
    count = 0
    while True:
        x, y = x + step_x, y + step_y
        is_inside = 0 <= x < len(board) and 0 <= y < len(board[0])
        if not is_inside or board[x][y] != player:
            return count
        count += 1


def main():
    # [en] Once, at the start: rows columns noX noY
    # [zh] 开局收到一次：rows columns noX noY
    opening = sys.stdin.readline().split()
    if not opening:
        return
    rows, columns, no_x, no_y = map(int, opening)

    # [en] Before each move of yours: lastX lastY, the numbers of top, the rows of the board
    # [zh] 每次轮到你：lastX lastY，然后是 top 的各个数和棋盘的各行
    for line in sys.stdin:
        numbers = [int(word) for word in line.split()]
        last, top, cells = tuple(numbers[:2]), numbers[2 : 2 + columns], numbers[2 + columns :]
        board = [cells[x * columns : (x + 1) * columns] for x in range(rows)]
        y = choose_column(rows, columns, top, board, last, (no_x, no_y))

        # [en] A reply is "row column" behind its length, a number of four bytes, the lowest last.
        # [zh] 应答是“行 列”，前面是它的长度：四个字节的整数，低位在后。
        reply = f"{top[y] - 1} {y}".encode()
        sys.stdout.buffer.write(len(reply).to_bytes(4, "big") + reply)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
