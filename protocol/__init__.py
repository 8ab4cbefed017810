"""What travels between a bot and its judge, and what is kept of a game.

Imports the standard library only. Everything but `interfaces`, `judger`, `records` and `strategy_library` goes
into the ladder bundle and keeps to Python 3.8 syntax.
"""
