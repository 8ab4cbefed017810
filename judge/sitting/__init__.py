"""A human's game against a player, whoever shows it: turns, taking back, a hint, and the record at its end."""
