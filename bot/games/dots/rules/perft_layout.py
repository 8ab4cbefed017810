"""The stack of perft.py: for each ply a position and what may be played there. Standard library only.

byte 0      positions: 24 uint16s (Position.to_bytes) for each ply, the first one written by the caller
byte 624    codes: 120 int16s for each ply, the last of them how many are left to try
"""

DEEPEST = 12
HALVES = 24
MOST_CODES = 120
CODES_OFFSET = 2 * HALVES * (DEEPEST + 1)
STACK_BYTES = CODES_OFFSET + 2 * MOST_CODES * DEEPEST
