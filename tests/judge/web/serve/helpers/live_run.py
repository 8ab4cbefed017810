"""A run as another process writes it: a record file that grows, and the running games beside it."""

from judge.games import GAMES
from judge.live import GameObserver, LiveWriter
from judge.play.scoresheet import GamePlan
from judge.players.players import Contestant
from protocol.records.record import append_record

PLAYERS = (Contestant("one", "one"), Contestant("two", "two"))


class LiveRun:
    """Writes games of records move by move; use as a context manager, inside of which the run goes on."""

    def __init__(self, path):
        self.path = path
        self.writer = LiveWriter(path)
        self._observers = {}

    def __enter__(self):
        self.writer.__enter__()
        return self

    def __exit__(self, *error):
        self.writer.__exit__(*error)

    def begin(self, game_id, record, index=0):
        """The game of a record begins."""
        board = GAMES[record.game].read_board(record.board)
        plan = GamePlan(board=board, seed=1, first=record.first, game=record.game, index=index)
        observer = GameObserver(self.writer, PLAYERS)
        observer.begun(game_id)
        observer.started(plan, None)
        self._observers[game_id] = observer

    def move(self, game_id, move):
        """A move is made."""
        self._observers[game_id].moved(move.side, None, move)

    def record(self, game_id, record):
        """The game has ended: its record is appended."""
        append_record(self.path, record)
        self.writer.ended(game_id)

    def discard(self, game_id):
        """The game is cut off."""
        self._observers[game_id].discarded()
