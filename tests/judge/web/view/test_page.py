"""What a page is made of: the modules as one script, a game as JSON, texts in every language, and nothing to escape."""

import base64
import json
import re
import zlib

import pytest
from msgspec import structs

from judge import language
from judge.games import GAMES
from judge.web.record_data import (
    COLUMNS,
    MOST_COLUMNS,
    OTHERS,
    SHOWN_CHARACTERS,
    Rows,
    Source,
    game_json,
    report_columns,
    rows_json,
    size_in_words,
)
from judge.web.record_page import ASSETS, GENERATOR, GROUP, ModuleError, packed, page, script
from judge.web.texts import in_each, texts_of, translations
from protocol.records.record import Move, Termination
from tests.judge.helpers.chinese import in_chinese
from tests.judge.helpers.logged_files import LOG
from tests.judge.helpers.logged_games import imported
from tests.judge.helpers.random_games import LARGEST
from tests.judge.web.view.helpers import samples

HINT = re.compile(r"(\d+)([!:])(\S+)")
BYTES_OF_A_GAME = 5_000  # of at most 5 MB with 1,000 games


def sources(records):
    return [Source(0, number, record) for number, record in enumerate(records, start=1)]


def test_modules_become_one_script_in_their_order():
    modules = {
        "app.js": 'import { two } from "./parts/two.js";\nimport { one } from "./one.js";\nawait two(one);\n',
        "one.js": "export const one = 1;\nconst two = 2;\n",
        "parts/two.js": 'import { one } from "../one.js";\nexport function two() {\n    return one;\n}\n',
    }
    made = script(modules)
    assert "import" not in made and "export" not in made
    assert made.index("const module_one =") < made.index("const module_parts_two =") < made.index("await two(one)")
    assert "return { one };" in made and "const { two } = module_parts_two;" in made


def test_a_library_keeps_its_notice_and_gives_what_it_exports_by_other_names():
    modules = {
        "app.js": 'import { Component, h } from "./library.js";\n// says nothing\nh(Component);\n',
        "library.js": '/* Its license. */\nconst a="// no comment",b=2;export{a as Component,b as h};\n',
    }
    made = script(modules)
    assert "/* Its license. */" in made and 'a="// no comment"' in made and "says nothing" not in made
    assert "return { Component: a, h: b };" in made and "const { Component, h } = module_library;" in made


@pytest.mark.parametrize(
    "modules, error",
    [
        ({"app.js": 'import { x } from "./none.js";\n'}, "there is no module none.js, which app.js imports"),
        (
            {"app.js": 'import { x } from "./a.js";\n', "a.js": 'import { y } from "./app.js";\n'},
            "app.js imports a.js imports app.js",
        ),
        ({"app.js": 'import * as x from "./app.js";\n'}, "app.js: import * as x"),
        ({"app.js": "export default 1;\n"}, "app.js: export default 1"),
    ],
)
def test_modules_that_cannot_be_put_together_are_named(modules, error):
    with pytest.raises(ModuleError, match=re.escape(error)):
        script(modules)


def test_a_page_has_every_text_of_its_program_in_every_language():
    assert len(texts_of(ASSETS)) > 100
    for catalog in translations(ASSETS).values():
        assert set(catalog) == {*texts_of(ASSETS), *Termination}


def test_texts_are_read_as_the_program_has_them(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.js").write_text('show(t("b {n}", { n }), t(\n    "say \\"a\\""));\nformat("none");\n')
    assert texts_of(tmp_path) == ("b {n}", 'say "a"')


@pytest.mark.parametrize("game", GAMES)
def test_a_game_as_json_leads_from_position_to_position(game):
    record = samples.game_of(game)
    content = game_json(record)
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    codes = list(content["start"])
    for ply, position in samples.positions(record):
        code = ""
        for part in content["changes"][ply - 1] if ply else []:
            if isinstance(part, str):
                code = part
            else:
                codes[part] = code
        assert "".join(codes) == samples.codes(record, position)
        mover = "-" if position.over else str(position.to_move)
        assert content["movers"][ply] == mover
        if ply:
            assert content["changes"][ply - 1][1] == GAMES[game].cells.last(position)
        hints = [(int(cell), sign, when == "!") for cell, when, sign in HINT.findall(content["hints"][ply])]
        assert hints == GAMES[game].cells.hints(position)
    assert len(content["hints"]) == len(content["expected"]) == len(record.moves) + 1
    assert content["move_of_cell"] == list(GAMES[game].cells.move_of_cell(tuple(content["size"])))
    assert content["moves"] == [str(move.move) for move in record.moves]
    assert content["refusal"] == content["verdict"] == {}


def test_a_game_as_json_tells_who_makes_the_moves_that_a_bot_expects():
    record = samples.game_of("connect_four")
    own = record.moves[0].move
    for line, expected in (
        ([own, 0, 0, 9], "101"),
        ([str(own), "0"], "1"),
        ([own, 0, "d3", 0], "1"),
        ([own, 0, 99], "1"),
        ([own], ""),
        ([own + 1, 0], ""),
        ([], ""),
        ("00", ""),
        ([None, {}], ""),
        (None, ""),
    ):
        reported = structs.replace(record.moves[0], report={"pv": line})
        content = game_json(structs.replace(record, moves=(reported, *record.moves[1:])))
        assert content["expected"][:3] == ["", expected, ""], line
    edges = samples.game_of("dots", board={"rows": 1, "columns": 2, "opening": ["AAA", "ABA"]})
    turn = structs.replace(edges.moves[0], move="BAA", report={"pv": ["baa", "BBAAAB", "ABB"]})
    content = game_json(structs.replace(edges, moves=(turn,)))
    assert content["expected"] == ["", "110"]  # BBA completes a box, and the same side moves again
    running = game_json(record, is_running=True)
    assert running["hints"] == running["expected"] == []


def test_an_opening_that_is_none_is_told_of():
    for game, size in (("reversi", {"size": 8}), ("dots", {"rows": 3, "columns": 3})):
        record = samples.game_of(game)
        for opening in ([3], [["c3"]], [None], ["\u202ec3\x1b[31m"]):
            record = structs.replace(record, board={**size, "opening": opening}, moves=(record.moves[0],))
            content = game_json(record)
            assert content["refusal"]["en"].startswith("this game cannot be shown: "), opening
            (board,) = rows_json(sources([record]))["boards"]
            told = [content["board"]["en"], board["words"]["en"], *content["refusal"].values()]
            assert all(text.isprintable() for text in told), opening
            assert "changes" not in content and content["verdict"] != {}


def test_a_record_that_the_rules_contradict_is_shown_as_far_as_they_go():
    record = samples.game_of("connect_four")
    illegal = structs.replace(record, moves=(*record.moves[:4], structs.replace(record.moves[4], move=77)))
    content = game_json(illegal)
    assert (
        content["refusal"]["en"] == "the moves from ply 5 on cannot be shown: column 77 is off the board, expected 0..9"
    )
    assert len(content["changes"]) == 4 and content["movers"] == "01010"
    assert content["verdict"]["en"]
    assert game_json(illegal, is_running=True)["verdict"] == {}
    swapped = structs.replace(record, moves=(structs.replace(record.moves[0], side="B"), *record.moves[1:]))
    assert "B" in game_json(swapped)["verdict"]["en"] and game_json(swapped)["refusal"] == {}
    assert game_json(structs.replace(record, winner=None))["verdict"]["en"]
    unknown = structs.replace(record, game="chess\x1b", board={"fen": "x" * 300})
    content = game_json(unknown)
    assert content["board"]["en"] == ("chess\\x1b {'fen': '" + "x" * 300)[: 200 + 3] and "size" not in content
    assert content["refusal"]["en"].startswith("this game cannot be shown: ")


def test_what_a_game_as_json_says_beside_its_moves():
    record = samples.forfeited(samples.game_of("connect_four"), stderr="x" * 9000 + "\x1b", stdout="a\nb\x07")
    moves = [structs.replace(record.moves[0], wall_s=3.0), structs.replace(record.moves[1], wall_s=3.00006)]
    record = structs.replace(record, moves=(*moves, *record.moves[2:]))
    content = game_json(record)
    told = {name: content[name] for name in ("running", "game", "first", "winner", "termination", "fault", "limit")}
    assert told == {
        "running": False,
        "game": "connect_four",
        "first": "A",
        "winner": "A",
        "termination": "CRASH",
        "fault": "B",
        "limit": 3.0,
    }
    assert content["players"] == [
        {"name": "one", "command": "one", "version": "1.0"},
        {"name": "two", "command": "two", "version": None},
    ]
    assert content["board"]["en"] == "9 rows x 10 columns, forbidden cell 3,4"
    assert (content["size"], content["sides"], content["late"]) == ([9, 10], "ABABABAB", [2])
    assert content["wall"] == [3.0, 3.0001] + [0.25] * 6
    assert content["stderr"] == "x" * (SHOWN_CHARACTERS - 4) + "\\x1b" and content["stdout"] == "a\nb\\x07"
    assert SHOWN_CHARACTERS == 8192
    assert content["review"] is None and content["line"] == []
    assert "the last lines that B wrote to stderr" in content["notes"]["en"]
    running = game_json(record, is_running=True)
    assert (running["running"], running["termination"], running["notes"], running["verdict"]) == (True, None, {}, {})
    odd = structs.replace(record, extra={"B": 3, "A": 4})
    assert (game_json(odd)["stderr"], game_json(odd)["limit"], game_json(odd)["late"]) == ("", None, [])
    assert game_json(samples.game_of("dots"))["stderr"] == ""


def test_reports_are_columns_and_nothing_of_them_is_lost():
    reports = [{"value": 0.5, "pv": [1, 2]}, None, {"value": 10**20, "x": {"a": [1]}, "\x1b": "\x07"}]
    moves = [Move("A", 0, 0.1, None, report) for report in reports]
    assert report_columns(moves) == {
        "value": [0.5, None, "1" + "0" * 20],
        "pv": [[1, 2], None, None],
        "x": [None, None, '{"a": [1]}'],
        "\\x1b": [None, None, "\\x07"],
    }
    many = [Move("A", 0, 0.1, None, {f"key {ply} {key}": key for key in range(30)}) for ply in range(30)]
    found = report_columns(many)
    assert len(found) == MOST_COLUMNS + 1 == 41
    assert list(found)[-2:] == ["key 1 9", OTHERS] and found[OTHERS][0] is None
    assert found[OTHERS][1] == {f"key 1 {key}": key for key in range(10, 30)}
    assert found[OTHERS][29] == {f"key 29 {key}": key for key in range(30)}
    assert report_columns([Move("A", 0, 0.1, None, {OTHERS: True})]) == {OTHERS: [{OTHERS: True}]}
    deep = [[]]
    for _ in range(100_000):
        deep = [deep]
    values = {"largest": 2**53 - 1, "beyond": 2**53, "least": 1 - 2**53, "list": [2**53, "\x1b"], "deep": deep}
    assert report_columns([Move("A", 0, 0.1, None, values)]) == {
        "largest": [2**53 - 1],
        "beyond": [str(2**53)],
        "least": [1 - 2**53],
        "list": [[str(2**53), "\\x1b"]],
        "deep": ["[...]"],
    }


def test_what_an_import_made_up_is_not_shown_as_known():
    (record,), _problems, _name = imported(LOG.partition("B first:")[0])
    content = game_json(record)
    assert content["wall"] == [None] * len(record.moves) and content["started"] == ""
    notes = content["notes"]["en"].splitlines()
    assert notes == [
        "this game was imported from file (format compete)",
        "The imported file has only boards: the moves shown here are one order that leads to these boards.",
        "The imported file lacks the time of some moves.",
    ]
    assert set(content["notes"]) == {"en", "zh"}
    (row,) = rows_json(sources([record]))["rows"]
    assert dict(zip(COLUMNS, row, strict=True))["slowest"] is None
    judged = samples.game_of("connect_four")
    assert game_json(judged)["notes"]["en"] == "" and game_json(judged)["started"] == judged.started


PARTS = re.compile(r'<script type="application/octet-stream" id="([\w-]+)">(.*?)</script>')


def test_a_page_holds_its_data_packed_in_groups_and_no_text_of_a_record():
    record = samples.between(samples.game_of("dots"), "Zoë Example</script>", "Bobby \ud800")
    records = [record] * (GROUP + 1)
    made = "".join(page(sources(records), ["a.jsonl", "b.jsonl"], 3))
    assert made == "".join(page(sources(records), ["a.jsonl", "b.jsonl"], 3))
    assert "Example" not in made and "Bobby" not in made
    assert made.count("</script>") == made.count("<script") == 4
    assert "default-src 'none'; script-src 'sha256-" in made and GENERATOR in made and '<html lang="en"' in made
    assert not re.search(r"https?://(?!www\.w3\.org/)", made)
    data = {name: json.loads(zlib.decompress(base64.b64decode(text))) for name, text in PARTS.findall(made)}
    assert list(data) == ["page", "games-0", "games-1"]
    assert [len(data["games-0"]), len(data["games-1"])] == [GROUP, 1] == [16, 1]
    assert data["games-1"] == [json.loads(json.dumps(game_json(record)))]
    summary = data["page"]
    assert (summary["files"], summary["first"], summary["group"]) == (["a.jsonl", "b.jsonl"], 3, 16)
    assert (summary["language"], list(summary["words"])) == ("en", ["zh"])
    assert summary["list"] == json.loads(json.dumps(rows_json(sources(records))))
    assert {player["name"] for player in summary["totals"]["times"]["players"]} == {
        "Zoë Example</script>",
        "Bobby \\ud800",
    }
    with pytest.raises(ValueError):
        packed({"value": float("nan")})
    assert zlib.decompress(base64.b64decode(packed(["ä\ud800"]))) == '["ä?"]'.encode()


@pytest.mark.parametrize("game", GAMES)
def test_a_thousand_games_stay_below_five_megabytes(game):
    """By a group of them, on the largest board, with a long line expected after every move: all groups are alike."""
    records = [expecting(samples.game_of(game, seed=seed, board=LARGEST[game])) for seed in range(GROUP)]
    rows = json.dumps(rows_json(sources(records)))
    assert (len(packed(list(map(game_json, records)))) + len(rows)) / GROUP < BYTES_OF_A_GAME


def expecting(record, plies=16):
    """The record with reports that have the moves which were played as the expected ones."""
    moves = [str(move.move) for move in record.moves]
    reports = [{**(move.report or {}), "pv": moves[ply : ply + plies]} for ply, move in enumerate(record.moves)]
    changed = [structs.replace(move, report=report) for move, report in zip(record.moves, reports, strict=True)]
    return structs.replace(record, moves=tuple(changed))


def test_texts_come_in_every_language_and_the_process_keeps_its_own():
    record = samples.forfeited(samples.game_of("connect_four"))
    content = game_json(record)
    assert content["reason"]["en"] == "B was ended by signal 11 (SIGSEGV, Segmentation fault)"
    assert content["reason"]["zh"] == "B 被信号 11 终止（SIGSEGV，段错误）"
    assert in_each(lambda: "the same") == {"en": "the same"}
    assert language.current_language() == "en"
    with in_chinese():
        assert game_json(record) == content
        assert language.current_language() == "zh"
    with language.in_language("zh"):
        assert language.current_language() == "zh"
    assert language.current_language() == "en"


def test_rows_name_what_the_list_shows():
    record = samples.game_of("connect_four")
    slow = structs.replace(record.moves[6], wall_s=3.5)
    record = structs.replace(record, moves=(*record.moves[:6], slow, *record.moves[7:]))
    crash = samples.forfeited(samples.between(record, "three\x1b", "one"))
    rows = Rows(sources([record]))
    added = rows.add(Source(1, 7, crash))
    assert (added["players"], added["boards"], len(rows)) == (["three\\x1b"], [], 2)
    found = rows.json()
    assert [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]] == [
        {
            "file": 0,
            "number": 1,
            "a": 0,
            "b": 1,
            "board": 0,
            "first": "A",
            "winner": record.winner,
            "ending": "NORMAL",
            "fault": None,
            "plies": len(record.moves),
            "slowest": 3.5,
            "late": 1,
        },
        {
            "file": 1,
            "number": 7,
            "a": 2,
            "b": 0,
            "board": 0,
            "first": "A",
            "winner": "A",
            "ending": "CRASH",
            "fault": "B",
            "plies": 8,
            "slowest": 3.5,
            "late": 1,
        },
    ]
    assert found["players"] == ["one", "two", "three\\x1b"]
    (board,) = found["boards"]
    assert (board["game"], board["size"]) == ("connect_four", "9 x 10")
    assert rows_json(sources([structs.replace(record, moves=())]))["rows"][0][-2:] == [None, 0]
    for size, told in (
        ({"size": 8}, "8 x 8"),
        ({"rows": 5, "columns": 6}, "5 x 6"),
        ({"rows": 99, "cols": 1}, "99 x 1"),
        ({"rows": 100, "cols": 1}, "?"),
        ({"rows": 10**400, "cols": None}, "?"),
        ({"rows": True, "cols": 1}, "?"),
        ({}, "?"),
    ):
        assert size_in_words(size) == told
