"""Botzone (botzone.org.cn): the messages between its judges and its bots, in two forms, for every game.

A bot's process reads the whole game so far, writes one answer and ends, unless it asks to keep running.

    botzone          one JSON object a line: {"requests":[..],"responses":[..]} with n and n - 1 moves,
                     perhaps with "data", "globaldata", "time_limit", "memory_limit"; the answer is
                     {"response":..}, perhaps with "debug", "data", "globaldata"
    botzone-simple   lines: n; request 1, response 1, .., request n; perhaps a line of data, then globaldata
                     to the end; the answer is a line of response, perhaps lines of debug, data, globaldata

A request is the opponent's last move and a response the bot's own, in the game's format.

Keep running: a bot whose answer ends with the line KEEP_RUNNING_LINE is suspended until its next turn. It then
gets the newest request alone, without history and data, and has to ask again to keep running. That request
comes bare: in JSON as the object that used to be in the list, in the simple form as its line without n.
Evidence: the platform's wiki (page Bot, on running for long), ailab-pku/botzone-local (online/bot.py at
7c80428), and the platform's sample bot for Tank and published bots, which read it so
(fffasttime/Reversi-bwcore, src/online.cpp). We found no judge that sends {"requests":[one],..} instead; some
bots accept it, and so does this package.

The input may end without a line end: ouuan/botzone-local-runner writes none and closes.
"""
