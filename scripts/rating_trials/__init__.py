"""Tournaments by chance of players whose strengths are known: whether errors hold, and how many games they take."""
