"""What every engine has to bear, whatever its game, on a machine that is as busy as it likes."""

import threading
import time
import types


def overrun_s(call, spent_s):
    """(what the call returns, how much more processor time than spent_s it has taken).

    Processor time, since what a busy machine gives to others meanwhile is nobody's fault.
    """
    started = time.process_time()
    result = call()
    return result, time.process_time() - started - spent_s


def on_processor_time(monkeypatch, *modules):
    """Let the budgets that these modules keep be of processor time: as much is searched on a busy machine."""
    for module in modules:
        monkeypatch.setattr(
            module, "time", types.SimpleNamespace(monotonic=time.process_time, perf_counter=time.process_time)
        )


def asked_while_it_thinks(engine, position):
    """What another thread hears from an engine's best_so_far while a turn is thought over.

    A short turn will do, unless the machine gives the two threads their time in such an order that nothing is heard.
    """
    for budget_s in (0.3, 1.0, 3.0, 10.0):
        thinking = threading.Thread(target=engine.think, args=(position, budget_s))
        thinking.start()
        move = None
        while move is None and thinking.is_alive():
            time.sleep(0.002)
            move = engine.best_so_far()
        thinking.join()
        if move is not None:
            return move
    return None
