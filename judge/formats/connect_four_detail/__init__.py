"""What a match detail of Saiblo says about one match of connect four.

Files, in the order in which they build on each other: `fields` looks into a JSON object without trusting it,
`match_detail` takes the match out of it, `stdin_record` reads what a bot was sent, `moves` puts the game together from
that, `detail` does all this for one file, `facts` collects it as one JSON object, `screen` shows that, `view` is both
for the command; `game` makes a match a game that can be judged again.
"""
