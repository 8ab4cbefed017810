# [en] Your bot. choose_move() is asked for every move. Begin with value(): a better one wins. main() speaks the wire.
# [en] stdout is for the replies alone: print what you want to see to stderr, with print(..., file=sys.stderr).
# [zh] 你的 AI。每一步棋都由 choose_move() 决定。先改 value()：估值更好就能赢它。main() 负责与平台对话。
# [zh] 标准输出只能用来应答：想看的内容请用 print(..., file=sys.stderr) 打印到标准错误。
import sys
import time

# [en] What is in a cell of the board: a disc of player 0 (black, who begins), one of player 1, or nothing.
# [zh] 棋盘上一个格子的内容：0 号玩家（黑方，先手）的棋子、1 号玩家的棋子，或者空格。
BLACK, WHITE, EMPTY = "0", "1", "2"
STEPS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]

# [en] The platform's limit is 3 s a move, and its machine is not yours: the search ends here, the rest is the margin.
# [zh] 平台限每步 3 秒，而且它的机器不是你的机器：搜索到这里就停，剩下的是余量。
STOP_S = 2.4
# [en] Moves that are looked ahead at most. A deeper search plays better and takes longer; the clock ends it in time.
# [zh] 最多往后看几步。看得越深下得越好，也越慢；时钟会让它及时停下。
MOST_DEPTH = 2
WIN = 1000000


class OutOfTime(Exception):
    pass


# [en] board[x][y] is the cell in row x and column y, counted from 0 at the top left: BLACK, WHITE or EMPTY.
# [en] The platform's board is 8 x 8; dropfour plays others too. me is BLACK or WHITE.
# [en] You are only asked when you have a move.
# [zh] board[x][y] 是第 x 行第 y 列的格子，从左上角的 0 数起：BLACK、WHITE 或 EMPTY。
# [zh] 平台的棋盘是 8 x 8；dropfour 也下别的大小。me 是 BLACK 或 WHITE。
# [zh] 只有在你有棋可下时才会问你。
def choose_move(board, me):
    start = time.monotonic()
    best = None
    # [en] Look one move ahead, then two ..: when time is up, the move of the last whole search is played.
    # [zh] 先往后看一步，再看两步……时间一到，就下最后一次完整搜索得到的着法。
    try:
        for depth in range(1, MOST_DEPTH + 1):
            _, best = search(board, me, depth, -2 * WIN, 2 * WIN, start)
    except OutOfTime:
        pass
    return best


# [en] (value of the position for `me`, who moves, when `depth` moves are looked ahead; the best move, None if there is
# [en] none): negamax with alpha-beta. Raises OutOfTime.
# [zh] （轮到 me 时，往后看 depth 步得到的局面估值，最好的一步，没有可下的就是 None）：负极大值搜索加 alpha-beta 剪枝。
# [zh] 抛出 OutOfTime。
def search(board, me, depth, alpha, beta, start):
    if time.monotonic() - start > STOP_S:
        raise OutOfTime
    if depth == 0:
        return value(board, me), None
    other = WHITE if me == BLACK else BLACK
    best_value, best = 0, None
    for x, y in moves_of(board, me):
        found = -search(after(board, me, x, y), other, depth - 1, -beta, -alpha, start)[0]
        if best is None or found > best_value:
            best_value, best = found, (x, y)
        alpha = max(alpha, best_value)
        if alpha >= beta:
            break
    if best is not None:
        return best_value, best
    # [en] `me` has no move: the opponent moves again, or the game is over, and the discs are counted.
    # [zh] me 没有可下的：对方接着下；或者棋局结束，数棋子。
    if moves_of(board, other):
        return -search(board, other, depth, -beta, -alpha, start)[0], None
    discs = sum(row.count(me) - row.count(other) for row in board)
    return WIN * ((discs > 0) - (discs < 0)) + discs, None


# [en] What the position is worth to `me` when no move is looked ahead any more. How many moves each side has, which
# [en] discs can never be turned .. count nothing yet: that is for you to write.
# [zh] 不再往后看时，局面对 me 值多少。双方各有几步可走、哪些棋子再也翻不动等等还没有算：由你来写。
def value(board, me):
    return sum(
        (1 if disc == me else -1) * (1 + value_of(board, x, y))
        for x, row in enumerate(board)
        for y, disc in enumerate(row)
        if disc != EMPTY
    )


# [en] What a disc in (x, y) is worth. Corners cannot be turned again; who plays beside an empty corner often gives it
# [en] away.
# [zh] (x, y) 上的一枚棋子值多少。角上的棋子再也翻不动；下在空角旁边往往会把角送给对方。
def value_of(board, x, y):
    last = len(board) - 1
    to_edge = sorted((min(x, last - x), min(y, last - y)))
    if to_edge == [0, 0]:
        return 100
    if to_edge[1] <= 1:
        return -50
    return 10 if to_edge[0] == 0 else 0


# [en] The cells in which `me` may play: those that turn discs over.
# [zh] me 可以下的格子：能翻转棋子的那些。
def moves_of(board, me):
    cells = range(len(board))
    return [(x, y) for x in cells for y in cells if board[x][y] == EMPTY and turned_by(board, me, x, y)]


# [en] The discs that `me` turns over by playing in (x, y), as (row, column).
# [zh] me 下在 (x, y) 翻转的棋子，写成 (行, 列)。
def turned_by(board, me, x, y):
    size, turned = len(board), []
    for step_x, step_y in STEPS:
        line, next_x, next_y = [], x + step_x, y + step_y
        while 0 <= next_x < size and 0 <= next_y < size and board[next_x][next_y] not in (me, EMPTY):
            line.append((next_x, next_y))
            next_x, next_y = next_x + step_x, next_y + step_y
        if 0 <= next_x < size and 0 <= next_y < size and board[next_x][next_y] == me:
            turned += line
    return turned


# [en] The board after the move of `me` in (x, y).
# [zh] me 下在 (x, y) 之后的棋盘。
def after(board, me, x, y):
    rows = [list(row) for row in board]
    for row, column in [(x, y), *turned_by(board, me, x, y)]:
        rows[row][column] = me
    return rows


def main():
    # [en] Before each move of yours: "#", your digit, a digit for each cell, "#", with nothing between them
    # [zh] 每次轮到你：“#”、你的数字、每个格子一个数字、“#”，中间没有别的字符
    while True:
        mark = sys.stdin.buffer.read(1)
        if not mark:
            return
        if mark != b"#":
            continue
        digits = b""
        while not digits.endswith(b"#"):
            digit = sys.stdin.buffer.read(1)
            if not digit:
                return
            digits += digit
        me, cells = chr(digits[0]), digits[1:-1].decode()
        size = round(len(cells) ** 0.5)
        board = [cells[x * size : (x + 1) * size] for x in range(size)]

        # [en] A reply is two digits, row and column, behind their number, four bytes with the lowest last.
        # [zh] 应答是行和列两个数字，前面是它的长度：四个字节的整数，低位在后。
        x, y = choose_move(board, me)
        sys.stdout.buffer.write((2).to_bytes(4, "big") + f"{x}{y}".encode())
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
