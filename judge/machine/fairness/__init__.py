"""Whether games that run at once get equal parts of the machine: measured with work of the room's own.

As many slots as there are games at once, each a process, do the same piece of work time and again (slot.py) while this
process watches how late it is woken (lateness.py). What comes out is judged by stated bounds (figures.py).
"""
