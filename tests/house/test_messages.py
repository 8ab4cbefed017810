"""What people read on a terminal is marked in the sources and translated in the catalogs."""

import string

import pytest
from babel.messages.mofile import read_mo

from judge import language
from tests.house.imports import python_files, source_of
from tests.house.messages import unmarked, wrong_marks
from translation.catalogs import brought_up, compiled, faults, po_bytes, read, sources_of_catalogs, template

# What looks like a message and is none: {file: {text: why}}.
EXCEPTIONS = {
    "judge/program.py": {
        "import runpy, sys; sys.path[0] = {}; runpy.run_module('bot', run_name='__main__', alter_sys=True)": "Python"
    },
    "judge/command_line/game_options.py": {"argument {}: {}": "argparse's form, which parser.py translates"},
    "judge/command_line/exits.py": {
        "{} replay {}": "a command",
        "{} repro {}{}": "a command",
        "{} view {} --open": "a command",
        " --game {}": "options",
        " --side {}": "options",
        " --ply {}": "",
        "--record {} --resume": "options",
    },
    "judge/commands/single_games/serve.py": {"scripts/setup serve": "commands", "{} -m pip install {}": ""},
    "judge/command_parts/machine_check.py": {"{} doctor --jobs {}": "a command"},
    "judge/commands/readiness/doctor.py": {"cd {} && {}": "commands", "export DROPFOUR_CACHE_DIR=FOLDER": ""},
    "judge/commands/records/repro.py": {"cd {} &&": "a command", "set args {} < {}": "a command of gdb"},
    "judge/runs/record_files.py": {"sed -i.damaged {}d {}": "a command"},
    "judge/reports/forfeits.py": {"ERROR: \\w+Sanitizer: |: runtime error: ": "what sanitizers print"},
    "judge/formats/compete_log/verdicts.py": {
        "A and B tied": "what Compete prints",
        "A - bug occurred": "",
        "A - made illegal step": "",
        "B - bug occurred": "",
        "B - made illegal step": "",
        "A - timed out": "",
        "B - timed out": "",
        "Load File A Error": "",
        "Load File B Error": "",
        "Function Interface Error in A": "",
        "Function Interface Error in B": "",
        "Platform Error": "",
        "bug occurred": "",
        "made illegal step": "",
        "timed out": "",
    },
    "judge/formats/compete_log/writing.py": {"VOID {}": "what Compete prints", "Round {}:": "", "{} first:": ""},
    "judge/formats/connect_four_detail/facts.py": {
        "dropfour: engine (\\S+)(?: \\((.*))?": "what our bot writes to stderr"
    },
    "judge/formats/connect_four_detail/game.py": {"Saiblo, logic {}": "a record's own", "saiblo:{}": ""},
    "judge/formats/endings.py": {
        "time(?:d| )?-?\\s?out|out of time|time limit|超时": "words of other programs",
        "crash|runtime error|运行错误|异常退出|崩溃": "",
    },
    "judge/formats/logged.py": {"imported:{}": "a record's own"},
    "judge/formats/hand.py": {"first B": "a line of the format"},
    "judge/games/connect_four/written.py": {"{}x{} forbidden ": "a line of the format"},
    "judge/games/dots/written.py": {"opening AAB,BCD": "an example of the format"},
    "judge/games/reversi/written.py": {"opening d3,c3": "an example of the format"},
    "judge/games/written.py": {"{} opening {}": "a line of the format"},
    "judge/games/check_cases.py": {
        "a game to its end": "values of Kind, for readers of the source",
        "a game against an opponent that keeps it going": "",
        "a game against a second process of the player": "",
        "games on random boards with random beginnings, each with another seed": "",
        "boards that are nearly full when the player is first asked": "",
        "every byte of the first messages comes by itself": "",
        "every message comes in three parts, cut anywhere": "",
        "the first two messages come in one piece": "",
        "long pauses before the first message and before turns: the player waits, in silence": "",
        "the input ends before the first turn, after the first message where a game has one": "",
        "the input ends after a reply": "",
        "nobody reads stderr: a player that writes more than the pipe holds would block": "",
        "several whole searches, while memory is watched": "",
    },
    "judge/games/connect_four/board.py": {"rows, cols, forbidden": "keys of a record"},
    "judge/games/dots/board.py": {"rows, columns, opening": "keys of a record"},
    "judge/games/reversi/board.py": {"size, opening": "keys of a record"},
    "judge/games/dots/checks.py": {"AAB BCD AFA BAC ADE BFB AEC BDA": "moves"},
    "judge/logic/replay.py": {
        "has four in a line": "a text of the rules, by which it is known",
        "four in a row": "a replay's own",
    },
    "judge/machine/processor.py": {
        "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave": "names of Linux",
        "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3": "",
        "cmov cx8 fpu fxsr mmx sse sse2": "",
        "model name": "",
    },
    "judge/machine/system_packages.py": {
        "apt install": "commands",
        "dnf install": "",
        "zypper install": "",
        "apk add": "",
    },
    "judge/cluster/arrival.py": {"engine {}": "a line of the bot's log"},
    "judge/machine/tools.py": {
        "#include <vector>\nint main() { if (std::vector<int> v; v.empty()) return 0; }\n": "a program",
    },
    "judge/pages/modules.py": {
        "there is no module {}, which {} imports": "an error of ours alone",
        "{}: {}: a form that judge/pages/modules.py does not understand": "",
        '^import \\{([\\w\\s,]+)\\} from "([\\w./]+)";\\n': "JavaScript",
        "const {{}} = {};\n": "",
        "const {} = (() => {\n{}return { {} };\n})();\n": "",
    },
    "judge/pages/page.py": {
        "dropfour view": "a command",
        '<script type="application/octet-stream" id="{id}">{content}</script>\n': "HTML",
        (
            "default-src 'none'; script-src {script}; style-src {style}; img-src data:; base-uri 'none'; "
            "form-action 'none'"
        ): "HTTP",
    },
    "judge/play/seat.py": {"out of turn": "a part of a reason in a record"},
    "judge/players/compiler.py": {"-D__int64=long long": "an option of the compiler"},
    "judge/players/players.py": {'"python {}"': "a command"},
    "judge/players/source_build.py": {"relocation truncated": "the linker's words", "multiple definition": ""},
    "judge/reports/compete.py": {
        "ratio of A wins : {}": "Compete's file",
        "ratio of B wins : {}": "",
        "ratio of Tie : {}": "",
        "ratio of (A wins + tie) : {}": "",
        "ratio of (B wins + tie) : {}": "",
    },
    "judge/server/browsing.py": {"{}, line {}: {}": "a place, as RecordError has it"},
    "judge/server/inputs.py": {"[rows, columns]": "JSON"},
    "judge/viewer/positions.py": {"ply {} is outside 0..{}": "an error of ours alone"},
    "judge/statistics/elo.py": {"counts are {}, expected 3 or 5 numbers >= 0, not all 0": "an error of ours alone"},
}
CATALOGS = pytest.mark.parametrize("path", sources_of_catalogs(), ids=lambda path: path.parents[1].name)


@pytest.mark.parametrize("file", python_files("judge"))
def test_every_message_is_marked(file):
    found = unmarked(source_of(file))
    known = EXCEPTIONS.get(file, {})
    assert [(line, text) for line, text in found if text not in known] == []
    assert set(known) == {text for _line, text in found}
    assert wrong_marks(source_of(file)) == []


def test_unmarked_messages_are_found():
    source = '''
"""A docstring of a module."""
HELP = "said later, by somebody"
NAME = "one"
print(f"wins: {count}", _("marked"))
print(_("in {number} games").format(number=f"{1} games"), sep="-")
parser.add_argument("--limit", help="seconds")
raise PlayerError("unknown" if name else f"{name}!")
table.add_row(_("won"), "lost", "nElo")
def f(x: "a b c") -> "list of texts": ...
recorded(HELP)
_(f"so {many}")
_(NAME)
'''
    texts = [text for _line, text in sorted(unmarked(source))]
    assert texts == ["said later, by somebody", "wins: {}", "{} games", "seconds", "unknown", "lost", "so {}"][:6]
    assert wrong_marks(source) == [(11, "recorded"), (12, "_")]


@CATALOGS
def test_a_catalog_has_every_message_translated_and_no_other(path):
    catalog = brought_up(path)
    assert faults(catalog) == []
    assert po_bytes(catalog).decode() == path.read_text("utf-8")  # scripts/translate has been run


@CATALOGS
def test_what_gettext_reads_is_what_the_translator_wrote(path):
    with compiled(path).open("rb") as file:
        found = read_mo(file)
    assert texts_of(found) == texts_of(read(path))


def texts_of(catalog):
    """{message: translation} of a catalog; of one with a plural, both are tuples."""
    return {
        tuple(each) if isinstance(each := message.id, list) else each: tuple(message.string)
        for message in catalog
        if message.id
    }


def test_faults_of_a_translation_are_found():
    catalog = template()
    catalog.add("{number} games", "{count} 局")
    catalog.add("%(value)r of %s", "%s")
    catalog.add("seconds {limit:g}", "{limit} 秒")
    catalog.add("fine {limit:g}", "{limit:g} 好")
    catalog.add("doubtful", "可疑", flags=["fuzzy"])
    found = [fault for fault in faults(catalog) if not fault.startswith("not translated")]
    assert [fault.partition(": ")[0] for fault in found] == ["other fields"] * 3 + ["fuzzy"]
    assert len(faults(catalog)) > 300


def test_every_template_of_records_can_be_told_from_its_texts():
    """Its fields are filled with text, and something of its own stands between them."""
    for text in language.templates():
        parts = list(string.Formatter().parse(text))
        assert all(name is None or (name.isidentifier() and not form and not kind) for _, name, form, kind in parts)
        assert any(literal.strip(" ") for literal, *_ in parts) or len(parts) > 1
