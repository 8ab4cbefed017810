"""Botzone (botzone.org.cn): what its judges and its bots say to each other, in two forms, whatever the game.

A bot's process begins with the whole game so far and ends with one answer, unless it asks to stay.

    botzone          one JSON object a line: {"requests":[..],"responses":[..]} with n and n - 1 moves,
                     perhaps with "data", "globaldata", "time_limit", "memory_limit"; the answer is
                     {"response":..}, perhaps with "debug", "data", "globaldata"
    botzone-simple   lines: n; request 1, response 1, .., request n; perhaps a line of data, then globaldata
                     to the end; the answer is a line of response, perhaps lines of debug, data, globaldata

A request is the opponent's last move and a response the bot's own, in the shape that the game gives them.

Keep running: a bot whose answer ends with the line KEEP_RUNNING_LINE is put to sleep until its next turn, in
which it hears the newest request alone, without history and data, and has to ask again if it wants to stay.
That request comes bare: in JSON as the object that used to be in the list, in the simple form as its line
without n. The platform's wiki says so (page Bot, on running for long), ailab-pku/botzone-local does so
(online/bot.py at 7c80428), the platform's sample bot for Tank and published bots read it so
(fffasttime/Reversi-bwcore, src/online.cpp). Nothing was found that sends {"requests":[one],..} then; some
bots are ready for it, and so is this package.

The input may end without a line end: ouuan/botzone-local-runner writes none and closes.
"""
