"""What every engine has to bear, whatever its game."""

import threading
import time


def asked_while_it_thinks(engine, position):
    """What another thread hears from an engine's best_so_far 0.3 s into a turn of a second."""
    thinking = threading.Thread(target=engine.think, args=(position, 1.0))
    thinking.start()
    time.sleep(0.3)
    move = engine.best_so_far()
    thinking.join()
    return move
