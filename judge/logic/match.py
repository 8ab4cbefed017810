"""The referee of one match: it handles the judger's messages and returns the bytes to send. No I/O, no clock.

"Round" is the judger's word. Round 1 is the opening if the game has an opening that is sent separately; every other
round is a turn. The rules decide which side moves, as in every game of this judge.

The clock of a turn begins when its round is written. The time that the judger reports for a move decides. If the judger
reports no time, the moment of the move's arrival decides. A side that has sent nothing GRACE_S after the limit has run
out of time: a judger that has a clock would have reported this by then, and the judger for local use has no clock.

An error of an earlier round does not count, because it came after the move of that round. A lost connection is
remembered, however, and is the reason of the forfeit if the side sends nothing more.

At the end the replay is written in the platform's format, which the command `import` also reads.
"""

from dataclasses import dataclass
from datetime import datetime, timezone

from judge.formats.reading import NotWritable
from judge.formats.registry import REPLAYS
from judge.games import GAMES
from judge.games.game import AnyWire
from judge.games.positions import IllegalMove, Position
from judge.language import recorded, shown
from judge.logic.config import PLAYERS, Config
from protocol.errors import RemoteProtocolError
from protocol.framing import FramedDecoder, encode_frame
from protocol.judger import (
    FAILED_TO_START,
    OUTPUT_LIMIT,
    PLAIN,
    RUN_ERROR,
    TIME_OUT,
    PlayerFailure,
    PlayerReply,
    UnknownMessage,
    encode_forward,
    encode_limits,
    encode_round,
)
from protocol.records.record import GameRecord, Move, Player, Termination

WON, LOST = 1, 0  # scores; both players win a draw, as in the platform's own logic of reversi
GRACE_S = 0.5  # how long after the limit a move or a report of the judger is still awaited
WIRE = "saiblo"
SIDES = "AB"  # the sides of players 0 and 1 in records
# Reasons in replays.
DISCONNECTED = recorded("the connection of player {player} was lost")
TOO_LONG = recorded("player {player} sent more than {length} bytes")
WRONG_REPLY = recorded("player {player} sent a wrong reply: {error}")
# Notes on ignored messages.
OUT_OF_TURN = recorded("player {player} sent a message out of turn")
# {our rules' text on the winner: the platform's text in replays}.
IN_REPLAYS = {"has four in a line": "four in a row"}


@dataclass(frozen=True)
class Ending:
    """How a match ended. `winner` is None if there is a draw or both lost. `at_fault` are the players who forfeited.

    `reason` is in English. If the rules ended the match, `reason` is the text of the game's ending(): what the winner
    has, or why the game is a draw.
    """

    termination: Termination
    winner: int | None
    at_fault: tuple[int, ...]
    reason: str

    @property
    def in_words(self) -> str:
        """The reason as a whole sentence, which shown() translates."""
        if self.termination is not Termination.NORMAL or self.winner is None:
            return self.reason
        return recorded("player {player} {ending}").format(player=self.winner, ending=self.reason)

    @property
    def scores(self) -> list[int]:
        """The scores of players 0 and 1, each WON or LOST. In a draw both are WON."""
        if self.winner is None:
            return [LOST if player in self.at_fault else WON for player in (0, 1)]
        return [WON if player == self.winner else LOST for player in (0, 1)]

    @property
    def end_states(self) -> list[str]:
        """The end states of players 0 and 1, as the platform names them."""
        faulty, fine = self.termination.end_state, Termination.NORMAL.end_state
        return [faulty if player in self.at_fault else fine for player in (0, 1)]


def forfeited(player: int, termination: Termination, reason: str) -> Ending:
    """Return the Ending of a match that `player` has forfeited."""
    return Ending(termination, 1 - player, (player,), reason)


BOTH_LOSE = Ending(Termination.STARTUP_FAILURE, None, (0, 1), recorded("neither player has been started"))


class Match:
    """A match of two players, 0 and 1. The bytes that its methods return must be written to the judger at once.

    `ending` is None while the match goes on. Once it is set, only the end is to be sent. `deadline` is the moment at
    which to call check_deadline() unless a message comes first, None for no deadline. `notes` say which messages were
    ignored, and why. Moments, such as the arguments `now`, are seconds of one clock.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.game = GAMES[config.game]
        self.position: Position = self.game.new_position(config.board)
        self.moves: list[Move] = []
        self.ending: Ending | None = None
        self.notes: list[str] = []
        self.deadline: float | None = None
        self._wires: list[AnyWire] = [self.game.wire(WIRE, self.position) for _ in range(PLAYERS)]
        for wire in self._wires:
            if isinstance(wire.replies, FramedDecoder):
                wire.replies.max_length = config.length
        self._state = 0  # the number of the latest round; "state" is the judger's word for it
        self._began = 0.0  # when the clock of the side to move was started
        self._disconnected: set[int] = set()

    def begin(self, kinds: tuple[int, ...], now: float) -> bytes:
        """Start the match, and return the bytes of the limits, the opening and the first turn.

        `kinds` has the kind of each player (see protocol.judger.Start). If a player failed to start, this method sets
        `ending` and returns b"".
        """
        missing = [player for player, kind in enumerate(kinds) if kind == FAILED_TO_START]
        if len(missing) == PLAYERS:
            self.ending = BOTH_LOSE
        elif missing:
            reason = recorded("the judger could not start player {player}").format(player=missing[0])
            self.ending = forfeited(missing[0], Termination.STARTUP_FAILURE, reason)
        if self.ending is not None:
            return b""
        limits = encode_limits(self.config.time_s, self.config.length, self.config.framing)
        openings = [wire.opening(self.position, player) for player, wire in enumerate(self._wires)]
        if not any(openings):
            return limits + self._ask([], now)
        if self.config.is_joined:
            return limits + self._ask(openings, now)
        return limits + self._next_round([], list(enumerate(openings))) + self._ask([], now)

    def handle(self, message: PlayerReply | PlayerFailure | UnknownMessage, now: float) -> bytes:
        """Handle a message of the judger, and return the bytes to send. Precondition: the match goes on."""
        if isinstance(message, PlayerReply):
            return self._handle_reply(message, now)
        if isinstance(message, PlayerFailure):
            self._handle_failure(message)
        else:
            self.notes.append(
                recorded("the judger sent a message of an unknown kind, with the keys {keys}").format(
                    keys=", ".join(message.keys)
                )
            )
        return b""

    def check_deadline(self, now: float) -> None:
        """Set `ending` if the side to move has run out of time. Precondition: the match goes on."""
        if self.deadline is None or now < self.deadline:
            return
        player = self.position.to_move
        if player in self._disconnected:
            self._forfeit(player, Termination.CRASH, DISCONNECTED)
        else:
            self._forfeit(
                player,
                Termination.STALL,
                recorded("player {player} said nothing for {elapsed} s, over the limit of {limit} s"),
                elapsed=f"{now - self._began:.3f}",
            )

    def _next_round(self, listen: list[int], contents: list[tuple[int, bytes]]) -> bytes:
        """Begin a round, and return the bytes that send `contents` to players and listen to the players `listen`."""
        self._state += 1
        return encode_round(self._state, listen, contents, self.config.framing)

    def _ask(self, openings: list[bytes], now: float) -> bytes:
        """Start the clock of the side to move, and return the bytes of the round that asks this side for its turn.

        `openings` are the players' opening messages if this round sends them before the turn, else [].
        """
        mover = self.position.to_move
        contents = dict(enumerate(openings))
        contents[mover] = contents.get(mover, b"") + self._wires[mover].turn(self.position)
        self._began = now
        self.deadline = now + self.config.time_s + GRACE_S
        return self._next_round([mover], list(contents.items()))

    def _handle_reply(self, message: PlayerReply, now: float) -> bytes:
        """Play the move of a reply, or set `ending` to a forfeit. Returns the bytes to send."""
        player = self.position.to_move
        if message.player != player:
            self.notes.append(OUT_OF_TURN.format(player=message.player))
            return b""
        elapsed_s = now - self._began if message.time_ms is None else message.time_ms * 1e-3
        body = message.content.encode("utf-8", "replace")
        if elapsed_s > self.config.time_s:
            self._forfeit(
                player,
                Termination.TIME_FORFEIT,
                recorded("player {player} took {elapsed} s, over the limit of {limit} s"),
                elapsed=f"{elapsed_s:.3f}",
            )
        elif len(body) > self.config.length:
            self._forfeit(player, Termination.OUTPUT_LIMIT, TOO_LONG)
        elif not body:
            self._forfeit(player, Termination.BAD_FRAME, recorded("player {player} sent an empty message"))
        else:
            return self._play_reply(player, body, elapsed_s, now)
        return b""

    def _play_reply(self, player: int, body: bytes, elapsed_s: float, now: float) -> bytes:
        """Play the move in the body of a reply that came in time, or set `ending`. Returns the bytes to send."""
        wire = self._wires[player]
        try:
            wire.replies.feed(encode_frame(body))
            reply = wire.replies.next_reply()
            answer = wire.answer(self.position, reply)
            if answer is not None:
                return self._answer_question(player, answer)
            for move in wire.play(self.position, reply):
                self.moves.append(Move(SIDES[player], move, elapsed_s))
        except RemoteProtocolError as error:
            self._forfeit(player, Termination.BAD_FRAME, WRONG_REPLY, error=str(error))
        except IllegalMove as error:
            self._forfeit(player, Termination.ILLEGAL_MOVE, WRONG_REPLY, error=str(error))
        else:
            if not self.position.over:
                return self._ask([], now)
            reason = self.game.ending(self.position)
            self.ending = Ending(Termination.NORMAL, self.position.winner, (), reason)
        return b""

    def _answer_question(self, player: int, answer: bytes) -> bytes:
        """Return the bytes that send the answer to a question on the rules. The clock runs on.

        In plain framing the answer is another message of the same round.
        """
        if self.config.framing == PLAIN:
            return encode_round(self._state, [player], [(player, answer)], PLAIN)
        return encode_forward(player, answer)

    def _handle_failure(self, message: PlayerFailure) -> None:
        """Set `ending` if a player has failed in this round. Else add a note, and remember a lost connection."""
        player = self.position.to_move if message.player is None else message.player
        if message.state is not None and message.state < self._state:
            self.notes.append(
                recorded("the judger reported an error in round {state}, which is over").format(state=message.state)
            )
            if message.error == RUN_ERROR:
                self._disconnected.add(player)
        elif not 0 <= player < PLAYERS:
            self.notes.append(OUT_OF_TURN.format(player=player))
        elif message.error == TIME_OUT:
            self._forfeit(
                player,
                Termination.TIME_FORFEIT,
                recorded("player {player} took too long: the judger stopped it at {limit} s"),
            )
        elif message.error == OUTPUT_LIMIT:
            self._forfeit(player, Termination.OUTPUT_LIMIT, TOO_LONG)
        else:
            self._forfeit(player, Termination.CRASH, DISCONNECTED)

    def _forfeit(self, player: int, termination: Termination, reason: str, **fields: str) -> None:
        """Set `ending` to a forfeit of the player.

        The fields of the template `reason` are filled with `fields`, the player's number and the limits of the match.
        """
        common = {"player": player, "limit": f"{self.config.time_s:g}", "length": self.config.length}
        self.ending = forfeited(player, termination, reason.format(**common, **fields))


def write_replay(path: str, match: Match, ending: Ending) -> str | None:
    """Write the replay of a finished match to the file `path`. Returns the error message if that fails, else None."""
    try:
        content = REPLAYS[match.config.game](_record_of(match, ending))
        with open(path, "w", encoding="ascii") as file:
            file.write(content)
    except NotWritable as error:
        return shown(str(error))
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        return getattr(error, "strerror", None) or str(error)
    return None


def _record_of(match: Match, ending: Ending) -> GameRecord:
    """Return a record of the match with all fields that a replay needs."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    first, second = (Player(side, "") for side in SIDES)
    return GameRecord(
        game=match.config.game,
        board=match.config.board.as_json(),
        players=(first, second),
        first=SIDES[0],
        moves=tuple(match.moves),
        winner=None if ending.winner is None else SIDES[ending.winner],
        termination=ending.termination,
        at_fault=SIDES[ending.at_fault[0]] if ending.at_fault else None,
        started=now,
        finished=now,
        judge_version="",
        extra={"reason": IN_REPLAYS.get(ending.reason, ending.reason)},
    )
