# [en] Your bot. choose_move() is asked for every move: change it as you like. main() speaks to the platform.
# [en] stdout is for the replies alone: print what you want to see to stderr, with print(..., file=sys.stderr).
# [zh] 你的 AI。每一步棋都由 choose_move() 决定：随你修改。main() 负责与平台对话。
# [zh] 标准输出只能用来应答：想看的内容请用 print(..., file=sys.stderr) 打印到标准错误。
import sys

# [en] What is in a cell of the board: a disc of player 0 (black, who begins), one of player 1, or nothing.
# [zh] 棋盘上一个格子的内容：0 号玩家（黑方，先手）的棋子、1 号玩家的棋子，或者空格。
BLACK, WHITE, EMPTY = "0", "1", "2"
STEPS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]


# [en] board[x][y] is the cell in row x and column y, counted from 0 at the top left: BLACK, WHITE or EMPTY.
# [en] The platform's board is 8 x 8; dropfour plays others too. me is BLACK or WHITE.
# [en] You are only asked when you have a move.
# [zh] board[x][y] 是第 x 行第 y 列的格子，从左上角的 0 数起：BLACK、WHITE 或 EMPTY。
# [zh] 平台的棋盘是 8 x 8；dropfour 也下别的大小。me 是 BLACK 或 WHITE。
# [zh] 只有在你有棋可下时才会问你。
def choose_move(board, me):
    best, best_value = None, 0
    for x in range(len(board)):
        for y in range(len(board)):
            turned = turned_by(board, me, x, y)
            if turned == 0:
                continue
            value = value_of(board, x, y) + turned
            if best is None or value > best_value:
                best, best_value = (x, y), value
    return best


# [en] Corners cannot be turned again; who plays beside an empty corner often gives it away.
# [zh] 角上的棋子再也翻不动；下在空角旁边往往会把角送给对方。
def value_of(board, x, y):
    last = len(board) - 1
    to_edge = sorted((min(x, last - x), min(y, last - y)))
    if to_edge == [0, 0]:
        return 100
    if to_edge[1] <= 1:
        return -50
    return 10 if to_edge[0] == 0 else 0


# [en] How many discs `me` turns over by playing in (x, y). A move that turns none is not allowed.
# [zh] me 下在 (x, y) 能翻转几枚棋子。一枚都翻不了的地方不能下。
def turned_by(board, me, x, y):
    if board[x][y] != EMPTY:
        return 0
    size, turned = len(board), 0
    for step_x, step_y in STEPS:
        count, next_x, next_y = 0, x + step_x, y + step_y
        while 0 <= next_x < size and 0 <= next_y < size and board[next_x][next_y] not in (me, EMPTY):
            count, next_x, next_y = count + 1, next_x + step_x, next_y + step_y
        if 0 <= next_x < size and 0 <= next_y < size and board[next_x][next_y] == me:
            turned += count
    return turned


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
