"""A bot for the older wires: `python other_wire.py saiblo-v1|saiblo-v2` plays the leftmost legal column.

Needs the protocol package on PYTHONPATH.
"""

import os
import sys

from protocol.games.connect_four import GAME_OVER, MessageDecoder, Opening, Reply, encode_reply, greeting


def main():
    wire = sys.argv[1]
    decoder = MessageDecoder(wire)
    os.write(1, greeting(wire))
    while True:
        message = decoder.next_message()
        if message is None:
            data = os.read(0, 65536)
            if not data:
                sys.exit(0)
            decoder.feed(data)
        elif message is GAME_OVER:
            sys.exit(0)
        elif not isinstance(message, Opening):
            column = next(column for column, top in enumerate(message.tops) if top > 0)
            os.write(1, encode_reply(Reply(message.tops[column] - 1, column), wire))


if __name__ == "__main__":
    main()
