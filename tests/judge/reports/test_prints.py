"""What a strategy library prints is kept with the games, and told once where they are summed up."""

import json
import os

import pytest
from msgspec import structs

from judge.play.referee import play_game
from judge.players.players import contestant
from judge.processes.process import BotProcess, Prints
from judge.processes.start import CannotStart, Launch
from judge.reports import batch, prints
from protocol.records.record import GameRecord
from tests.judge.helpers.rightmost_libraries import make_libraries, make_printing_library
from tests.judge.helpers.scripted import WIDE_LIMIT_S, bot, command, plan, run_judge

FIRST = command("first_legal")
HARMLESS = (
    "the text is harmless here, but in an upload, which the platform's main() is part of, it lands between the replies"
)
BESIDES = ("--free-start", "--limit", WIDE_LIMIT_S)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the libraries 2.so, 10.so and printing.so."""
    folder = tmp_path_factory.mktemp("libraries")
    make_libraries(folder)
    make_printing_library(folder / "printing.so")
    return folder


@pytest.fixture(scope="module")
def record(folder):
    """A game of the printing library, as B."""
    return play_game((bot("first_legal"), contestant(f"lib:{folder}/printing.so")), plan())


def test_a_record_counts_what_was_printed_and_keeps_its_beginning(record):
    kept = record.extra["B"]
    moves = sum(move.side == "B" for move in record.moves)
    assert record.termination == "NORMAL"
    assert (kept["printed_bytes"], kept["printed"]) == (len("9 rows\n") * moves, "9 rows\n" * moves)
    assert kept["stderr_bytes"] == 0
    assert GameRecord.from_json(record.to_json()) == record


def test_who_does_not_print_has_no_entry(folder, record):
    silent = play_game((contestant(f"lib:{folder}/2.so"), bot("first_legal")), plan())
    for kept in (silent.extra["A"], silent.extra["B"], record.extra["A"]):
        assert {"printed", "printed_bytes"}.isdisjoint(kept)
    assert prints.notes([silent]) == []


def test_a_note_quotes_it(record):
    (note,) = prints.notes([record, record])
    assert note == rf'note: B (printing.so) printed "9 rows\n9 rows\n9 rows\n" on stdout: {HARMLESS}'
    long = {**record.extra, "B": {"printed_bytes": 1000, "printed": "x" * 256}}
    (note,) = prints.notes([structs.replace(record, extra=long)])
    assert 'printed "xxx' in note
    assert "xxx..xxx" in note


def test_an_older_record_has_no_note(record):
    for kept in (None, [], "text", {}, {"printed_bytes": 0}, {"printed_bytes": None}):
        assert prints.notes([structs.replace(record, extra={**record.extra, "B": kept})]) == [], kept


def test_what_it_says_is_no_code_for_the_terminal(record):
    extra = {**record.extra, "B": {"printed_bytes": 4, "printed": "\x1b[2J"}}
    (note,) = prints.notes([structs.replace(record, extra=extra)])
    assert r'"\x1b[2J"' in note


def test_a_batch_counts_the_libraries_that_print_in_one_line(folder, record):
    """Of its opponents; what its own player prints is told apart."""

    def printing(side):
        extra = {"A": {}, "B": {}, side: record.extra["B"]}
        return structs.replace(record, extra={**record.extra, **extra})

    library, program = contestant(f"lib:{folder}/printing.so"), bot("first_legal")
    silent = structs.replace(record, extra={**record.extra, "B": {}})
    of_library = [batch.Result(library, [silent, printing("B")], 2), batch.Result(library, [silent], 2)]
    results = [*of_library, batch.Result(program, [printing("B")], 2)]
    assert prints.counts_in_batch(results) == {"libraries": 2, "printing": 1}
    assert prints.batch_notes(results) == [
        f"note: 1 of the 2 opponents that are strategy libraries printed on stdout: {HARMLESS}"
    ]
    assert prints.batch_notes(of_library[1:]) == []
    own = prints.batch_notes([*results, batch.Result(library, [printing("A")], 2)])
    printing = [note.partition(" print")[0] for note in own]
    assert printing == ["note: 1 of the 3 opponents that are strategy libraries", "note: A (first_legal)"]


def test_play_and_replay_and_runs_tell(tmp_path, folder):
    library = f"lib:{folder}/printing.so"
    for words in (
        ("play", FIRST, library, *BESIDES),
        ("replay", "records/play.jsonl"),
        ("match", FIRST, library, "--games", 1, *BESIDES),
        ("batch", FIRST, "--against", library, *BESIDES, "--json"),
    ):
        done = run_judge(tmp_path, *words)
        assert done.returncode == 0, done.stderr
        note = (
            "note: 1 of the 1 opponents that are strategy libraries printed "
            if words[0] == "batch"
            else "note: B (printing.so) printed "
        )
        assert sum(line.startswith(note) for line in done.stdout.splitlines()) == 1, words
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert (outcome["libraries"], outcome["printing"]) == (1, 1)


def test_no_pipe_is_left_open(folder, tmp_path):
    """Neither of a host that played nor of one that could not be started."""
    before = len(os.listdir("/proc/self/fd"))
    play_game((contestant(f"lib:{folder}/printing.so"), contestant(f"lib:{folder}/2.so")), plan())
    with pytest.raises(CannotStart):
        BotProcess(Launch((str(tmp_path / "nothing"),), keeps_prints_apart=True), "marker")
    assert len(os.listdir("/proc/self/fd")) <= before


def test_what_is_printed_is_counted_and_its_beginning_kept():
    prints = Prints()
    assert (prints.total, prints.text()) == (0, "")
    for data in (b"first \xff\n", b"x" * 1000):
        prints.feed(data)
    assert prints.total == 1008 and prints.text().startswith("first \\xff\nxxx") and len(prints.first) == 256
