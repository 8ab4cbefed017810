"""Games told to a writer of running games without a process or a clock, and what a follower makes of them."""

from judge.games import GAMES
from judge.live import live_path
from judge.play.scoresheet import GamePlan, in_order
from judge.players.players import Contestant
from protocol.records.record import Move
from tests.judge.helpers.scripted import BOARDS

CONTESTANTS = (Contestant("one", "./one", "1.0"), Contestant("two", "./two --seed {seed}"))


class Told:
    """A game that is told of move by move, always the first legal one."""

    def __init__(self, writer, game_id, game="connect_four", index=0, first="A", contestants=CONTESTANTS):
        self.id, self.first = game_id, first
        self.plan = GamePlan(board=BOARDS[game], seed=7, first=first, pair=1, index=index, game=game)
        self.position = GAMES[game].new_position(self.plan.board)
        self.moves = []
        self.observer = writer.observer(contestants)
        self.observer.begun(game_id)
        self.observer.started(self.plan, self.position)

    def move(self, plies=1, report=None):
        for _ in range(plies):
            side = in_order(self.first)[self.position.to_move]
            move = Move(side, self.position.legal_moves()[0], 0.25, 0.125, report)
            self.position.play(move.move)
            self.moves.append(move)
            self.observer.moved(side, self.position, move)
        return self


def content(record):
    """The bytes of the file of running games."""
    return live_path(record).read_bytes()


def seen(follower):
    """{id: moves} of the games that a follower sees running."""
    return {game.id: [move.move for move in game.record.moves] for game in follower.poll().live.values()}
