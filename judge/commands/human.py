"""`python -m judge human PLAYER`: a game at the console against a player."""

import argparse
import contextlib
import dataclasses
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from judge import terminal
from judge.checks.trial import Conditions, Trial
from judge.command_line import arguments, game_options
from judge.command_line.exits import INTERRUPTED_STATUS, VOID_STATUS, numbers_in_file, replay_command
from judge.command_line.parser import Parser
from judge.command_parts import recorded_game
from judge.command_parts.sandbox import settle
from judge.games import GAMES
from judge.games.positions import AnyMove, IllegalMove, Position
from judge.language import _, marked, shown
from judge.play.scoresheet import WON, GamePlan, Seated, Verdict, in_order, opponent, utc_now, write_up
from judge.play.screen import evaluation, result_in_words
from judge.play.seat import Forfeit
from judge.play.start_trial import require_programs
from judge.players.players import OWN_BOT, Contestant, PlayerError, contestants, names_known
from judge.processes.spawn import JudgeFailure
from judge.reports import forfeits, prints
from protocol.records.record import Move, Termination

PROMPT = ">>> "
HUMAN, PLAYER = "A", "B"
HELP = marked(
    "Type a move, or `undo` to take back your last move and the answer to it, `hint` for what the player would do "
    "in your place, `help`, or `quit` (the game is not recorded then)."
)
DEFAULT_RECORD = Path("records") / "human.jsonl"


class Quit(Exception):
    """The human has had enough."""


@dataclasses.dataclass(frozen=True)
class _Human:
    """The human's place at the board."""

    side: str = HUMAN
    contestant: Contestant = Contestant("human", "human")
    process: None = None
    last_heard: bytes = b""
    waits_s: list[float] = dataclasses.field(default_factory=list)
    overtime_s: dict[int, float] = dataclasses.field(default_factory=dict)


class Sitting:
    """One game: `trial` is the player's process with the position, `moves` what was played (record.Move)."""

    def __init__(self, contestant: Contestant, conditions: Conditions, plan: GamePlan, console: Console) -> None:
        self.game = GAMES[plan.game]
        self.contestant, self.conditions, self.plan, self.console = contestant, conditions, plan, console
        self.trial = Trial(contestant, conditions, plan.board)
        self.trial.seat.side = PLAYER
        self.adviser: Trial | None = None
        self.moves: list[Move] = []

    def __enter__(self) -> "Sitting":
        self._stack = contextlib.ExitStack()
        self._stack.enter_context(self.trial)
        self.trial.send(self.trial.opening(self._player_of(PLAYER)))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def position(self) -> Position:
        return self.trial.position

    def play(self) -> Verdict:
        """Play to the end and return the Verdict. Raises Quit."""
        self.show()
        try:
            while not self.position.over:
                if self._side() == HUMAN:
                    self._ask_human()
                else:
                    self._ask_player()
        except Forfeit as forfeit:
            return Verdict(forfeit.termination, opponent(forfeit.side), forfeit.side, str(forfeit))
        ending = self.game.ending(self.position)
        if self.position.winner is None:
            return Verdict(Termination.NORMAL, None, None, ending)
        winner = in_order(self.plan.first)[self.position.winner]
        return Verdict(Termination.NORMAL, winner, None, WON.format(side=winner, ending=ending))

    def show(self) -> None:
        """Draw the board, and what the game's own measure says of it for the player."""
        self.console.print(self.game.picture(self.position))
        worth = self.game.worth(self.position, self._player_of(PLAYER))
        if worth is not None:
            words = _("value {worth:+} for {name}").format(worth=worth, name=self.contestant.name)
            self.console.print(words)

    def _side(self) -> str:
        return in_order(self.plan.first)[self.position.to_move]

    def _player_of(self, side: str) -> int:
        """The number, 0 or 1, of the side."""
        return in_order(self.plan.first).index(side)

    def _ask_human(self) -> None:
        started = time.monotonic()
        word = self._read()
        command = {"undo": self._undo, "hint": self._hint, "help": self._help, "?": self._help}.get(word)
        if command is not None:
            command()
            return
        try:
            move = self.game.read_move(word)
            self.position.play(move)
        except (IllegalMove, ValueError) as error:
            words = _("{error}; `help` tells more").format(error=shown(str(error)))
            self.console.print(words, soft_wrap=True)
            return
        self._keep([Move(HUMAN, move, round(time.monotonic() - started, 3))])

    def _read(self) -> str:
        """The next line that is not blank. Raises Quit."""
        while True:
            try:
                word = input(PROMPT).strip().lower()
            except EOFError:
                raise Quit from None
            if word in ("quit", "exit"):
                raise Quit
            if word:
                return word

    def _ask_player(self) -> None:
        words = _("{name} is thinking, at most {limit:g} s")
        self.console.print(words.format(name=self.contestant.name, limit=self.plan.limit_s))
        self.trial.process.stderr_log.begin_turn()
        played, *others = self.trial.ask()
        report = self.trial.process.stderr_log.report()
        costs = self.trial.costs
        first = Move(PLAYER, played, round(costs.walls_s[-1], 6), round(costs.cpus_s[-1], 3), report)
        self._keep([first, *[Move(PLAYER, move, 0.0, 0.0) for move in others]])

    def _keep(self, moves: Sequence[Move]) -> None:
        """Keep what a side has just played, several moves where one reply held them, and show it."""
        self.moves += moves
        words = _("you play {move}") if moves[0].side == HUMAN else _("{name} plays {move}")
        move = self._in_words([move.move for move in moves], self.position)
        line = words.format(name=self.contestant.name, move=move)
        self.console.print(f"{line}  {evaluation(moves[0].report)}".rstrip(), soft_wrap=True)
        self.show()

    def _undo(self) -> None:
        if not any(move.side == HUMAN for move in self.moves):
            self.console.print(_("there is no move of yours to take back"))
            return
        while self.moves.pop().side != HUMAN:
            pass
        self.trial.position = self._position_again()
        self.show()

    def _position_again(self) -> Position:
        position: Position = self.game.new_position(self.plan.board)
        for move in self.moves:
            position.play(move.move)
        return position

    def _hint(self) -> None:
        """Ask another process of the player, on the position as it is, for the human's side."""
        if self.adviser is None:
            self.adviser = self._stack.enter_context(Trial(self.contestant, self.conditions, self.plan.board))
            self.adviser.seat.side = PLAYER
            self.adviser.send(self.adviser.opening(self._player_of(HUMAN)))
        self.adviser.position = self._position_again()
        move = self._in_words(self.adviser.ask(), self.adviser.position)
        self.console.print(_("{name} would play {move}").format(name=self.contestant.name, move=move))

    def _in_words(self, moves: Sequence[AnyMove], position: Position) -> str:
        """The moves of one reply, which led to the position."""
        return ", ".join([*map(str, moves[:-1]), self.game.move_in_words(position)])

    def _help(self) -> None:
        self.console.print(_(HELP), soft_wrap=True)


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = _parser()
    options = parser.parse_args(words)
    # Whoever started this, Ctrl-C at the prompt ends it: shells let jobs in the background ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    wishes = game_options.board_wishes(parser, options, for_one_game=True)
    recorded_game.require_room(parser, options.record)
    sandbox = settle(parser, options)
    seed = arguments.seed_or_random(options)
    try:
        board = GAMES[options.game].draw_board(seed, 0, **wishes)
        (contestant,) = contestants([options.PLAYER], options.players, options.game)
        require_programs([contestant], options.limit, names_known(options.players))
    except (ValueError, PlayerError) as error:
        parser.error(str(error))
    first = HUMAN if options.first == "human" else PLAYER
    plan = GamePlan(
        board=board,
        limit_s=options.limit,
        seed=seed,
        first=first,
        free_start=True,
        memory_limit_bytes=options.memory_limit,
        sandbox=sandbox,
        game=options.game,
    )
    conditions = Conditions(options.limit, options.memory_limit, seed, threading.Event(), options.game, sandbox=sandbox)
    console = terminal.console()
    stones = dict(zip(in_order(first), GAMES[options.game].stones, strict=True))
    console.print(_("{board}, seed {seed}").format(board=board.in_words(), seed=seed))
    sides = _("you are {own}, {name} is {other}; {help}")
    console.print(
        sides.format(own=stones[HUMAN], name=contestant.name, other=stones[PLAYER], help=_(HELP)), soft_wrap=True
    )
    started = utc_now()
    try:
        with Sitting(contestant, conditions, plan, console) as sitting:
            verdict = sitting.play()
    except Quit:
        print(_("the game is not recorded"), flush=True)
        return INTERRUPTED_STATUS
    except Forfeit as forfeit:
        parser.error(shown(str(forfeit)))
    except JudgeFailure as failure:
        words_on_failure = _("error: the game cannot go on: {reason}").format(reason=shown(str(failure)))
        print(words_on_failure, file=sys.stderr, flush=True)
        return VOID_STATUS
    _record(parser, sitting, verdict, started, options.record, console)
    return 0


def _record(
    parser: argparse.ArgumentParser, sitting: Sitting, verdict: Verdict, started: str, path: Path, console: Console
) -> None:
    """Append the game to the record file and say how it ended and where it is."""
    seats: list[Seated] = [_Human(), sitting.trial.seat]
    exits = {PLAYER: sitting.trial.process.exit_status}
    record = write_up(sitting.trial.marker, sitting.plan, seats, sitting.moves, verdict, started, exits)
    # The limit was the player's alone.
    extra = {**record.extra, "limit_s": None, "player_limit_s": sitting.plan.limit_s}
    record = dataclasses.replace(record, extra=extra)
    recorded_game.append(parser, path, record)
    console.print(result_in_words(record), soft_wrap=True)
    for note in [*forfeits.notes(record), *prints.notes([record])]:
        console.print(note, soft_wrap=True)
    replay = replay_command(path, numbers_in_file(path).get(record.extra["id"]))
    console.print(_("replay: {command}").format(command=replay), soft_wrap=True)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        "human",
        description=arguments.paragraph(_("Play against a player at the console."), arguments.players_help()),
        epilog=_(
            "Exit status: 0 for a finished game, 2 for bad arguments, 3 if the machine failed, 130 for a game that was "
            "left."
        ),
    )
    parser.add_argument("PLAYER", nargs="?", default=OWN_BOT, help=_("default: {value}").format(value=OWN_BOT))
    parser.add_argument(
        "--first", choices=("human", "player"), default="human", help=_("who moves first (default: human)")
    )
    game_options.add_game_choice(parser)
    game_options.add_board_options(parser, for_one_game=True)
    arguments.add_one_player_options(parser)
    game_options.add_sandbox_option(parser)
    arguments.add_record_option(parser, DEFAULT_RECORD)
    return parser
