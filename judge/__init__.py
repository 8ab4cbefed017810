"""The local judge: referees two bot processes, measures which is stronger, replays what happened.

Imports protocol, rich, psutil and scipy; never the bot and never numba, so that a fault in the
bot's rules cannot hide in the judge's. Rows count from 0 at the top, columns from 0 at the left.
"""
