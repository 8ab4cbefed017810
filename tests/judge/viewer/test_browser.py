"""Going through a game: wherever keys lead, the position is the one that a fresh replay to that ply has."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from prompt_toolkit.keys import Keys

from judge.games import GAMES
from judge.play.recheck import new_position
from judge.viewer import HELP, Browser, RecordedPositions
from protocol.records.record import Move
from tests.judge.helpers.random_games import recorded_game

SMALL = {
    "connect_four": {"rows": 9, "cols": 9, "forbidden": [2, 3]},
    "reversi": {"size": 6, "opening": ["c2", "d2"]},
    "dots": {"rows": 3, "columns": 4, "opening": ["AAA", "BEC"]},
}
RECORDS = {game: recorded_game(game, board) for game, board in SMALL.items()}
POSITIONS = {game: RecordedPositions(record) for game, record in RECORDS.items()}


def fresh_picture(record, ply):
    position = new_position(record)
    for move in record.moves[:ply]:
        position.play(move.move)
    return GAMES[record.game].rendering(position)


WAYS = st.lists(
    st.one_of(
        st.sampled_from([Keys.Right, " ", "l", "n", Keys.Enter, Keys.Left, "h", "p", Keys.Home, "g", Keys.End, "G"]),
        st.sampled_from(["?", "x", Keys.Up, Keys.Backspace]),
        st.integers(0, 99999).map(lambda number: [*str(number), Keys.Enter]),
    ),
    max_size=25,
)


def expected_ply(ways, last):
    """Where the keys lead, by their meanings alone; and at which of them somebody who counts would leave."""
    ply = 0
    for way in ways:
        if isinstance(way, list):
            number = int("".join(way[:-1])[:4])
            ply = number if number <= last else ply
        elif way in (Keys.Right, " ", "l", "n", Keys.Enter):
            ply = min(last, ply + 1)
        elif way in (Keys.Left, "h", "p"):
            ply = max(0, ply - 1)
        elif way in (Keys.Home, "g"):
            ply = 0
        elif way in (Keys.End, "G"):
            ply = last
    return ply


@settings(max_examples=60)
@given(st.sampled_from(sorted(GAMES)), WAYS)
def test_keys_lead_where_they_say(game, ways):
    positions = POSITIONS[game]
    assert positions.last == len(RECORDS[game].moves)
    browser = Browser(positions.last)
    for way in ways:
        for key in way if isinstance(way, list) else [way]:
            assert browser.press(key)
    assert browser.ply == expected_ply(ways, positions.last)
    shown = positions.game.rendering(positions.position(browser.ply))
    assert shown == fresh_picture(RECORDS[game], browser.ply)


def test_leaving():
    for key in ("q", "Q", Keys.Escape):
        assert not Browser(3).press(key)


def test_a_number_is_typed_corrected_and_forgotten():
    browser = Browser(30)
    for key in ("1", "7", Keys.Backspace, "2"):
        browser.press(key)
    assert browser.prompt() == "press Enter to go to ply 12"
    browser.press(Keys.Enter)
    assert (browser.ply, browser.typed) == (12, "")
    browser.press("5")
    assert browser.press(Keys.Escape)  # of the number, not of the view
    assert (browser.ply, browser.typed) == (12, "")
    for key in ("9", "9", Keys.Enter):
        browser.press(key)
    assert (browser.ply, browser.prompt()) == (12, "there is no ply 99, the last ply is 30")


def test_help_is_a_line_that_comes_and_goes():
    browser = Browser(3)
    before = browser.prompt()
    browser.press("?")
    assert browser.prompt() == HELP and len(HELP) <= 80
    browser.press("?")
    assert browser.prompt() == before


def test_a_record_that_the_rules_refuse_is_shown_as_far_as_it_goes():
    record = RECORDS["connect_four"]
    wrong = structs.replace(record, moves=(*record.moves[:3], Move("B", 99, 0.1)))
    positions = RecordedPositions(wrong)
    assert positions.last == 3
    assert positions.refusal.startswith("the moves from ply 4 on cannot be shown: column 99 is off the board")
