"""`python -m judge repro FILE`: writes the bytes that a player was sent in a recorded game to a file.

The command also prints how to run the player's program on that file, for example in a debugger.
"""

import itertools
import os
import shlex
from pathlib import Path

from judge import files
from judge.cli import arguments, completers, record_file
from judge.cli.parser import Parser
from judge.games.boards import player_seed
from judge.games.positions import IllegalMove
from judge.language import _, shown
from judge.play.recheck import NothingAsked, sent_until
from judge.players import source_player
from judge.players.players import BadCommand, PlayerError, command_in, contestants
from judge.processes.start import Launch
from judge.reports import imports
from judge.terminal import printable, sentence
from protocol.records.record import Fault, GameRecord, Termination


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = Parser(
        "repro",
        description=_(
            "Write to a file what a player had been sent in a recorded game when it was asked for a move, and print "
            "the commands that run the player's program on this input, alone and under a debugger. The file has an "
            "end; the input that the platform sends has none."
        ),
        epilog=_("Exit status: 0 if the file was written, 2 for bad arguments or file."),
    )
    record_file.add_game_arguments(parser)
    parser.add_argument(
        "--side",
        choices=("A", "B"),
        help=_("the player's side (default: the side that lost by a fault, or A if neither did)"),
    )
    parser.add_argument(
        "--ply",
        type=int,
        metavar="N",
        help=_("write the input up to where the player is asked for ply N (default: its last turn)"),
    )
    help_text = _(
        "the new file (default: repro-K.txt in the current folder); if the name is taken, a number is added to it"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", completer=completers.complete_path, help=help_text)
    options = parser.parse_args(argv)
    record, number = record_file.read_chosen_game(parser, options)
    side = options.side or record.at_fault or "A"
    asked_for = options.output or Path(f"repro-{number}.txt")
    numbered = (asked_for.with_stem(f"{asked_for.stem}-{copy}") for copy in itertools.count(2))
    try:
        path = next(path for path in itertools.chain([asked_for], numbered) if not os.path.lexists(path))
        ply, sent = sent_until(record, side, options.ply)
        files.write_new(path, sent)
    except (NothingAsked, IllegalMove, ValueError, OSError) as error:
        parser.error(_("game {number}: {error}").format(number=number, error=sentence(shown(str(error)))))
    line = (
        _("{path} contains what player {side} was sent until it was asked for ply {ply}: {size} bytes")
        if ply
        else _(
            "{path} contains what player {side} is sent at the start: {size} bytes; the player was never asked for "
            "a move"
        )
    )
    print(line.format(path=path, side=side, ply=ply, size=len(sent)))
    source, player_command = shlex.quote(str(path.resolve())), record.players["AB".index(side)].command
    is_imported = imports.IMPORT_KEY in record.extra  # then the player's program is unknown
    launch = None if is_imported else _launch_as_recorded(record, side)
    run = "PROGRAM" if is_imported else player_command
    if launch is not None:
        run = " ".join([*_shell_prefix(launch), shlex.join(launch.argv)])
    print(_("to run the player on this input: {command}").format(command=f"{printable(run)} < {source}"))
    if launch is None:
        return 0
    with_lines = source_player.rebuilt(player_command, source_player.DEBUG, record.game)
    launch = launch if with_lines is None else with_lines.launch
    # `run < FILE` in gdb would drop the program's arguments, so they are set together with the file.
    steps = [f"set args {shlex.join(launch.argv[1:])} < {source}", *_gdb_stop_commands(record, side, ply), "run", "bt"]
    gdb_options = [word for step in steps for word in ("-ex", step)]
    debug = " ".join([*_shell_prefix(launch), shlex.join(["gdb", *gdb_options, launch.argv[0]])])
    print(_("to run the player under gdb: {command}").format(command=printable(debug)))
    return 0


def _gdb_stop_commands(record: GameRecord, side: str, ply: int) -> list[str]:
    """Return commands for gdb that stop the player's program when it is asked for its move of ply `ply`.

    `side` is the player, "A" or "B". Returns [] if the player is no C++ project of the user, or if `ply` is 0. If the
    program fails at that ply, gdb stops there without a breakpoint; a sanitizer has to abort the program for that.
    """
    command = record.players["AB".index(side)].command
    if not ply or not command.startswith(source_player.PREFIX):
        return []
    # A debugger does not stop at a wrong reply by itself.
    is_seen = record.termination.fault is not Fault.REPLY and record.termination is not Termination.STARTUP_FAILURE
    if record.at_fault == side and is_seen and ply > len(record.moves):
        is_sanitized = source_player.with_option(command, source_player.SANITIZE) is None
        aborts = [f"set environment {name} {value}:abort_on_error=1" for name, value in source_player.SETTINGS.items()]
        return aborts if is_sanitized else []
    asked_before = sum(move.side == side for move in record.moves[: ply - 1])
    # A library is loaded later; a program without the function runs to its end.
    return ["set breakpoint pending on", f"break {source_player.ENTRY}", f"ignore 1 {asked_before}"]


def _shell_prefix(launch: Launch) -> list[str]:
    """Return the parts of a shell command in front of the program: "cd FOLDER &&" and the environment variables."""
    variables = [f"{name}={shlex.quote(value)}" for name, value in launch.environment.items()]
    return [*([f"cd {shlex.quote(launch.folder)} &&"] if launch.folder else []), *variables]


def _launch_as_recorded(record: GameRecord, side: str) -> Launch | None:
    """Return the Launch of the player `side` ("A" or "B") with the limit and seed that it had in the recorded game.

    If the record has no limit or seed, the default limit or the seed 0 is used. Returns None if the player's program
    cannot be found any more.
    """
    player, folder = record.players["AB".index(side)], record.kept(side).get("folder")
    # Only games against a human and games of `check` have this field. In them the player got the seed of the game.
    own_limit_s = record.extra.get("player_limit_s")
    seed = record.seed or 0
    try:
        if isinstance(folder, str):
            contestant = command_in(player.command, Path(folder))
        else:
            # No names must be looked up: records have commands of players.
            (contestant,) = contestants([player.command], os.devnull, record.game)
        limit_s = own_limit_s or record.extra.get("limit_s")
        return contestant.launch(
            limit_s if isinstance(limit_s, float) else arguments.DEFAULT_LIMIT_S,
            seed if own_limit_s or record.pair is None else player_seed(seed, record.pair, side),
        )
    except (PlayerError, BadCommand):
        return None
