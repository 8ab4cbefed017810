"""Statistics: scores, Elo, ratings and sequential tests from the results of games."""
