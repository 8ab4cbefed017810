"""Bots as operating-system processes: started, fed, read, measured, ended with all that they started."""
