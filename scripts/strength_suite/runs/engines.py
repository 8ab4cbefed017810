"""`scripts/strength engines FOLDER COMMAND...`: the bot against other programs, as matches of the judge."""

from strength_suite.json_lines import SuiteError
from strength_suite.runs.judged_run import play_runs
from strength_suite.runs.players import at_revision
from strength_suite.runs.presets import match_run


def main(options, store):
    """Play the matches, the judge running in the programs' folder; returns the exit status.

    The folder keeps paths out of the records: a command names its program from there, as ./NAME.
    """
    if not options.folder.is_dir():
        raise SuiteError(f"{options.folder} is no folder, expected the one that the commands start from")
    player = at_revision(options.player, options.revision)
    runs = [
        match_run(
            (player, command), (options.player, command), options, options.folder.resolve(), options.opening_plies
        )
        for command in options.command
    ]
    return play_runs(runs, store, options)
