"""`python -m judge human PLAYER`: plays a game between the user at the console and a player."""

import argparse
import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.text import Text

from judge import terminal
from judge.analysis import Analysis, AnalysisError, Analyst, MoveValue, input_after_moves
from judge.cli import arguments, completers, record_file
from judge.cli.exits import INTERRUPTED_STATUS, replay_command
from judge.cli.parser import Parser
from judge.cli.playing import exit_on_errors, sandbox_of, warn_of_no_sandbox
from judge.games import GAMES
from judge.games.positions import IllegalMove
from judge.language import _, marked, shown
from judge.play.human_game import HUMAN, PLAYER, HumanSession
from judge.play.referee import verdict_on
from judge.play.scoresheet import Conditions, GamePlan, Verdict, in_order
from judge.play.screen import evaluation, result_in_words
from judge.play.seat import Forfeit
from judge.play.start_trial import require_programs
from judge.players.own_bot import EngineMissing, prepare_own
from judge.players.players import OWN_BOT, PlayerError, contestants, known_names
from judge.reports import forfeits, prints
from judge.runs.record_file import numbers_in_file
from judge.terminal import columns, printable
from protocol.records.record import Move

MOST_LISTED = 24  # the most moves that `values` lists
LONGEST_MOVE = 24  # characters; a turn of dots and boxes, which has three characters for each edge, may be longer
HELP = marked(
    "Type a move, or one of these words: `undo` takes back your last move and the reply to it; `hint` shows the move "
    "that the player would play in your place; `values` shows what our bot thinks of each of your moves; `help` shows "
    "this text; `quit` ends the game without recording it."
)
DEFAULT_RECORD = Path("records") / "human.jsonl"


def show_analysis(console: Console, analyst: Analyst) -> Analysis | None:
    """Wait for the end of the analysis and return its last state, or None if it has none.

    On a terminal a line shows each state as it comes, in place of the one before. Raises AnalysisError.
    """
    latest = None
    with Live(console=console, auto_refresh=False, transient=True) as live:  # shows nothing elsewhere
        for latest in _analyses(analyst):
            live.update(Text(analysis_in_words(latest), no_wrap=True, overflow="ellipsis"), refresh=True)
    return latest


def _analyses(analyst: Analyst) -> Iterator[Analysis]:
    """Yield the states of the analysis as they come, up to the final one."""
    while not analyst.has_ended:
        # Ctrl-C is handled between two waits.
        analysis = analyst.next_analysis(0.5)
        if analysis is not None:
            yield analysis
            if analysis.final:
                return


def analysis_in_words(analysis: Analysis) -> str:
    """Return the state of the analysis in one line: the time taken, the depth, the best move and its value."""
    words = _("after {seconds:.1f} s, depth {depth}: best move {move}, value {value}")
    best = analysis.moves[0] if analysis.moves else None
    return words.format(
        seconds=analysis.elapsed_s,
        depth=analysis.depth,
        move="-" if best is None else _move_name(best),
        value=f"{analysis.value:+.3f}" if best is None else value_in_words(best),
    )


def move_lines(analysis: Analysis) -> list[str]:
    """Return a line for each analysed move, the best move first, with its value, its visits and its depth.

    The value is that for the side that plays the move. At most MOST_LISTED moves are listed; a last line then gives the
    number of the others.
    """
    listed = analysis.moves[:MOST_LISTED]
    names = [_move_name(move_value) for move_value in listed]
    width = max(map(columns, names), default=0)
    lines = []
    for move_value, name in zip(listed, names, strict=True):
        effort = [] if move_value.visits is None else [_("{number:,} visits").format(number=move_value.visits)]
        if move_value.depth is not None:
            effort.append(_("depth {number:,}").format(number=move_value.depth))
        blanks = " " * (width - columns(name))
        lines.append("  ".join([f"  {name}{blanks}", value_in_words(move_value), *effort]))
    if len(analysis.moves) > len(listed):
        lines.append("  " + _("and {number} more moves").format(number=len(analysis.moves) - len(listed)))
    return lines


def value_in_words(move_value: MoveValue) -> str:
    """Return a text with the value of a move for the side that plays the move."""
    if move_value.value is None:
        return _("this move was not searched")
    if move_value.proven is not None:
        return {"win": _("win"), "draw": _("draw"), "loss": _("loss")}[move_value.proven]
    value = f"{move_value.value:+.3f}"
    return _("at most {value}").format(value=value) if move_value.is_bound else value


def _move_name(move_value: MoveValue) -> str:
    """Return the text of the move, cut to LONGEST_MOVE characters."""
    name = printable(str(move_value.move))
    return name if len(name) <= LONGEST_MOVE else name[: LONGEST_MOVE - 2] + ".."


class Quit(Exception):
    """Raised when the human ends the game early."""


class _ConsoleGame:
    """A game between the user at the console and a player."""

    def __init__(self, session: HumanSession, console: Console) -> None:
        self._session, self._console = session, console
        self._name = session.contestant.name

    def play(self) -> Verdict:
        """Play the game to its end and return the Verdict. Raises Quit if the user ends the game early."""
        self._show()
        try:
            while not self._session.position.over:
                if self._session.side_to_move == HUMAN:
                    self._ask_human()
                else:
                    self._ask_player()
        except Forfeit as forfeit:
            return verdict_on(forfeit)
        return self._session.verdict()

    def _show(self) -> None:
        """Print the board and, if the game has a measure of positions, what the position is worth to the player."""
        session = self._session
        self._console.print(session.game.rendering(session.position))
        worth = session.game.worth(session.position, session.number_of(PLAYER))
        if worth is not None:
            self._console.print(_("the position is worth {worth:+} to {name}").format(worth=worth, name=self._name))

    def _ask_human(self) -> None:
        """Read a line of the user, and obey the command in it or play the move. Raises Quit."""
        started_s = time.monotonic()
        typed = self._read()
        commands = {
            "undo": self._undo,
            "hint": self._hint,
            "values": self._values,
            "help": self._help,
            "?": self._help,
        }
        if typed in commands:
            commands[typed]()
            return
        try:
            self._session.play(self._session.game.read_move(typed), time.monotonic() - started_s)
        except (IllegalMove, ValueError) as error:
            words = _("{error}; type `help` to see what you can type").format(error=shown(str(error)))
            self._console.print(words, soft_wrap=True)
            return
        self._print_moves(self._session.moves[-1:])

    def _read(self) -> str:
        """Return the user's next line that is not blank, stripped and in lower case.

        Raises Quit if the user types `quit` or `exit`, or ends the input.
        """
        while True:
            try:
                typed = input(">>> ").strip().lower()
            except EOFError:
                raise Quit from None
            if typed in ("quit", "exit"):
                raise Quit
            if typed:
                return typed

    def _ask_player(self) -> None:
        """Have the player move, and print its moves. Raises Forfeit if the player fails."""
        words = _("{name} is thinking, for at most {limit:g} s")
        self._console.print(words.format(name=self._name, limit=self._session.plan.conditions.limit_s))
        self._print_moves(self._session.answer())

    def _print_moves(self, moves: Sequence[Move]) -> None:
        """Print the board and the moves that led to it: all moves of one reply, which the same side has played."""
        words = _("you play {move}") if moves[0].side == HUMAN else _("{name} plays {move}")
        move = self._session.in_words([move.move for move in moves], self._session.position)
        line = words.format(name=self._name, move=move)
        self._console.print(f"{line}  {evaluation(moves[0].report)}".rstrip(), soft_wrap=True)
        self._show()

    def _undo(self) -> None:
        """Take back the user's last move and the reply to it, and print the board. Says so if there is no such move."""
        if self._session.undo():
            self._show()
        else:
            self._console.print(_("you have made no move that could be taken back"))

    def _hint(self) -> None:
        """Print the move that the player would play in the user's place. Raises Forfeit if the player fails."""
        move = self._session.in_words(*self._session.hint())
        self._console.print(_("{name} would play {move}").format(name=self._name, move=move))

    def _values(self) -> None:
        """Print the value of each move that the human may play now. Our own bot computes the values for any player."""
        plan, moves = self._session.plan, [move.move for move in self._session.moves]
        with contextlib.suppress(EngineMissing):  # the analysis reports that the engine is missing
            prepare_own(plan.game)
        try:
            with Analyst(plan.game, *input_after_moves(plan.game, plan.board.as_json(), moves), 1.0) as analyst:
                analysis = show_analysis(self._console, analyst)
        except AnalysisError as error:
            words = _("our bot cannot compute values: {error}")
            self._console.print(words.format(error=error), soft_wrap=True)
            return
        for line in [] if analysis is None else [analysis_in_words(analysis), *move_lines(analysis)]:
            self._console.print(line, soft_wrap=True)

    def _help(self) -> None:
        self._console.print(_(HELP), soft_wrap=True)


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = _parser()
    options = parser.parse_args(argv)
    board_options = arguments.board_options(parser, options, for_one_game=True)
    record_file.require_writable(parser, options.record)
    sandbox = sandbox_of(parser, options, options.record)
    seed = arguments.seed_or_random(options.seed)
    try:
        board = GAMES[options.game].draw_board(seed, 0, **board_options)
        (contestant,) = contestants([options.PLAYER], options.players, options.game, sandbox)
        require_programs([contestant], options.limit, known_names(options.players), sandbox)
    except (ValueError, PlayerError) as error:
        parser.error(str(error))
    warn_of_no_sandbox(sandbox)
    first = HUMAN if options.first == "human" else PLAYER
    plan = GamePlan(
        board=board,
        seed=seed,
        conditions=Conditions(options.limit, free_start=True, memory_limit_bytes=options.memory_limit, sandbox=sandbox),
        first=first,
        game=options.game,
    )
    console = terminal.console()
    stones = dict(zip(in_order(first), GAMES[options.game].stones, strict=True))
    console.print(_("{board}, seed {seed}").format(board=board.in_words(), seed=seed))
    sides = _("you play {own}, {name} plays {other}. {help}")
    console.print(
        sides.format(own=stones[HUMAN], name=contestant.name, other=stones[PLAYER], help=_(HELP)), soft_wrap=True
    )
    try:
        with exit_on_errors(parser), HumanSession(contestant, plan, threading.Event()) as session:
            verdict = _ConsoleGame(session, console).play()
    except Quit:
        print(_("the game is not recorded"), flush=True)
        return INTERRUPTED_STATUS
    except Forfeit as forfeit:
        parser.error(shown(str(forfeit)))
    _record(parser, session, verdict, options.record, console)
    return 0


def _record(
    parser: argparse.ArgumentParser, session: HumanSession, verdict: Verdict, path: Path, console: Console
) -> None:
    """Append the game to the record file, and print its result and the command that replays it.

    Ends the program with a message if the game cannot be appended.
    """
    record = session.record(verdict)
    record_file.append_game(parser, path, record)
    console.print(result_in_words(record), soft_wrap=True)
    for note in [*forfeits.notes(record), *prints.notes([record])]:
        console.print(note, soft_wrap=True)
    replay = replay_command(path, numbers_in_file(path).get(record.extra["id"]))
    console.print(_("replay: {command}").format(command=replay), soft_wrap=True)


def _parser() -> Parser:
    parser = Parser(
        "human",
        ("--first", "--game", "--rows", "--cols", "--forbidden", "--size", "--seed", "--limit", "--record"),
        description=arguments.paragraph(_("Play a game against a player at the console."), arguments.players_help()),
        epilog=_(
            "Exit status: 0 for a finished game, 2 for bad arguments, 3 if the judge or the machine failed, 130 if you "
            "left the game before its end."
        ),
    )
    help_text = _("the player that you play against (default: {value})").format(value=OWN_BOT)
    parser.add_argument("PLAYER", nargs="?", default=OWN_BOT, completer=completers.complete_player, help=help_text)
    parser.add_argument(
        "--first", choices=("human", "player"), default="human", help=_("who moves first (default: human)")
    )
    arguments.add_game_choice(parser)
    arguments.add_board_options(parser)
    arguments.add_one_player_options(parser)
    arguments.add_sandbox_option(parser)
    arguments.add_record_option(parser, DEFAULT_RECORD)
    return parser
