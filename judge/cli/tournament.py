"""`dropfour tournament PLAYER...`: plays many players against each other and gives each a rating with its error."""

import argparse
import functools
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge import terminal
from judge.cli import arguments, completers, number_types, playing
from judge.cli.exits import FAILING_STATUS, KEEP_GOING, exit_status, resume_hint, view_command
from judge.cli.parser import Parser
from judge.language import _, marked
from judge.players.players import PlayerError, contestants, with_groups_expanded
from judge.reports import circumstances, forfeits, prints
from judge.reports import tournament as report
from judge.reports.tables import ReportTable
from judge.reports.tournament import Standing, standings
from judge.runs.config import RunConfig
from judge.runs.interruption import stop_event
from judge.runs.ledger import Ledger, identity, open_ledger
from judge.runs.record_file import numbers_in_file
from judge.runs.schedule import FailureStreaks
from judge.runs.tournament import (
    Adaptive,
    Entrants,
    FixedOrder,
    Plan,
    Target,
    Tournament,
    gauntlet_order,
    round_robin_order,
)
from judge.statistics import score
from judge.statistics.ratings import BoardResults, Question, Ratings, rate
from protocol.records.record import GameRecord

FORMAT = "tournament"
LIMIT_S = 0.1  # the default of --limit, in seconds per move
ROUNDS = 8  # by default: some 20 minutes for eight players at 0.1 s a move and two games at a time
MOST_ROUNDS = 1000  # by default with --target-error; the target should be reached in fewer rounds
SHARE_FOR_SHOWING = 0.02  # the largest share of the time that is spent on computing standings during the run
FIRST = 0  # the number of the player who meets all others in a gauntlet
ROUND_ROBIN, GAUNTLET, ADAPTIVE = "round robin", "gauntlet", "adaptive"
# {mode: what is printed before the first game}
ANNOUNCEMENTS = {
    ROUND_ROBIN: marked("round robin of {number} players, {games} games at most"),
    GAUNTLET: marked("gauntlet of {number} players, {games} games at most"),
    ADAPTIVE: marked("adaptive tournament of {number} players, {games} games at most"),
}


@dataclass(frozen=True)
class TournamentFormat:
    """The format of a tournament.

    `mode` is ROUND_ROBIN, GAUNTLET or ADAPTIVE. `rounds` is the number of pairs of games between every two players that
    meet; None stands for ROUNDS, or for MOST_ROUNDS with a target error. The tournament ends once the error of every
    rating is at most `target_error`, in Elo; None means that all rounds are played. `anchor` is (name or command of a
    player, the rating in Elo that this player is given), or None.
    """

    mode: str = ROUND_ROBIN
    rounds: int | None = None
    target_error: float | None = None
    anchor: tuple[str, float] | None = None


class TournamentRun:
    """A running tournament. It decides who meets, who is left out and when the tournament ends, and rates the players.

    The caller must call on_new() for each game that has ended. clock() returns a time in seconds.
    """

    def __init__(
        self,
        config: RunConfig,
        form: TournamentFormat,
        tournament: Tournament,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.config, self.form, self.tournament, self.entrants = config, form, tournament, tournament.entrants
        self.has_target = form.target_error is not None
        self.rounds = form.rounds or (MOST_ROUNDS if self.has_target else ROUNDS)
        self._streaks = FailureStreaks(self.entrants.number_of, config.keep_going)
        self.skipped = self._streaks.reasons  # {number of a player: why the player plays no more games}
        self.has_failed = False  # whether so many players are skipped that the tournament must end
        self.is_done = False  # whether the error of every rating is small enough
        self.total = 0
        self._anchor: tuple[int, float] | None = None
        # Without --target-error the target is an error of 0.0, which no rating reaches.
        self._target = Target(form.target_error or 0.0, self._ratings_for_target)
        self._last_open_pair = -1  # the first open pair at the last check of the target
        # (the number of games that are counted, standings, ratings)
        self._standings_cache: tuple[int, list[Standing], Ratings | None] = (-1, [], None)
        self._clock, self._next_update_s = clock, -math.inf

    def plan(self) -> Plan:
        """Return the Plan that decides which players meet. Precondition: the seed is known."""
        assert self.config.seed is not None
        count = self.entrants.playing  # of the contestants; the others have earlier games alone
        if self.form.mode == ADAPTIVE:
            return Adaptive(
                count,
                len(self.entrants.contestants),
                self.rounds * len(round_robin_order(count)),
                self.config.seed,
                self.tournament.boards_before,
                self._question,
            )
        order = gauntlet_order(count) if self.form.mode == GAUNTLET else round_robin_order(count)
        return FixedOrder(order, self.rounds, self.tournament.begun)

    def find_anchor(self) -> None:
        """Find the player that the anchor of the format names. Without an anchor nothing happens.

        Raises PlayerError unless exactly one player has that name or command.
        """
        if self.form.anchor is None:
            return
        name, elo = self.form.anchor
        numbers = [n for n, player in enumerate(self.entrants.contestants) if name in (player.name, player.command)]
        if len(numbers) != 1:
            message = _(
                "--anchor: {number} players have the name or the command {name!r}, expected one; the players are "
                "{names}"
            )
            names = ", ".join(self.entrants.names)
            raise PlayerError(message.format(number=len(numbers), name=name, names=names))
        self._anchor = numbers[0], elo

    def _ratings_around_players(self, boards: Sequence[BoardResults]) -> Ratings | None:
        """Return the ratings that follow from the results on `boards`, None if there are none yet.

        The mean rating of the players that are not skipped is 0.
        """
        ratings = rate(len(self.entrants.contestants), boards, preferred=self._players)
        return None if ratings is None else ratings.around(self._players)

    def _ratings_for_target(self, boards: Sequence[BoardResults]) -> Ratings | None:
        """Return the ratings by which the tournament decides whether it has reached the target error, None if unknown.

        They are those of current_standings(), unless the anchor's rating is held: no number of games makes the
        difference to a held rating exact, and the target would never be reached. The mean rating is then 0.
        """
        ratings = self._ratings_around_players(boards)
        if ratings is None or self._anchor is None or self._anchor[0] in ratings.held:
            return ratings
        return ratings.anchored(*self._anchor)

    @property
    def _players(self) -> list[int]:
        """The numbers of the players that are in this run and not skipped."""
        return [player for player in range(self.entrants.playing) if player not in self.skipped]

    def _question(self, boards: Sequence[BoardResults]) -> Question:
        """Return the Question that an adaptive tournament asks next: which ratings have to become more certain."""
        return self._target.question(self._players, len(self.entrants.contestants), boards)

    def has_reached_target(self) -> bool:
        """Return whether a new check shows that the error of every rating is at most the target.

        The ratings follow from the pairs of games before the first pair that has not ended. If that pair is the same as
        at the last check, returns False without a new check.
        """
        if not self.has_target:
            return False
        first_open = self.tournament.first_open
        if first_open == self._last_open_pair:
            return False
        self._last_open_pair = first_open
        return not self._target.players_in_need(self._players, self.tournament.boards_before(first_open))

    def on_new(self, record: GameRecord) -> bool:
        """Count a game that has ended and return whether the tournament must end."""
        self.tournament.note_end(record)
        self.tournament.left_out.update(self._streaks.add(record))
        lacks_first = self.form.mode == GAUNTLET and FIRST in self.skipped
        self.has_failed = lacks_first or self.entrants.playing - len(self.skipped) < 2
        self.is_done = self.is_done or self.has_reached_target()
        return self.has_failed or self.is_done

    def current_standings(self) -> tuple[list[Standing], Ratings | None]:
        """Return the current standings and ratings. The ratings are None until they are known.

        With an anchor the ratings are relative to the anchor's rating. Otherwise the mean rating of the players that
        are not skipped is 0.
        """
        boards = list(self.tournament.boards.values())
        games = sum(map(len, boards))
        if self._standings_cache[0] != games:
            ratings = self._ratings_around_players(boards)
            if ratings is not None and self._anchor is not None:
                ratings = ratings.anchored(*self._anchor)
            self._standings_cache = games, standings(self.entrants.names, boards, ratings), ratings
        return self._standings_cache[1:]

    def _recent_standings(self) -> list[Standing]:
        """Return standings that may lack the latest games: they are computed at intervals, because that takes long."""
        began = self._clock()
        if began >= self._next_update_s:
            self.current_standings()  # stores them in the cache
            ended = self._clock()
            self._next_update_s = ended + (ended - began) / SHARE_FOR_SHOWING
        _games, latest, _ratings = self._standings_cache
        return latest

    @property
    def former(self) -> range:
        """The numbers of the players that are in the record file but not in this run."""
        return range(self.entrants.playing, len(self.entrants.contestants))

    def line(self, records: Sequence[GameRecord]) -> str:
        """Return one line on the state of the tournament. `records` are the games that have ended."""
        return report.progress_in_words(self._recent_standings(), len(records), self.total, self.form.target_error)

    def table(self) -> ReportTable:
        """Return the standings as a table for a terminal."""
        return report.standings_table(self._recent_standings(), self.former)

    def player_of(self, record: GameRecord, side: str) -> str:
        """Return the name of the player who was `side`, "A" or "B", in a recorded game."""
        return self.entrants.names[self.entrants.number_of(record, side)]


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = _parser()
    options = parser.parse_intermixed_args(argv)
    config = playing.run_config(parser, options)
    form = TournamentFormat(options.mode, options.rounds, options.target_error, options.anchor)
    with playing.exit_on_errors(parser):
        texts = with_groups_expanded(options.PLAYER, config.game)
        players = contestants(texts, config.players_file, config.game, config.conditions.sandbox)
        if len(players) < 2:
            parser.error(_("a tournament takes at least two players"))
        entrants = Entrants(players)
        playing.require_ready(players, config)
        config = playing.with_seed(config)
        has_common_boards = form.mode == GAUNTLET or config.boards is not None
        tournament = Tournament(entrants, config, has_common_boards)
        run = TournamentRun(config, form, tournament)
        # The handler is installed before the announcement, so that any signal after it is handled.
        who = identity(FORMAT, config)
        with open_ledger(config, who, tournament.read_records) as ledger, stop_event() as stop:
            tournament.count_results(ledger)
            run.find_anchor()
            plan = run.plan()
            to_play = 2 * plan.pairs_to_come(tournament.begun.values()) + tournament.games_missing()
            judged = tournament.games_judged
            run.total = judged + to_play
            _announce(run, judged)
            run.is_done = run.has_reached_target()
            games = iter(()) if run.is_done else tournament.games(plan, ledger)
            view = playing.RunView(run.line, None if run.has_target else to_play, run.table, on_new=run.on_new)
            playing.play(ledger, games, config, stop, view, entrants.contestants[: entrants.playing])
    return _print_results(run, ledger, options)


def _announce(run: TournamentRun, judged: int) -> None:
    """Print what will be played. `judged` is the number of games that a resumed tournament has already."""
    print(_(ANNOUNCEMENTS[run.form.mode]).format(number=run.entrants.playing, games=run.total))
    playing.announce(run.config)
    if run.config.conditions.limit_s == LIMIT_S and run.config.conditions.free_start:
        usual = _(
            "each move has {limit:g} s here, and the time to start up does not count; the platform's rules, which "
            "other commands use, are --limit {usual:g} --charge-start"
        )
        print(usual.format(limit=LIMIT_S, usual=arguments.DEFAULT_LIMIT_S))
    if judged:
        resumed = _("resumed: {played} of {total} games are in the record")
        print(resumed.format(played=judged, total=run.total), flush=True)


def _print_results(run: TournamentRun, ledger: Ledger, options: argparse.Namespace) -> int:
    """Print the results of the tournament and return the exit status."""
    console, records, path = terminal.console(), ledger.records, ledger.path
    rows, ratings = run.current_standings()
    console.print(report.standings_table(rows, run.former))
    for line in report.notes(rows, ratings):
        console.print(line, soft_wrap=True)
    cross = report.crosstable_table(rows)
    if cross.fits(console):
        console.print(cross)
    else:
        message = _("the crosstable is too wide for this terminal; this command shows it: {command}")
        console.print(message.format(command=view_command(path)), soft_wrap=True)
    forfeited = report.forfeits_table(records, run.player_of)
    if forfeited is not None:
        console.print(forfeited)
    if records:
        lines = [
            *circumstances.lines(records, ledger.void_attempts, run.player_of, options.verbose),
            *forfeits.first_of_each_kind(
                records, numbers_in_file(path), run.player_of, functools.partial(playing.fault_hints, path)
            ),
            *prints.notes(records, run.player_of),
        ]
        for line in lines:
            console.print(line, soft_wrap=True)
    is_complete = run.is_done or len(records) >= run.total
    if run.form.target_error is not None and is_complete:
        target_line = report.target_in_words(rows, run.form.target_error, run.is_done)
        console.print(target_line, soft_wrap=True)
    if not is_complete:
        _print_stopped(run, len(records), path)
    if options.json:
        print(terminal.json_line(_results_as_json(run, ledger)), flush=True)
    return FAILING_STATUS if run.has_failed and not is_complete else exit_status(records)


def _print_stopped(run: TournamentRun, played: int, path: Path) -> None:
    """Print that the tournament is unfinished, which players were skipped and why, and how to continue it."""
    for reason in run.skipped.values():
        print(_("player skipped: {reason}").format(reason=reason), file=sys.stderr, flush=True)
    print(_("stopped: {played} of {total} games were played").format(played=played, total=run.total))
    print(resume_hint(path, *([KEEP_GOING] if run.skipped else [])), flush=True)


def _results_as_json(run: TournamentRun, ledger: Ledger) -> dict[str, Any]:
    """Return what --json prints."""
    rows, ratings = run.current_standings()
    players, records = run.entrants.contestants, ledger.records
    commands = {number: (player.command, player.version) for number, player in enumerate(players)}
    return {
        "mode": run.form.mode,
        "games": sum(map(len, run.tournament.boards.values())),
        **report.summary(rows, ratings, commands, run.former),
        "target_error": run.form.target_error,
        "target_reached": run.is_done if run.has_target else None,
        "terminations": score.terminations(records),
        "at_fault": report.forfeits_as_json(records, run.player_of),
        **circumstances.summary(records, ledger.void_attempts, run.player_of),
        "seed": run.config.seed,
        "record": str(ledger.path),
    }


def _anchor(text: str) -> tuple[str, float]:
    """Return (player, Elo) for the text PLAYER=ELO. The player may contain "=". Raises ArgumentTypeError."""
    name, equals, figure = text.rpartition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(
            _("{text!r} is not of the form PLAYER=ELO").format(text=terminal.shortened(text))
        )
    return name, number_types.elo(figure)


def _parser() -> Parser:
    parser = Parser(
        FORMAT,
        ("--gauntlet", "--adaptive", "--rounds", "--target-error", *arguments.COMMON),
        description=arguments.paragraph(
            _("Play many players against each other, in pairs of games, and rate them."), arguments.players_help()
        ),
        epilog=arguments.exit_help_of_runs(),
    )
    parser.add_argument(
        "PLAYER",
        nargs="+",
        completer=completers.complete_player,
        help=_(
            "at least two players; a folder of strategy libraries (*.so), or lib:FOLDER, stands for all libraries in it"
        ),
    )
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument(
        "--gauntlet",
        dest="mode",
        action="store_const",
        const=GAUNTLET,
        default=ROUND_ROBIN,
        help=_("play the first player against each of the others (default: all players against each other)"),
    )
    modes.add_argument(
        "--adaptive",
        dest="mode",
        action="store_const",
        const=ADAPTIVE,
        help=_("choose for each next pair of games the two players whose results would make the ratings most certain"),
    )
    parser.add_argument(
        "--rounds",
        type=number_types.count,
        metavar="N",
        help=_(
            "how many pairs of games every two players play; with --adaptive the total is the same (default: {rounds}, "
            "or {most} with --target-error)"
        ).format(rounds=ROUNDS, most=MOST_ROUNDS),
    )
    parser.add_argument(
        "--target-error",
        type=number_types.elo_error,
        metavar="E",
        help=_("end once the error of every rating is at most E Elo, with a confidence of 0.95"),
    )
    parser.add_argument(
        "--anchor",
        type=_anchor,
        metavar="PLAYER=ELO",
        help=_("set the rating of PLAYER to ELO (default: the mean of all ratings is 0)"),
    )
    arguments.add_run_options(parser, LIMIT_S)
    parser.add_argument(
        "--charge-start",
        dest="free_start",
        action="store_false",
        help=_(
            "count the time to start up as time of the first move, as the platform does (default: not counted, "
            "because the limit is short)"
        ),
    )
    parser.set_defaults(free_start=True)
    arguments.add_record_options(parser, FORMAT)
    return parser
