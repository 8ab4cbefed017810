"""`dropfour tournament`: real games between scripted players, from the command line to the standings."""

import json
import re
import signal

import pexpect

from judge.runs.schedule import MOST_ATTEMPTS
from protocol.records.record import Termination, read_records
from tests.judge.helpers.rightmost_libraries import make_libraries
from tests.judge.helpers.scripted import PATIENCE_S, WIDE_LIMIT_S, command, moves_of, run_judge
from tests.judge.helpers.started import in_terminal, started

MOVER = command("random_mover", "--seed", "{seed}")
FIRST = command("first_legal")
LOSER = command("misbehave", "off_board")
CRASHING = command("misbehave", "exit_3", "--at", 2)
COMMON = ("--seed", 3, "--limit", WIDE_LIMIT_S, "--record", "games.jsonl", "--json")


def tournament(folder, *words, status=0):
    """(the JSON object, stdout, stderr) of a tournament in the folder."""
    done = run_judge(folder, "tournament", *words, *COMMON)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stdout, done.stderr


def refused(folder, message, *words):
    done = run_judge(folder, "tournament", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def by_name(outcome):
    return {player["name"]: player for player in outcome["players"]}


def games_in(folder):
    """{a game's number: players, board, who moved first, moves, winner}."""
    return {
        record.extra["index"]: (
            [player.command for player in record.players],
            record.board,
            record.first,
            moves_of(record),
            record.winner,
        )
        for record in read_records(folder / "games.jsonl")[0]
    }


def test_everybody_meets_everybody_and_is_rated(tmp_path):
    outcome, output, errors = tournament(tmp_path, MOVER, FIRST, LOSER, "--rounds", 1, "--jobs", 2, "--oversubscribe")
    players = by_name(outcome)
    assert list(players)[-1] == "misbehave.py"
    loser = players["misbehave.py"]
    assert (loser["games"], loser["wins"], loser["losses"], loser["held"]) == (4, 0, 4, True)
    assert outcome["at_fault"] == {"misbehave.py": {"ILLEGAL_MOVE": 4}}
    assert (outcome["mode"], outcome["games"], outcome["target_reached"]) == ("round robin", 6, None)
    rated = [player["elo"] for player in outcome["players"]]
    assert rated == sorted(rated, reverse=True)
    assert outcome["players"][-1]["los"] is None
    records = read_records(tmp_path / "games.jsonl")[0]
    for row, one in enumerate(outcome["players"]):
        for column, other in enumerate(outcome["players"]):
            between = [r for r in records if {p.name for p in r.players} == {one["name"], other["name"]}]
            won = [r for r in between if r.winner and r.players["AB".index(r.winner)].name == one["name"]]
            counts = outcome["crosstable"][row][column]
            assert counts is None if row == column else (counts[0], sum(counts)) == (len(won), 2)
    assert {record.extra["free_start"] for record in records} == {True}
    assert output.splitlines()[0] == "round robin of 3 players, 6 games at most"
    assert re.search(r"^3 +misbehave.py +-\d+\* +±\d+ +4 +0 +0 +4 +0.0% +- *$", output, re.MULTILINE)
    assert "6/6 games  " in errors and " leads with " in errors
    assert re.search(r"ILLEGAL_MOVE by [AB] \(misbehave.py\): ", output)


def test_its_own_limit_is_told_before_the_first_game(tmp_path):
    words = ("tournament", LOSER, f"{LOSER} ", "--rounds", 1, "--seed", 3)
    for number, more in enumerate(((), ("--limit", 3), ("--charge-start",))):
        done = run_judge(tmp_path, *words, *more, "--record", f"{number}.jsonl")
        told = [line for line in done.stdout.splitlines() if line.startswith("each move has 0.1 s here")]
        assert len(told) == (not more), more
    assert "--limit 3 --charge-start" in run_judge(tmp_path, *words, "--record", "last.jsonl").stdout


def test_a_gauntlet_is_the_first_players(tmp_path):
    outcome, output, _ = tournament(tmp_path, LOSER, MOVER, FIRST, "--gauntlet", "--rounds", 1)
    assert by_name(outcome)["misbehave.py"]["games"] == 4
    assert {tuple(commands) for commands, *_others in games_in(tmp_path).values()} == {(LOSER, MOVER), (LOSER, FIRST)}
    assert output.startswith("gauntlet of 3 players, 4 games at most\n")


def test_errors_that_are_not_small_enough_are_told_of(tmp_path):
    words = (MOVER, FIRST, "--rounds", 2, "--target-error", 20)
    outcome, output, _ = tournament(tmp_path, *words)
    assert (outcome["games"], outcome["target_reached"]) == (4, False)
    largest = max(player["elo_error"] for player in outcome["players"])
    told = re.search(r"the wanted error of ±20 Elo is not reached yet(?:: the largest error is ±(\d+))?", output)
    assert told and (told[1] is None or abs(int(told[1]) - largest) <= 0.5)


def test_it_ends_when_the_errors_are_small_enough(tmp_path):
    words = (MOVER, command("random_mover", "--seed", "1{seed}"), "--target-error", 400)
    outcome, output, _ = tournament(tmp_path, *words)
    assert outcome["target_reached"] is True
    assert max(player["elo_error"] for player in outcome["players"]) <= 400
    assert outcome["games"] < 30
    assert "the error of every rating is at most ±400 Elo" in output
    size = (tmp_path / "games.jsonl").stat().st_size
    again, _, _ = tournament(tmp_path, *words, "--resume", "--adaptive")
    assert (tmp_path / "games.jsonl").stat().st_size == size
    assert again["players"] == outcome["players"]


def test_an_anchor_has_the_rating_given(tmp_path):
    outcome, _, _ = tournament(tmp_path, MOVER, LOSER, "--rounds", 1, "--anchor", "misbehave.py=1500")
    anchor = by_name(outcome)["misbehave.py"]
    assert (anchor["elo"], anchor["elo_error"]) == (1500.0, 0.0)
    words = ("tournament", MOVER, LOSER, *COMMON[:-1], "--resume")
    done = run_judge(tmp_path, *words, "--anchor", "nobody=0")
    assert done.returncode == 2
    assert "--anchor: 0 players have the name or the command 'nobody', expected one; " in done.stderr
    assert "the players are random_mover.py, misbehave.py" in done.stderr


def test_who_fails_time_and_again_is_left_out(tmp_path):
    outcome, output, errors = tournament(tmp_path, MOVER, CRASHING, FIRST, "--rounds", 2)
    assert "skipped: " in errors and "(misbehave.py) failed in 3 games in a row" in errors
    players = by_name(outcome)
    assert 3 <= players["misbehave.py"]["games"] < 8
    assert outcome["crosstable"][0][1] is not None and sum(outcome["crosstable"][0][1]) == 4
    assert re.search(r"stopped: \d+ of 12 games were played", output)
    assert "--resume --keep-going" in output
    whole, _, _ = tournament(tmp_path, MOVER, CRASHING, FIRST, "--rounds", 2, "--resume", "--keep-going")
    assert whole["games"] == 12


def test_a_gauntlet_ends_with_a_first_player_that_fails(tmp_path):
    _, _, errors = tournament(tmp_path, CRASHING, MOVER, FIRST, "--gauntlet", status=4)
    assert "skipped: player A (misbehave.py) failed in 3 games in a row" in errors


def test_a_folder_stands_for_its_libraries(tmp_path):
    (tmp_path / "libraries").mkdir()
    make_libraries(tmp_path / "libraries")
    outcome, _, _ = tournament(tmp_path, LOSER, "libraries", "--rounds", 1, "--gauntlet")
    assert set(by_name(outcome)) == {"misbehave.py", "2.so", "10.so"}


def test_other_games_have_tournaments(tmp_path):
    game = "dots"
    players = (command("misbehave", "off_board"), command("first_legal", game=game))
    outcome, _, _ = tournament(tmp_path, "--game", game, *players, "--rounds", 1, "--adaptive")
    assert outcome["games"] == 2
    assert {record.game for record in read_records(tmp_path / "games.jsonl")[0]} == {game}


BAD_WORDS = (
    ("a tournament takes at least two players", [MOVER]),
    ("is named 2 times", [MOVER, FIRST, MOVER]),
    ("argument --rounds: '0' is not an integer of at least 1", [MOVER, FIRST, "--rounds", 0]),
    (
        "argument --target-error: '0' is not the error of a rating, expected a number above 0",
        [MOVER, FIRST, "--target-error", 0],
    ),
    ("argument --target-error: 'nan' is not a number from", [MOVER, FIRST, "--target-error", "nan"]),
    ("argument --anchor: 'bot' is not of the form PLAYER=ELO", [MOVER, FIRST, "--anchor", "bot"]),
    ("argument --anchor: 'x' is not a number from -100,000 to 100,000", [MOVER, FIRST, "--anchor", "bot=x"]),
    ("not allowed with argument", [MOVER, FIRST, "--gauntlet", "--adaptive"]),
    ("--resume needs --record FILE", [MOVER, FIRST, "--resume"]),
    ("cannot start", [MOVER, "no_such_program_anywhere"]),
)


def test_what_does_not_fit_is_refused_in_words(tmp_path):
    for message, words in BAD_WORDS:
        refused(tmp_path, message, *words)


def test_a_match_is_not_taken_for_a_tournament(tmp_path):
    done = run_judge(tmp_path, "match", MOVER, LOSER, "--games", 2, *COMMON[:-1], "--free-start")
    assert done.returncode == 0
    refused(
        tmp_path,
        "was played with format 'pairs', but this command has 'tournament'",
        *(MOVER, LOSER, *COMMON[:-1], "--resume"),
    )


def test_a_void_game_counts_for_nobody(tmp_path):
    """Though it had all the attempts that it may have: who goes on with the run means it to be played."""
    tournament(tmp_path, MOVER, LOSER, "--rounds", 1)
    path = tmp_path / "games.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[1].update(termination="VOID", winner=None, at_fault=None)
    lines[1]["extra"]["attempt"] = MOST_ATTEMPTS
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    outcome, output, _ = tournament(tmp_path, MOVER, LOSER, "--rounds", 1, "--resume")
    assert "resumed: 1 of 2 games are in the record" in output and "stopped" not in output
    assert outcome["games"] == 2
    assert outcome["void_attempts"] == 1
    assert [record.termination for record in read_records(path)[0]].count(Termination.VOID) == 1


def test_standings_are_shown_as_they_change_on_a_terminal(tmp_path):
    words = ("tournament", MOVER, LOSER, "--rounds", 2, *COMMON[:-1])
    shown = in_terminal(tmp_path, *words, size=(40, 100))
    shown.expect("0/4 games")
    shown.expect("Standings")
    shown.expect("random_mover.py")
    shown.expect("leads with")
    shown.expect("Crosstable")
    shown.expect(pexpect.EOF)
    shown.close()
    assert shown.exitstatus == 0


def test_a_run_that_is_stopped_says_how_it_goes_on(tmp_path):
    judge = started(tmp_path, "tournament", MOVER, FIRST, "--rounds", 500, *COMMON[:-1])
    for _ in range(3):
        judge.stderr.readline()
    judge.send_signal(signal.SIGINT)
    output, _errors = judge.communicate(timeout=PATIENCE_S)
    assert judge.returncode == 0
    assert "Standings" in output
    assert re.search(r"^stopped: \d+ of 1000 games were played$", output, re.MULTILINE)
    assert "to continue, run the same command with --record games.jsonl --resume" in output
    assert 3 <= len(games_in(tmp_path)) < 1000
