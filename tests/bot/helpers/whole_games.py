"""A game from its first turn to its last between a bot and a judge's game."""


def whole(data):
    return [data]


def pieces_of_one(data):
    return [data[place : place + 1] for place in range(len(data))]


def played(bot, game, cut=whole):
    """Play a game to its end."""
    while not game.rules.over:
        for piece in cut(game.turn()):
            bot.send(piece)
        game.take(bot.reply()[0])
