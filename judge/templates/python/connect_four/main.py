# [en] Your bot. choose_column() is asked for every move: change it as you like. main() speaks to the platform.
# [en] stdout is for the replies alone: print what you want to see to stderr, with print(..., file=sys.stderr).
# [zh] 你的 AI。每一步棋都由 choose_column() 决定：随你修改。main() 负责与平台对话。
# [zh] 标准输出只能用来应答：想看的内容请用 print(..., file=sys.stderr) 打印到标准错误。
import sys

# [en] What is in a cell of the board. The forbidden cell, which nobody may take, is FREE too.
# [zh] 棋盘上一个格子的内容。谁都不能下的禁手格也是 FREE。
FREE, OPPONENT, ME = 0, 1, 2


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
    best_column, best_value = -1, 0
    for y in range(columns):
        if top[y] == 0:
            continue
        x = top[y] - 1

        # [en] The nearer to the middle the better.
        # [zh] 越靠近中间越好。
        value = -abs(2 * y - (columns - 1))

        # [en] Win if you can, else stop the opponent from winning.
        # [zh] 能赢就赢，否则阻止对方赢。
        if makes_four(board, x, y, ME):
            value += 10000
        if makes_four(board, x, y, OPPONENT):
            value += 1000

        # [en] Do not drop a stone on which the opponent's next one would win.
        # [zh] 不要给对方垫脚：在上面一格落子就能赢的位置不要下。
        above = x - 1
        if (above, y) == forbidden:
            above -= 1
        if above >= 0 and makes_four(board, above, y, OPPONENT):
            value -= 100

        if best_column < 0 or value > best_value:
            best_column, best_value = y, value
    return best_column


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
