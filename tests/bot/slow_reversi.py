"""Reversi on 8x8 written slowly, with 8 bits a row: what the fast kernels are held to."""

SQUARES = range(64)
STEPS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]
START = 0x0000000810000000, 0x0000001008000000


def flips(own, opponent, square):
    """The set of discs that a move turns."""
    turned = 0
    for down, right in STEPS:
        row, column = square // 8 + down, square % 8 + right
        line = 0
        while 0 <= row < 8 and 0 <= column < 8 and opponent >> 8 * row + column & 1:
            line |= 1 << 8 * row + column
            row, column = row + down, column + right
        if 0 <= row < 8 and 0 <= column < 8 and own >> 8 * row + column & 1:
            turned |= line
    return turned


def legal_squares(own, opponent):
    return [square for square in SQUARES if not (own | opponent) >> square & 1 and flips(own, opponent, square)]


def play(own, opponent, square):
    """(own, opponent) after the move, seen by the other side."""
    turned = flips(own, opponent, square)
    return opponent ^ turned, own | turned | 1 << square


def count(squares):
    return bin(squares).count("1")


def final_score(own, opponent):
    difference, empty = count(own) - count(opponent), 64 - count(own | opponent)
    return difference + empty * ((difference > 0) - (difference < 0))


def best_score(own, opponent, depth=64, judge=None):
    """The score by trying everything; at the depth what judge(own, opponent) says. A pass takes no depth."""
    if depth == 0 and own and opponent:
        return judge(own, opponent)
    moves = legal_squares(own, opponent)
    if moves and depth:
        return max(-best_score(*play(own, opponent, square), depth - 1, judge) for square in moves)
    if not moves and legal_squares(opponent, own):
        return -best_score(opponent, own, depth, judge)
    return final_score(own, opponent)


def drawn_position(generator, empty_squares):
    """(own, opponent) of a random game with so many empty squares left; the mover has a move."""
    while True:
        own, opponent = START
        while 64 - count(own | opponent) > empty_squares:
            moves = legal_squares(own, opponent)
            if not moves:
                own, opponent = opponent, own
                moves = legal_squares(own, opponent)
            if not moves:
                break
            own, opponent = play(own, opponent, generator.choice(moves))
        if 64 - count(own | opponent) == empty_squares and legal_squares(own, opponent):
            return own, opponent
