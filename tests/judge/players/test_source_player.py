"""`src:` builds a student's project as the platform does, says what had to differ, and what is wrong."""

import json
import os
import re
import threading

import pytest

from judge import files
from judge.play.observer import Observer
from judge.play.referee import Interrupted, play_game
from judge.players import source_player
from judge.players.launch import PlayerError
from judge.players.players import contestant, contestants, read_players_file
from judge.processes.bubblewrap import Sandbox
from protocol.records.record import read_records
from tests.judge.helpers.chinese import in_chinese
from tests.judge.helpers.projects import (
    MAIN,
    POINT,
    STRATEGY,
    library_project,
    needs_compiler,
    program_project,
    write_project,
)
from tests.judge.helpers.scripted import WIDE_LIMIT_S, bot, command, plan, run_judge

pytestmark = needs_compiler
OVERFLOW = STRATEGY.replace(
    "for (int column", "int *cells = new int[4]; cells[N] = M; if (cells[N] < 0) return nullptr;\n    for (int column"
)


@pytest.fixture(scope="module")
def shared_builds(tmp_path_factory):
    return tmp_path_factory.mktemp("builds")


@pytest.fixture(autouse=True)
def builds(shared_builds, monkeypatch):
    """The tests' own place for builds: what was built for one of them is not built again."""
    monkeypatch.setattr(source_player, "BUILDS", shared_builds)


@pytest.fixture
def no_builds(builds, tmp_path, monkeypatch):
    """An empty one."""
    monkeypatch.setattr(source_player, "BUILDS", tmp_path / "builds")
    return tmp_path / "builds"


def notes_of(capsys):
    """The notes on stderr; a build that takes long says there that it builds, too."""
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith("note: ")]


class FirstMoves(Observer):
    """Stops the game after three of them."""

    def __init__(self):
        self.stop, self.moves = threading.Event(), []

    def moved(self, side, position, move):
        self.moves.append(move.move)
        if len(self.moves) == 3:
            self.stop.set()


def test_folders_and_files_beyond_the_limits_are_named(tmp_path):
    project = program_project(tmp_path / "project")
    project.joinpath("data", *["deep"] * files.DEEPEST).mkdir(parents=True)
    with pytest.raises(PlayerError, match="project contains folders nested deeper than 64 levels"):
        contestant(f"src:{project}")
    with pytest.raises(PlayerError, match="project contains folders nested deeper than 64 levels"):
        contestant(str(project))
    large, kernel = tmp_path / "large.cpp", tmp_path / "kernel.cpp"
    large.touch()
    os.truncate(large, 300 * 10**9)
    kernel.symlink_to("/proc/kmsg")
    with pytest.raises(PlayerError, match="large.cpp has 300,000,000,000 bytes, expected at most 64,000,000"):
        contestant(f"src:{large}")
    with pytest.raises(PlayerError, match="kernel.cpp: expected a file, got a file of the kernel"):
        contestant(f"src:{kernel}")


def moves(player):
    """The first moves of a game against a bot of the tests."""
    found = FirstMoves()
    with pytest.raises(Interrupted):
        record = play_game((player, bot("first_legal")), plan(), found, found.stop)
        assert record is None, record.extra
    return found.moves


def refusal(text, game="connect_four"):
    with pytest.raises(PlayerError) as caught:
        contestant(text, game=game)
    return str(caught.value)


@pytest.mark.parametrize("project", [library_project, program_project])
def test_a_project_is_built_and_plays(tmp_path, capsys, project):
    player = contestant(f"src:{project(tmp_path / 'v8')}")
    assert (player.name, player.command) == ("v8", f"src:{tmp_path}/v8")
    assert moves(player) == moves(bot("first_legal"))
    notes = capsys.readouterr().err
    assert ("the project has no main(): a host program of dropfour calls getPoint" in notes) == (
        project is library_project
    )


def test_sources_lie_anywhere_and_end_lines_as_they_like(tmp_path, capsys):
    files = {"deep/down/Strategy.cpp": STRATEGY, "deep/down/Point.h": POINT, "deep/main.c": MAIN}
    files["deep/main.c"] = MAIN.replace('"Point.h"', '"down/Point.h"')
    folder = write_project(tmp_path / "crlf", {name: text.replace("\n", "\r\n") for name, text in files.items()})
    assert moves(contestant(f"src:{folder}"))
    assert notes_of(capsys) == ["note: crlf: the program that plays is built with the main() of deep/main.c"]


def test_an_earlier_build_is_used_again_where_the_content_is_the_same(tmp_path, monkeypatch):
    folder = program_project(tmp_path / "v8")
    first = contestant(f"src:{folder}")
    changed = contestant(f"src:{program_project(tmp_path / 'changed', {'other.cpp': 'int other;'})}").version
    assert len({first.version, changed, contestant(f"src:{folder} --debug").version}) == 3
    monkeypatch.setattr(source_player, "_build_project", None)
    assert contestant(f"src:{folder}") == first
    assert contestant(f"src:{program_project(tmp_path / 'copy', {'notes.txt': 'x'})}").version == first.version


def test_what_the_platform_may_refuse_is_named(tmp_path, capsys):
    folder = program_project(tmp_path / "v8", {"parts/extra.cc": '#include "Point.h"\nPoint extra;\n'})
    assert moves(contestant(f"src:{folder}"))
    assert notes_of(capsys) == [
        "note: v8: the platform may refuse parts/extra.cc: it is known to compile only .c, .cpp; rename the file",
        "note: v8: the platform may refuse the project: parts/extra.cc:1:10: fatal error: Point.h: No such file or "
        "directory; here it was built with -fpermissive and stand-ins for headers of Windows",
        "note: v8: the program that plays is built with the main() of main.cpp",
    ]


NEEDS_WINDOWS = {"main.cpp": "#include <conio.h>\n" + MAIN}
NEEDS_WINDOWS_BELOW = {"main.cpp": '#include "own.h"\n' + MAIN, "own.h": "#include <conio.h>\n"}
NEEDS_LENIENCE = {"other.cpp": "int other;\nint *other_place(const int *place) { return place; }\n"}
NEEDS_PATH = {"deep/other.cpp": '#include "Point.h"\n'}
OLD_KIT = {"main.cpp": '#include "ai_client.hpp"\nint main() {}\n', "ai_client.hpp": ""}


@pytest.mark.parametrize(
    "files, refusal",
    [
        (NEEDS_WINDOWS, r"main.cpp:1:10: fatal error: conio.h: No such file or directory"),
        (NEEDS_WINDOWS_BELOW, r"own.h:1:10: fatal error: conio.h: No such file or directory"),
        (NEEDS_LENIENCE, r"other.cpp:2:\d+: error: invalid conversion .*"),
        (NEEDS_PATH, r"deep/other.cpp:1:10: fatal error: Point.h: No such file or directory"),
        (OLD_KIT, r"main.cpp is the platform's kit of 2022, whose messages the platform no longer understands"),
        ({}, ""),
    ],
)
def test_why_the_platforms_line_alone_makes_no_bot_of_it(tmp_path, files, refusal):
    folder = program_project(tmp_path / "v8", files)
    for _again in range(2):  # the second time from what the first one kept
        assert re.fullmatch(refusal, source_player.refusal_by_platform(f"src:{folder} --debug")[0])


def test_the_compilers_words_are_shown(tmp_path):
    folder = program_project(tmp_path / "v8", {"broken.cpp": "int broken() { return nothing; }\n"})
    said = refusal(f"src:{folder}")
    assert "does not compile with -O2 -std=c++17 -DONLINE_JUDGE; the compiler says:" in said
    assert "broken.cpp:1:23: error: 'nothing' was not declared in this scope" in said.replace("\u2018", "'").replace(
        "\u2019", "'"
    )


@pytest.mark.parametrize(
    "files, said, unsaid",
    [  # messages that a build has, and one that it does not have
        ({"bot.cpp": "#include <conio.h>\n#include <windows.h>\nint x = bset;\n"}, ["3:9: error: 'bset'"], "3:1: "),
        ({"sub/bot.cpp": '#include "sub/Own.h"\nint x = bset;\n', "sub/Own.h": ""}, ["2:9: error: 'bset'"], "--show"),
        ({"bot.cpp": 'char *place = "loose";\nint *x = (const int *)0;\nint y = bset;\n'}, ["'bset'"], ":1:15"),
        ({"a.cpp": '#include "judge.h"\n', "Judge.h": ""}, ["there is no judge.h, but there is Judge.h:"], "stand-ins"),
        (
            {"a.cpp": '#include "..\\\\own.h"\n', "deep/Own.h": ""},
            ["own.h, but there is deep/Own.h:"],
            "stand-ins",
        ),
        ({"a.cpp": "int isTie(int);\n" + STRATEGY.replace("> 0", "> isTie(0)")}, ["`isTie(int)'"], "stand-ins"),
        ({"a.CPP": "int lost(); int x = lost();", "b.C": "", "c.cxx": "", "main.cc": MAIN}, ["`lost()'"], "stand-ins"),
    ],
)
def test_a_build_says_what_remains(tmp_path, files, said, unsaid):
    """Not what stand-ins have in hand; and what is nearly there is named."""
    told = refusal(f"src:{write_project(tmp_path / 'v8', {'Point.h': POINT, **files})}")
    told = told.replace("\u2018", "'").replace("\u2019", "'")
    assert all(words in told for words in said) and unsaid not in told, told


def test_of_a_flood_of_errors_the_first_are_shown(tmp_path):
    broken = "".join(f"int broken_{number}() {{ return nothing_{number}; }}\n" for number in range(100))
    said = refusal(f"src:{program_project(tmp_path / 'v8', {'broken.cpp': broken})}")
    assert "nothing_0" in said and "nothing_99" not in said
    assert re.search(
        r"\n\(\d{3} more lines of the compiler are not shown: most errors follow from the first ones\)$", said
    )


@pytest.mark.parametrize(
    "files, reason",
    [
        ({}, "holds no source file, expected one of the suffixes .c, .cpp, .cc, .cxx"),
        ({"a.cpp": "int a;"}, "makes no program: expected a main(), or getPoint and clearPoint"),
        (
            {"a.cpp": "int main() {}", "b.cpp": "int main() {}"},
            "has 2 files with a main() (a.cpp, b.cpp), expected one: --without",
        ),
        (
            {"Point.h": POINT, "a.cpp": STRATEGY, "b.cpp": STRATEGY},
            "defines getPoint 2 times (a.cpp, b.cpp), expected once: --without FILE leaves a file out",
        ),
        ({"a.cpp": "int b(); int main() { return b(); }"}, "compiles, but its parts do not link; the linker says:"),
        (
            {"a.cpp": "int twice; int main() {}", "b.cpp": "int twice;"},
            "does not link: two of its files define the same name; --without FILE leaves a file out",
        ),
        (
            {"a.cpp": "char a[3ul << 30], b[3ul << 30]; int main(int n, char **) { return a[n] + b[n]; }"},
            "does not link: its static arrays take 2 GB or more",
        ),
    ],
)
def test_what_makes_no_program_is_named(tmp_path, files, reason):
    (tmp_path / "v8").mkdir()
    assert reason in refusal(f"src:{write_project(tmp_path / 'v8', files)}")


def test_the_same_project_with_another_option_is_one_to_type(tmp_path):
    spaced = program_project(tmp_path / "my v8")
    text = source_player.with_option(f"src:{spaced}", "--debug")
    assert text == f"src:'{spaced}' --debug" and source_player.parse_text(text) == (spaced, ["debug"], [])


def test_what_is_no_project_is_named(tmp_path, monkeypatch):
    for text, reason in [
        ("src:no-such-folder", "'no-such-folder': there is no such folder or file"),
        ("src:v8/Point.h", "'v8/Point.h' is no source"),
        ("src:v8 --fast", "unknown option '--fast', expected --debug, --sanitize or --without NAME"),
        ("src:v8 --without", "--without needs the name of a file or folder"),
        ("src:v8 --without x.cpp", "--without x.cpp: there is no such file or folder in 'v8'"),
        ("src:v8 'x", "No closing quotation"),
    ]:
        monkeypatch.chdir(program_project(tmp_path / "v8").parent)
        assert reason in refusal(text)


def test_a_file_can_be_left_out(tmp_path):
    folder = program_project(tmp_path / "v8", {"bench/main.cpp": "int main() { return 1; }"})
    assert "has 2 files with a main() (bench/main.cpp, main.cpp)" in refusal(f"src:{folder}")
    assert moves(contestant(f"src:{folder} --without bench"))


def test_the_kit_of_2022_gives_way_to_getpoint(tmp_path, capsys):
    old = {"sdk/ai_client.hpp": "", "sdk/main.cpp": '#include "ai_client.hpp"\nint main() {}\n'}
    assert moves(contestant(f"src:{library_project(tmp_path / 'old', old)}"))
    assert (
        "sdk/main.cpp is the platform's kit of 2022, whose messages the platform no longer understands: the build "
        "leaves it out, and a host program of dropfour calls getPoint" in capsys.readouterr().err
    )


def test_what_a_build_tool_has_left_is_left_out_and_named(tmp_path, capsys):
    """CMake's test of the compiler has a main() of its own."""
    test = {"CMakeFiles/3.25/CompilerIdCXX/CMakeCXXCompilerId.cpp": "int main() { return 212; }"}
    folders = ("build", "tools/cmake-build-debug", "tools")
    left = {f"{folder}/{name}": text for folder in folders for name, text in test.items()}
    folder = library_project(tmp_path / "v8", {**left, "build/notes.txt": "", "builder/extra.cpp": "int extra;"})
    assert moves(contestant(str(folder)))
    assert notes_of(capsys) == [
        "note: v8: the folders of build tools are left out of the build: build, tools/CMakeFiles, "
        "tools/cmake-build-debug; leave these folders out of an upload too, as the platform compiles all sources of an "
        "upload",
        "note: v8: the project has no main(): a host program of dropfour calls getPoint",
    ]
    write_project(tmp_path / "v9", {"build/a.cpp": "int main() {}"})
    assert "holds no source" in refusal(f"src:{tmp_path}/v9")


def test_the_courses_own_judge_is_known_by_its_file(tmp_path, capsys):
    judge = {"the kit/Compete/main.cpp": "int main() { return 0; }", "the kit/Compete/src/Compete.cpp": "int compete;"}
    folder = program_project(tmp_path / "v8", judge)
    advice = "'the kit/Compete' is the course's own judge: --without 'the kit/Compete' leaves it out"
    said = refusal(f"src:{folder}")
    assert "has 2 files with a main() (main.cpp, the kit/Compete/main.cpp)" in said and said.endswith(f"\n{advice}")
    assert moves(contestant(f"src:{folder} --without 'the kit/Compete'"))
    assert advice not in capsys.readouterr().err
    (folder / "main.cpp").unlink()  # now the judge alone has a main()
    contestant(f"src:{folder}")
    played = "note: v8: the program that plays is built with the main() of the kit/Compete/main.cpp"
    assert notes_of(capsys) == [played, f"note: v8: {advice}"]


def test_files_of_one_name_are_named_by_their_paths(tmp_path):
    files = {"old/a.cpp": "int twice;", "new/a.cpp": "int twice;", "main.cpp": "int lost(); int main() { lost(); }"}
    said = refusal(f"src:{write_project(tmp_path / 'v8', files)}")
    assert "new/a.cpp:" in said and "old/a.cpp:" in said and ".o:" not in said


# Names that make, the linker or the compiler's own command line would take for something else.
ODD_NAMES = (
    "it's a name",
    'a "quoted" $HOME $(x)',
    "-O3",
    "@options",
    "a#b c:d;e|f*g",
    "tab\there",
    "back\\slash \\ blank",
    os.fsdecode("棋".encode("gbk")),
    "棋",
    "x" * 250,
)


def test_files_may_have_any_name(tmp_path):
    folder = library_project(tmp_path / "a v8's\n\udcff")
    for number, name in enumerate(ODD_NAMES):
        inside = name[:240].replace('"', "")  # which #include cannot name
        header = folder / f"{inside} parts" / f"{inside}.h"
        header.parent.mkdir()
        header.write_text("int one = 1;\n")
        include = os.fsencode(f'#include "{inside} parts/{inside}.h"\n')
        (folder / f"{name}.cpp").write_bytes(b"namespace n%d {\n%s}\n" % (number, include))
    built = source_player.build(source_player.read_tree(folder))
    header.write_text("int one = 2;\n")
    changed = source_player.build(source_player.read_tree(folder))
    assert built.digest != changed.digest
    assert source_player.build(source_player.read_tree(folder)) == changed
    assert moves(contestant(f"src:{folder}"))


def test_the_home_folder_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = library_project(tmp_path / "v8", {"tests/broken.cpp": "int broken("})
    player = contestant("src:~/v8 --without tests")
    assert (player.name, player.command) == ("v8", "src:~/v8 --without tests")
    library = source_player.build(source_player.read_tree(folder, ["tests"])).path
    (tmp_path / "v8.so").write_bytes(library.read_bytes())
    assert contestant("lib:~/v8.so").version
    (tmp_path / "players.toml").write_text('[one]\nsource = "~/v8"\n[two]\nlibrary = "~/v8.so"\n')
    known = read_players_file(tmp_path / "players.toml")
    assert [known[name].text for name in known] == [f"src:{folder}", f"lib:{folder}.so"]


WITHOUT_CLEARING = STRATEGY.partition('extern "C" void clearPoint')[0]


@pytest.mark.parametrize("strategy", [WITHOUT_CLEARING, WITHOUT_CLEARING.replace('extern "C" ', "")])
def test_getpoint_alone_is_enough(tmp_path, capsys, strategy):
    folder = write_project(tmp_path / "v8", {"Point.h": POINT, "Strategy.cpp": strategy})
    assert moves(contestant(f"src:{folder}"))
    assert any("the project has no clearPoint: here its points are not freed, but" in note for note in notes_of(capsys))
    write_project(folder, {"main.cpp": MAIN})  # as on the platform
    said = refusal(f"src:{folder}")
    assert 'your bot lacks the function extern "C" void clearPoint(Point *point)' in said


@pytest.mark.parametrize(
    "found, strategy",
    [
        ("getPoint(int, int, int*, int*, int, int, int, int)", STRATEGY.replace("const int *", "int *")),
        ("bot::getPoint(int, int)", "namespace bot { Point *getPoint(int, int) { return nullptr; } }"),
        ("GetPoint()", "Point *GetPoint() { return nullptr; }"),
        ("clearPoint(Point&)", f"{WITHOUT_CLEARING}void clearPoint(Point &) {{}}"),
    ],
)
def test_another_signature_is_named_with_the_expected_one(tmp_path, found, strategy):
    strategy = POINT + strategy.replace('extern "C" ', "").replace('#include "Point.h"', "")
    said = refusal(f"src:{write_project(tmp_path / 'v8', {'sub/bot.cpp': strategy})}")
    assert said.startswith(f'sub/bot.cpp defines the function {found}, expected extern "C" ')


@pytest.mark.usefixtures("no_builds")
def test_without_a_compiler_it_says_how_to_get_one(tmp_path, monkeypatch):
    folder = program_project(tmp_path / "v8")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refusal(f"src:{folder}").startswith("g++ is not installed, and players with src: need it: install g++ first")


@pytest.mark.usefixtures("no_builds")
def test_a_build_takes_no_longer_than_it_may(tmp_path, monkeypatch):
    monkeypatch.setattr(source_player, "LIMIT_S", -1.0)
    assert "the build was stopped after -1 s" in refusal(f"src:{program_project(tmp_path / 'v8')}")


def test_a_library_plays_its_game_alone(tmp_path):
    folder = library_project(tmp_path / "v8")
    assert "getPoint plays only connect_four, but the game is reversi" in refusal(f"src:{folder}", "reversi")


def test_a_sanitizer_names_the_fault(tmp_path):
    folder = write_project(tmp_path / "v8", {"Point.h": POINT, "Strategy.cpp": OVERFLOW})
    record = play_game((contestant(f"src:{folder} --sanitize"), bot("first_legal")), plan(memory_limit_bytes=None))
    assert (record.termination, record.at_fault) == ("CRASH", "A")
    assert "heap-buffer-overflow" in record.extra["A"]["stderr"]
    assert "Strategy.cpp:4" in record.extra["A"]["stderr"]


def test_a_sanitizer_looks_for_no_leaks(tmp_path):
    """A program that frees nothing at its end has lost nothing by it, and in a sandbox the search itself fails."""
    for project in (program_project, library_project):
        folder = project(tmp_path / project.__name__)
        settings = contestant(f"src:{folder} --sanitize").launch(1.0, 1).environment["ASAN_OPTIONS"]
        assert "detect_leaks=0" in settings.split(":")
        assert "ASAN_OPTIONS" not in contestant(f"src:{folder}").launch(1.0, 1).environment


def test_notes_are_in_the_readers_language_whoever_built_it(tmp_path, capsys):
    folder = program_project(tmp_path / "v8", {"parts/extra.cc": '#include "Point.h"\nPoint extra;\n'})
    contestant(f"src:{folder}")
    in_english = notes_of(capsys)
    with in_chinese():
        contestant(f"src:{folder}")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(in_english) == 3
    assert "注意：v8：下棋的程序用的是 main.cpp 的 main()" in [line.replace("v8: ", "v8：") for line in lines]
    contestant(f"src:{folder}")
    assert notes_of(capsys) == in_english


def test_a_bare_path_is_what_it_holds(tmp_path):
    project = program_project(tmp_path / "v8")
    assert contestant(str(project)).launch(1.0, 1) == contestant(f"src:{project}").launch(1.0, 1)
    single = write_project(tmp_path / "one", {"Point.h": POINT, "all.cpp": STRATEGY + MAIN})
    assert moves(contestant(str(single / "all.cpp")))
    script = write_project(tmp_path / "python", {"main.py": "print()\n"})
    player = contestant(str(script))
    assert (player.name, player.launch(1.0, 1).argv[1:], player.launch(1.0, 1).folder) == (
        "python",
        ("main.py",),
        str(script),
    )
    (tmp_path / "empty").mkdir()
    assert "holds no player, expected main.py, C++ sources or strategy libraries" in refusal(str(tmp_path / "empty"))


def test_two_readings_are_an_error_with_both_spellings(tmp_path):
    both = program_project(tmp_path / "both", {"main.py": "print()\n"})
    choices = f'"python {both}/main.py", src:{both}'
    assert refusal(str(both)) == f"folder '{both}' holds several players, name one of these players: {choices}"
    libraries = write_project(tmp_path / "libraries", {"a.so": ""})
    assert f"one of these players: lib:{libraries} (`batch --against`)" in refusal(str(libraries))


def test_a_players_file_names_a_project(tmp_path):
    program_project(tmp_path / "v8")
    (tmp_path / "players.toml").write_text('[mine]\nsource = "v8"\n')
    (player,) = contestants(["mine"], tmp_path / "players.toml")
    assert (player.name, player.command) == ("mine", f"src:{tmp_path}/v8")


def test_version_8_against_version_7_and_on_with_a_change(tmp_path):
    for name in ("v7", "v8"):
        program_project(tmp_path / name)
    words = ("match", "src:v7", "src:v8", "--free-start", "--limit", WIDE_LIMIT_S, "--record", "m.jsonl", "--seed", 1)
    done = run_judge(tmp_path, *words, "--games", 2, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["games"] == 2
    before = read_records(tmp_path / "m.jsonl")[0][0].players[1].version
    (tmp_path / "v8" / "Point.h").write_text(POINT + "// changed\n")
    refused = run_judge(tmp_path, *words, "--games", 4, "--resume")
    assert refused.returncode == 2
    assert f"has the player src:v8 at version {before} as B, but this command has src:v8 at version " in refused.stderr


def test_an_error_ends_a_match_before_its_first_game(tmp_path):
    write_project(tmp_path / "v8", {"a.cpp": "int main( {}\n"})
    done = run_judge(tmp_path, "match", "src:v8", command("first_legal"), "--games", 2)
    assert done.returncode == 2
    assert "a.cpp:1:" in done.stderr
    assert list(tmp_path.rglob("*.jsonl")) == []


def test_a_project_for_windows_gets_stand_ins_for_its_headers(tmp_path, capsys):
    words = "#include <conio.h>\n#include <atlstr.h>\n__int8 small = max(1, 2);\n"
    call = STRATEGY.replace("for (int column", '_cprintf("%d", (int)GetTickCount());\n    for (int column')
    folder = write_project(tmp_path / "v8", {"Point.h": POINT, "Strategy.cpp": words + call})
    assert moves(contestant(f"src:{folder}"))
    assert "conio.h: No such file or directory; here it was built with" in capsys.readouterr().err


def test_functions_that_are_not_extern_c_are_found(tmp_path):
    folder = write_project(tmp_path / "v8", {"Point.h": POINT, "Strategy.cpp": STRATEGY.replace('extern "C" ', "")})
    assert moves(contestant(f"src:{folder}"))


def test_whatever_the_compiler_reads_is_part_of_the_version(tmp_path):
    """Also what is left out and included, or lies outside the folder, where a build has to be shown it."""
    write_project(tmp_path, {"common/extra.h": "", "one/table.txt": "1"})
    words = '#include "../common/extra.h"\n#include "search.cpp"\nint table[] = {\n#include "table.txt"\n};\n'
    files = {"Point.h": POINT, "all.cpp": words + STRATEGY + MAIN, "search.cpp": "int depth = 3;\n"}
    folder = write_project(tmp_path / "one", files)
    text = f"src:{folder} --without search.cpp"
    sandbox = Sandbox(shown=(str(tmp_path / "common"),))
    versions = [contestant(text, sandbox=sandbox).version]
    for changed in (tmp_path / "common" / "extra.h", folder / "search.cpp", folder / "table.txt"):
        changed.write_text(changed.read_text() + " ")
        versions.append(contestant(text, sandbox=sandbox).version)
    assert len(set(versions)) == 4
    assert contestant(text, sandbox=sandbox).version == versions[-1]


def test_the_folder_one_is_in_has_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(program_project(tmp_path / "v8"))
    assert [contestant(text).name for text in (".", "src:.")] == ["v8", "v8"]


def test_every_file_of_a_python_folder_is_part_of_its_version(tmp_path):
    folder = write_project(tmp_path / "python", {"main.py": "", "data/weights.bin": "1"})
    before = contestant(str(folder)).version
    (folder / "data" / "weights.bin").write_text("2")
    assert contestant(str(folder)).version != before
