"""The game logic of Saiblo's own protocol: a whole match, refereed for a judger that starts this program."""
