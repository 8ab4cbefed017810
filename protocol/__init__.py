"""The messages between a bot and its judge, and the records of games.

The package imports the standard library only. All of it except `interfaces`, `judger`, `records` and `strategy_library`
goes into the ladder bundle, and keeps to Python 3.8 syntax.
"""
