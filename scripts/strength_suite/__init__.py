"""The strength measurements: runs of the judge, the bot on exact positions, the solver, and their report.

Files, in the order in which they build on each other: `store` and `json_lines` keep results, `progress` shows
them coming, `players`, `judged_run`, `presets` and `samples` have the judge play, `exact_positions`,
`recorded_games`, `solving` and `measurement` are what `positions`, `candidates`, `make_positions`, `solver` and
`choices` measure with, `seed_figures` and `tables` and `report` write docs/results.md, `command_line` takes the words
apart.
"""
