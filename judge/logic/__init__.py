"""The game logic for Saiblo's judger: a program that the judger starts and that referees a whole match."""
