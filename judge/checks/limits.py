"""The checks of the platform's limits, judged from the costs of all trials of a check.

Each function takes a Bench whose trials are over, and returns a short text on what was measured. It raises CheckFailed
if a limit was exceeded or a trial was lost because of it, CheckWarning if the platform may tolerate what was observed.
"""

from judge.checks.games import Bench, CheckFailed, CheckWarning
from judge.games import GAMES
from judge.language import recorded
from judge.play.driver import Costs
from judge.processes.process import PLATFORM_BYTES, PRINTS_ARE_KEPT_APART, STDERR_IS_FOR_TEXT, decoded
from judge.terminal import MEGABYTE, shortened
from protocol.framing import MAX_BODY_BYTES
from protocol.records.record import Fault, Termination

OUT_OF_TIME = tuple(ending for ending in Termination if ending.fault is Fault.TIME)

# How far CPU time may exceed wall time, as a factor and in seconds per turn: CPU time is counted in steps of 10 ms and
# sampled a little after the reply.
CPU_FACTOR = 1.1
CPU_STEP_S = 0.02
# How far the CPU time that a player had or wanted in a single turn may exceed wall time, as a factor and in seconds.
DEMAND_FACTOR, DEMAND_STEP_S = 1.1, 0.1
MOST_THREADS = 8  # the platform's limit is not published; OpenBLAS on a large machine is known to exceed it
# The CPU time that a player at rest may use in a silence: a share of the silence, and seconds.
MOST_IDLE_SHARE, IDLE_STEP_S = 0.2, 0.1

PRINTED = recorded('the player printed "{text}" in {printing} of {total} games; {why}')


def time_limit(bench: Bench) -> str:
    """Return a sentence on the slowest move. Raises CheckFailed if a move took too long or no move was made."""
    limit_s = bench.conditions.play.limit_s
    _fail_if_lost(
        bench, recorded("a move of the player took over {limit} s").format(limit=f"{limit_s:g}"), *OUT_OF_TIME
    )
    walls_s = [wall_s for costs in bench.costs for wall_s in costs.walls_s]
    if not walls_s:
        raise CheckFailed(recorded("the player made no move in time"))
    sentence = recorded("the player's slowest move took {slowest} s, the limit is {limit} s").format(
        slowest=f"{max(walls_s):.3f}", limit=f"{limit_s:g}"
    )
    excused = sum(wall_s > limit_s for wall_s in walls_s)
    if not excused:
        return sentence
    return recorded("{seen}; moves that were late only because the machine did not run the player: {number}").format(
        seen=sentence, number=excused
    )


def start_up(bench: Bench) -> str:
    """Return a sentence on the slowest first move among the moves whose clock began with the process.

    Raises CheckFailed if such a move was late, or if there was none.
    """
    charged = [costs for costs in bench.costs if costs.charged_start]
    first_s = [costs.walls_s[0] for costs in charged if costs.walls_s]
    if not first_s or any(not costs.walls_s and costs.fault in OUT_OF_TIME for costs in charged):
        raise CheckFailed(
            recorded(
                "no first move came in time when the player's start counted as part of that move: do less at the start"
            )
        )
    return recorded("the player's slowest first move came {slowest} s after its process had started").format(
        slowest=f"{max(first_s):.3f}"
    )


def output_limit(bench: Bench) -> str:
    """Return a sentence which says that no reply declared a length over the platform's limit.

    Raises CheckFailed if a reply declared such a length.
    """
    _fail_if_lost(
        bench,
        recorded("a reply of the player is longer than {limit} bytes").format(limit=MAX_BODY_BYTES),
        Termination.OUTPUT_LIMIT,
    )
    return recorded("no reply of the player is longer than {limit} bytes").format(limit=MAX_BODY_BYTES)


def replies_alone(bench: Bench) -> str:
    """Return a sentence which says that only replies went to stdout.

    Raises CheckFailed or CheckWarning, which quotes the other text, if the player has printed any.
    """
    printing = [costs.printed for costs in bench.costs if costs.printed]
    if not printing:
        return recorded("the player printed nothing but replies in {total} games").format(total=len(bench.costs))
    figures = {
        "text": shortened(decoded(printing[0]), 40),
        "printing": len(printing),
        "total": len(bench.costs),
    }
    if all(costs.printed_late for costs in bench.costs if costs.printed):
        raise CheckFailed(
            recorded(
                'the player printed "{text}" in {printing} of {total} games, after its last reply: maybe from a '
                "buffer, which fills up before the end of a longer game; print to stderr instead"
            ).format(**figures)
        )
    if not bench.contestant.keeps_prints_apart:
        raise CheckFailed(PRINTED.format(**figures, why=STDERR_IS_FOR_TEXT))
    if not bench.contestant.is_library:
        raise CheckFailed(
            PRINTED.format(
                **figures,
                why=recorded(
                    "when the player is built with the platform's main(), that text lands between the replies: print "
                    "it to stderr"
                ),
            )
        )
    raise CheckWarning(PRINTED.format(**figures, why=PRINTS_ARE_KEPT_APART))


def memory_limit(bench: Bench) -> str:
    """Return a sentence on the most memory that the player's processes held. Raises CheckFailed if it is too much."""
    limit_bytes = bench.conditions.play.memory_limit_bytes
    peak_bytes = max((costs.peak_rss_bytes for costs in bench.costs), default=0)
    if limit_bytes is None:
        return recorded("the player held at most {peak} MB of memory, no limit was set").format(
            peak=f"{peak_bytes / MEGABYTE:.0f}"
        )
    sentence = recorded("the player held at most {peak} MB of memory, the limit is {limit} MB").format(
        peak=f"{peak_bytes / MEGABYTE:.0f}", limit=f"{limit_bytes / MEGABYTE:.0f}"
    )
    if peak_bytes > limit_bytes:
        raise CheckFailed(sentence)
    return sentence


def stderr_limit(bench: Bench) -> str:
    """Return a sentence on the bytes of stderr to expect in the longest game.

    Raises CheckFailed if they, or those of a trial, do not fit the platform's pipe. Trials that a fault has ended do
    not count: a sanitizer's report or a traceback comes only once, and the fault is reported anyway.
    """
    trials = [costs for costs in bench.costs if costs.fault is None]
    written = max((costs.stderr_bytes for costs in trials), default=0)
    if written > PLATFORM_BYTES:
        raise CheckFailed(
            recorded(
                "the player wrote {written} bytes to stderr in one game; the platform takes {limit}: write less"
            ).format(written=f"{written:,}", limit=f"{PLATFORM_BYTES:,}")
        )
    most_turns = GAMES[bench.conditions.game].most_turns
    longest = max((_in_longest_game(costs, most_turns) for costs in trials), default=0)
    if longest > PLATFORM_BYTES:
        sizes = {"written": f"{longest:,.0f}", "limit": f"{PLATFORM_BYTES:,}"}
        raise CheckFailed(
            recorded(
                "at the rate of its games the player writes {written} bytes to stderr in {turns} moves; the platform "
                "takes {limit}: write less"
            ).format(turns=most_turns, **sizes)
        )
    return recorded(
        "the player would write at most {written} bytes to stderr in the longest game; the platform takes {limit}"
    ).format(written=f"{longest:,.0f}", limit=f"{PLATFORM_BYTES:,}")


def _in_longest_game(costs: Costs, most_turns: int) -> float:
    """Return the bytes of stderr to expect in a game with `most_turns` turns of the player.

    The rate is taken from the `costs` of one trial.
    """
    later_turns = len(costs.walls_s) - 1
    if later_turns < 1:
        return costs.stderr_bytes
    later_bytes = costs.stderr_bytes - costs.stderr_bytes_at_first_reply
    return costs.stderr_bytes_at_first_reply + later_bytes / later_turns * (most_turns - 1)


def one_thread(bench: Bench) -> str:
    """Return a sentence on the most CPU time that the player used in a trial, and on the wall time of its turns there.

    Raises CheckFailed if the CPU time is longer: a player with one thread at work cannot use more than the wall time.
    """
    most_s, in_wall_s = 0.0, 0.0
    for costs in bench.costs:
        wall_s, cpu_s = sum(costs.spans_s), sum(costs.cpus_s)  # not walls_s: a delayed judge samples the CPU time late
        if cpu_s > CPU_FACTOR * wall_s + CPU_STEP_S * (1 + len(costs.cpus_s)):
            raise CheckFailed(
                recorded(
                    "the player used {cpu} s of CPU time in turns of {wall} s: more than one thread or process was at "
                    "work"
                ).format(cpu=f"{cpu_s:.2f}", wall=f"{wall_s:.2f}")
            )
        for demand_s, turn_s in costs.demands:
            if demand_s > DEMAND_FACTOR * turn_s + DEMAND_STEP_S:
                raise CheckFailed(
                    recorded(
                        "the player's threads wanted {cpu} s of CPU time in a turn of {wall} s: more than one thread "
                        "was at work"
                    ).format(cpu=f"{demand_s:.2f}", wall=f"{turn_s:.2f}")
                )
        if cpu_s >= most_s:
            most_s, in_wall_s = cpu_s, wall_s
    return recorded("the player used at most {cpu} s of CPU time in a game, in which its turns took {wall} s").format(
        cpu=f"{most_s:.2f}", wall=f"{in_wall_s:.2f}"
    )


def few_threads(bench: Bench) -> str:
    """Return a sentence on the most threads of all processes of the player together.

    Raises CheckWarning if they are more than MOST_THREADS.
    """
    threads = max((costs.most_threads for costs in bench.costs), default=0)
    if threads > MOST_THREADS:
        raise CheckWarning(
            recorded(
                "the player had {threads} threads at a time: the platform limits their number, but has not "
                "published the limit"
            ).format(threads=threads)
        )
    return recorded("the player's threads at the same time: at most {threads}").format(threads=threads)


def at_rest(bench: Bench) -> str:
    """Return a sentence on the CPU time that the player's threads wanted while it waited for its next turn.

    Raises CheckWarning if it is more, in any long wait, than a player at rest may use.
    """
    silences = [silence for costs in bench.costs for silence in costs.silences]
    if not silences:
        return recorded("not measured: the player never had to wait for long")
    cpu_s, wall_s = sum(busy_s for busy_s, _ in silences), sum(silent_s for _, silent_s in silences)
    seen = {"cpu": f"{cpu_s:.2f}", "wall": f"{wall_s:.2f}"}
    if any(busy_s > MOST_IDLE_SHARE * silent_s + IDLE_STEP_S for busy_s, silent_s in silences):
        raise CheckWarning(
            recorded(
                "the player's threads wanted {cpu} s of CPU time in the {wall} s in which the player waited: the "
                "platform may stop a player that is not to move, or count its work"
            ).format(**seen)
        )
    return recorded(
        "the player's threads wanted {cpu} s of CPU time in the {wall} s in which the player waited"
    ).format(**seen)


def _fail_if_lost(bench: Bench, reason: str, *terminations: Termination) -> None:
    """Raise CheckFailed with the reason if a trial ended by one of these terminations."""
    lost = [costs for costs in bench.costs if costs.fault in terminations]
    if lost:
        raise CheckFailed(
            recorded("{reason}, in {lost} of {total} games").format(
                reason=reason, lost=len(lost), total=len(bench.costs)
            )
        )
