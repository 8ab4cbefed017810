"""Run bots as operating-system processes: start them, pass bytes, measure them, end them with all that they started."""
