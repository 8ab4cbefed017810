"""What a page is made of: the modules as one script, a game as JSON, texts in every language, and nothing to escape."""

import dataclasses
import json
import re

import pytest

from judge import language
from judge.games import GAMES
from judge.pages.games import game_json
from judge.pages.languages import in_each
from judge.pages.modules import ASSETS, ModuleError, script
from judge.pages.page import page
from judge.pages.reports import MOST_COLUMNS, OTHERS, columns
from judge.pages.rows import COLUMNS, Source, rows_json, size_in_words
from judge.pages.totals import MOST_POINTS, thinned, times_json
from judge.pages.words import WORDS, translations
from judge.play.endings import NAMES
from protocol.records.record import Move
from tests.judge.helpers.chinese import in_chinese
from tests.judge.helpers.logged_files import LOG
from tests.judge.helpers.logged_games import imported
from tests.judge.pages.helpers import samples

TEXT = re.compile(r'\bt\(\s*"((?:[^"\\]|\\.)*)"')
BYTES_OF_A_GAME = 5_000  # of at most 5 MB with 1,000 games


def sources(records):
    return [Source(0, number, record) for number, record in enumerate(records, start=1)]


def html(records):
    return "".join(page(sources(records), ["games.jsonl"]))


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


def test_every_text_of_the_program_is_marked_for_the_catalogs():
    used = {text for path in ASSETS.rglob("*.js") for text in TEXT.findall(path.read_text("utf-8"))}
    assert used == set(WORDS)
    assert list(WORDS) == sorted(set(WORDS))
    for catalog in translations().values():
        assert set(catalog) == {*WORDS, *NAMES}


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
    assert content["moves"] == [str(move.move) for move in record.moves]
    assert content["refusal"] == content["verdict"] == {}


ODD_NAME = "\u202ec3\x1b[31m"


@pytest.mark.parametrize("game, size", [("reversi", {"size": 8}), ("dots", {"rows": 3, "columns": 3})])
@pytest.mark.parametrize("opening", [[3], [["c3"]], [None], [ODD_NAME]])
def test_an_opening_that_is_none_is_told_of(game, size, opening):
    record = samples.game_of(game)
    record = dataclasses.replace(record, board={**size, "opening": opening}, moves=(record.moves[0],))
    content = game_json(record)
    assert content["refusal"]["en"].startswith("cannot be shown: ")
    told = [
        content["board"]["en"],
        rows_json(sources([record]))["boards"][0]["words"]["en"],
        *content["refusal"].values(),
    ]
    assert all(text.isprintable() for text in told)
    html([record])


def test_reports_are_columns_and_nothing_of_them_is_lost():
    reports = [{"value": 0.5, "pv": [1, 2]}, None, {"value": 10**20, "x": {"a": [1]}, "\x1b": "\x07"}]
    moves = [Move("A", 0, 0.1, None, report) for report in reports]
    assert columns(moves) == {
        "value": [0.5, None, "1" + "0" * 20],
        "pv": [[1, 2], None, None],
        "x": [None, None, '{"a": [1]}'],
        "\\x1b": [None, None, "\\x07"],
    }
    many = [Move("A", 0, 0.1, None, {f"key {ply} {key}": key for key in range(30)}) for ply in range(30)]
    found = columns(many)
    assert len(found) == MOST_COLUMNS + 1
    assert found[OTHERS][29] == {f"key 29 {key}": key for key in range(30)}


def test_what_an_import_made_up_is_not_shown_as_known():
    (record,), _problems, _name = imported(LOG.partition("B first:")[0])
    content = game_json(record)
    assert content["wall"] == [None] * len(record.moves) and content["started"] == ""
    notes = content["notes"]["en"].splitlines()
    assert notes == [
        "imported from file (compete)",
        "The file tells boards, not the order of moves: this is one order that leads there.",
        "The file does not tell how long every move took.",
    ]
    assert set(content["notes"]) == {"en", "zh"}
    (row,) = rows_json(sources([record]))["rows"]
    assert dict(zip(COLUMNS, row, strict=True))["slowest"] is None
    judged = samples.game_of("connect_four")
    assert game_json(judged)["notes"]["en"] == "" and game_json(judged)["started"] == judged.started


def test_a_page_is_the_same_every_time_and_holds_no_text_of_a_record():
    record = samples.between(samples.game_of("dots"), "Zoë Example</script>", "Bobby Tables")
    made = html([record])
    assert made == html([record])
    assert "Example" not in made and "Bobby" not in made
    assert made.count("</script>") == made.count("<script") == 3
    assert "default-src 'none'; script-src 'sha256-" in made
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", made)


def test_a_thousand_games_stay_below_five_megabytes():
    """By a tenth of them: what more games add is the same for each."""
    few, more = ([samples.game_of("connect_four", seed=seed) for seed in range(number)] for number in (16, 112))
    assert (len(html(more)) - len(html(few))) / 96 < BYTES_OF_A_GAME


def test_texts_come_in_every_language_and_the_process_keeps_its_own():
    record = samples.forfeited(samples.game_of("connect_four"))
    content = game_json(record)
    assert content["reason"]["en"] == "B was ended by signal 11 (SIGSEGV, Segmentation fault)"
    assert content["reason"]["zh"] == "B 被信号 11 终止（SIGSEGV，段错误）"
    assert in_each(lambda: "the same") == {"en": "the same"}
    assert language.spoken() == "en"
    with in_chinese():
        assert game_json(record) == content
        assert language.spoken() == "zh"
    with language.speaking("zh"):
        assert language.spoken() == "zh"
    assert language.spoken() == "en"


def test_rows_name_what_the_list_shows():
    record = samples.game_of("connect_four")
    slow = dataclasses.replace(record.moves[6], wall_s=3.5)
    record = dataclasses.replace(record, moves=(*record.moves[:6], slow, *record.moves[7:]))
    found = rows_json(sources([record, record]))
    row = dict(zip(found["columns"], found["rows"][1], strict=True))
    assert (row["number"], row["slowest"], row["late"]) == (2, 3.5, 1)
    assert found["players"] == ["one", "two"]
    assert [board["size"] for board in found["boards"]] == ["9 x 10"]
    assert size_in_words({"size": 8}) == "8 x 8"
    assert size_in_words({"rows": 5, "columns": 6}) == "5 x 6"
    assert size_in_words({"rows": 10**400, "cols": None}) == size_in_words({}) == "?"


def test_times_are_counted_by_player_and_class():
    record = samples.game_of("connect_four")
    found = {player["name"]: player["counts"] for player in times_json([record])["players"]}
    assert {name: sum(counts) for name, counts in found.items()} == {
        "one": -(-len(record.moves) // 2),
        "two": len(record.moves) // 2,
    }
    assert all(counts[8] == sum(counts) for counts in found.values())  # each took 0.25 s


def test_a_long_curve_keeps_its_ends():
    points = [(pair, 0.01 * pair) for pair in range(1, 5000)]
    kept = thinned(points)
    assert len(kept) == MOST_POINTS
    assert (kept[0], kept[-1]) == (points[0], points[-1])
    assert thinned(points[:5]) == points[:5]
