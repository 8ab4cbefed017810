"""Games of a human against a player, each at a table: a thread that asks the player, and the pages that show it."""
