"""What Compete, the course's own runner, prints: its log, with the last board of every game.

    Round 0:                            since 2020: Round 0 seed: 1700000000 :
    M = 9, N = 10                       rows and columns
    A first:
    . . B . . . . . . .                 A and B the players' stones, X the forbidden cell
    ..
    A - won
    B first:
    ..

Its sources, for the mac, for Windows and for Linux (2016 and 2020), print no other board than the last: the order of
the moves is in no log, and what is read of one is an order that leads to that board. Where a log has a board after
every move, as a changed Compete may print it, the moves are those played. The result file, which
judge/reports/compete.py writes, has no board at all.
"""
