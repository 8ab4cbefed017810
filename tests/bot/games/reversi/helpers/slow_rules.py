"""Reversi on 8x8 written slowly, with 8 bits a row: what the fast kernels are held to."""

SQUARES = range(64)
STEPS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]
START = 0x0000000810000000, 0x0000001008000000


def ray(square, down, right):
    """Squares from `square` to the border, without itself."""
    row, column = divmod(square, 8)
    steps = range(1, 8)
    return [
        8 * (row + step * down) + column + step * right
        for step in steps
        if 0 <= row + step * down < 8 and 0 <= column + step * right < 8
    ]


RAYS = [[ray(square, *step) for step in STEPS if len(ray(square, *step)) > 1] for square in SQUARES]


def flips(own, opponent, square):
    """The set of discs that a move turns."""
    turned = 0
    for squares in RAYS[square]:
        line = 0
        for passed in squares:
            if not opponent >> passed & 1:
                if own >> passed & 1:
                    turned |= line
                break
            line |= 1 << passed
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
