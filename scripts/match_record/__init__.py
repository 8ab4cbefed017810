"""What a match detail of Saiblo says about one match of connect four.

Files, in the order in which they build on each other: `document` finds the JSON object in a download, `fields`
looks into it without trusting it, `match_detail` takes the match out of it, `stdin_record` reads what a bot was
sent, `moves` puts the game together from that, `facts` collects it all as one JSON object, `screen` shows that,
`game_record` writes the game for the judge, `command_line` takes the words apart.
"""
