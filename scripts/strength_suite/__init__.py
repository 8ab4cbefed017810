"""The strength measurements: runs of the judge, the bot on exact positions, the solver, and their report.

`runs/` has the judge play and keeps what comes of it, `positions/` makes, searches and solves positions of known value,
`report/` writes docs/results.md, `command_line` takes the words apart.
"""
