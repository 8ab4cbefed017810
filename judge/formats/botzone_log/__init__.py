"""What a bot on Botzone was sent, in either form: requests and responses, a history for each turn.

    {"requests": [{"x": -1, "y": -1}, {"x": 2, "y": 2}], "responses": [{"x": 2, "y": 3}]}       reversi
    {"requests": [{"x": 2, "y": 3, "pass": 0}], "responses": []}                                Pencil: dots and boxes
    2, then lines of 2 integers (reversi) or 3 and 2 (Pencil)                                   the simple form

A later history of the same game has the earlier ones in it. Bare requests, as a bot that stays gets them, are read
where its answers, {"response": ..}, stand between them. Botzone has no connect four that we know of.
"""
