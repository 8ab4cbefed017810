"""What every game of the judge has to do, for whichever game is registered: judge/games/game.py says what each part is.

A game's own cases are tables in tests/judge/games/NAME/examples.py. In all of them a board is JSON, as records have it,
and moves are those of a record.
"""

import itertools
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from judge.analysis import input_after_moves, input_of_cells
from judge.games import GAMES as JUDGED
from judge.games.check_cases import Kind, random_opponent
from judge.games.game import FORBIDDEN, FREE, OF_OPENING, OF_PLAYER, movers_of, moves_in
from judge.games.positions import IllegalMove
from judge.play.recheck import disagreements
from judge.play.scoresheet import in_order
from judge.runs.config import RunConfig
from judge.runs.schedule import paired_games
from protocol.errors import LocalProtocolError
from protocol.records.record import GameRecord, Move, Player, Termination
from tests.contracts.games import GAMES, examples
from tests.judge.helpers.scripted import BOARDS
from tests.places import REPOSITORY

SEEDS = range(4)
each_game = pytest.mark.parametrize("name", GAMES)


def of(name):
    """(the game, its examples)."""
    return JUDGED[name], examples("tests.judge.games", name)


def position_of(game, board, moves=()):
    position = game.new_position(game.read_board(board))
    for move in moves:
        position.play(move)
    return position


def state_of(game, position):
    return game.cells.codes(position), position.to_move, position.over, position.winner, len(position.moves)


def random_game(name, seed):
    """(position, its moves from now on, one by one) of a random game on a board drawn from the seed."""
    game, generator = JUDGED[name], random.Random(seed)
    board = game.draw_board(seed, 0, **game.complete_board_options({}, for_one_game=False))
    position = game.new_position(board)

    return board, position, random_moves(position, generator)


def random_moves(position, generator):
    """Moves of a position from now on, one by one."""
    while not position.over:
        yield generator.choice(position.legal_moves())


def raised(error, call, *words):
    """The text of the error that a call has to raise."""
    try:
        call(*words)
    except error as refusal:
        return str(refusal)
    pytest.fail(f"{words} is taken")


@each_game
def test_boards_follow_from_the_seed_alone_in_every_version(name):
    """Records name only a seed: a change here would make old matches impossible to repeat."""
    game, its = of(name)
    options = game.complete_board_options({}, for_one_game=False)
    for (seed, pair), board in its.DRAWN_BOARDS.items():
        assert game.draw_board(seed, pair, **options).as_json() == board
    assert len({game.draw_board(1, pair, **options) for pair in range(20)}) > 17
    assert len({game.draw_board(seed, 0, **options) for seed in range(20)}) > 17


@each_game
def test_both_games_of_a_pair_begin_alike(name):
    game, _ = of(name)
    options = game.complete_board_options({}, for_one_game=False)
    plans = [plan.plan for plan in paired_games(("A", "B"), 5, RunConfig(Path("games.jsonl"), name, options, seed=9))]
    assert [plan.board for plan in plans] == [game.draw_board(9, pair, **options) for pair in (0, 0, 1, 1, 2)]
    assert [plan.first for plan in plans] == ["A", "B", "A", "B", "A"]
    assert [(plan.pair, plan.index, plan.game) for plan in plans] == [(n // 2, n, name) for n in range(5)]


@each_game
def test_options_of_a_board_are_completed_or_refused(name):
    game, its = of(name)
    for options, for_one_game, complete in its.BOARD_OPTIONS:
        assert game.complete_board_options(options, for_one_game) == complete, options
    for options, message in its.IMPOSSIBLE_BOARD_OPTIONS:
        refusal = raised(
            ValueError, lambda given: game.draw_board(1, 0, **game.complete_board_options(given, True)), options
        )
        assert message in refusal, options


@each_game
def test_what_an_option_says_of_its_values_holds(name):
    """For a form: its bounds over all boards, its choices, and what it is where nothing is chosen."""
    game, _ = of(name)
    sizes = [option for option in game.board_options if option.name == "size"]
    largest = {each.name: each.read(str(each.bounds[1] if each.bounds else each.choices[-1])) for each in sizes}
    for option in game.board_options:
        for value in [*option.choices, *(option.bounds or ())]:
            assert str(option.read(str(value))) == str(value)
        if option.choices:
            assert "100x100" in raised(ValueError, option.read, "100x100")
        for value in option.choices[::6]:
            board = game.draw_board(1, 0, **game.complete_board_options({option.name: value}, True))
            assert game.new_position(board).legal_moves()
        default = game.complete_board_options({}, True).get(option.name)
        assert default == option.default, option.flag
        for value in () if option.bounds is None else (option.bounds[0] - 1, option.bounds[1] + 1):
            with pytest.raises(ValueError):
                options = {**largest, option.name: option.read(str(value))}
                game.draw_board(1, 0, **game.complete_board_options(options, True))


@each_game
def test_a_board_comes_back_from_its_record_and_others_are_refused(name):
    game, its = of(name)
    for seed in SEEDS:
        board = random_game(name, seed)[0]
        assert game.read_board(json.loads(json.dumps(board.as_json()))) == board
    for content, message in its.NO_BOARDS:
        assert message in raised(ValueError, position_of, game, content), content
    for content, words in its.BOARDS_IN_WORDS:
        assert game.read_board(content).in_words() == words


@each_game
def test_a_random_game_goes_from_legal_move_to_legal_move_to_its_end(name):
    game, _ = of(name)
    for seed in SEEDS:
        board, position, moves = random_game(name, seed)
        assert (position.last, list(position.moves), position.winner, position.over) == (None, [], None, False)
        made = []
        for move in moves:
            assert position.to_move in (0, 1) and position.winner is None
            assert len(set(position.legal_moves())) == len(position.legal_moves()) > 0
            position.play(move)
            made.append(move)
            assert len(position.moves) == len(made)
            assert position.last == position.moves[-1]
        assert list(position.legal_moves()) == []
        assert position.winner in (0, 1, None)
        before = state_of(game, position)
        with pytest.raises(IllegalMove, match="was played after the end of the game"):
            position.play(made[0])
        again = position_of(game, board.as_json(), made)
        assert state_of(game, again) == state_of(game, position) == before


@each_game
def test_illegal_moves_are_named_and_change_nothing(name):
    game, its = of(name)
    for board, moves, move, message in its.ILLEGAL:
        position = position_of(game, board, moves)
        before = state_of(game, position)
        assert raised(IllegalMove, position.play, move).startswith(message), move
        assert state_of(game, position) == before, move


@each_game
def test_a_game_is_won_by_the_player_who_has_won(name):
    game, its = of(name)
    board, moves, winner = its.WON
    position = position_of(game, board, moves)
    assert (position.over, position.winner) == (True, winner)
    before = position_of(game, *its.BEFORE)
    assert (before.over, before.winner) == (False, None)


@each_game
def test_moves_and_endings_are_told_in_words(name):
    game, its = of(name)
    for board, moves, words in its.IN_WORDS:
        assert game.move_in_words(position_of(game, board, moves)) == words
    for board, moves, words in its.ENDINGS:
        assert game.ending(position_of(game, board, moves)) == words
    for board, moves, worths in its.WORTHS:
        position = position_of(game, board, moves)
        assert tuple(game.worth(position, player) for player in (0, 1)) == worths, moves


@each_game
def test_pictures_show_a_position_without_colours(name):
    game, its = of(name)
    for board, moves, drawn in its.PICTURES:
        assert game.rendering(position_of(game, board, moves)).plain == drawn
    assert len(set(game.stones)) == 2
    _, position, moves = random_game(name, 1)
    lines = game.rendering(position).plain.count("\n")
    for move in moves:
        before = game.rendering(position).plain
        position.play(move)
        after = game.rendering(position).plain
        assert after != before
        assert after.count("\n") == lines


@each_game
def test_cells_tell_a_position_to_whoever_draws_it(name):
    game, its = of(name)
    for board, moves, size, codes, last, line in its.CELLS:
        position = position_of(game, board, moves)
        found = game.cells.size(position), game.cells.codes(position), game.cells.last(position)
        assert (*found, game.cells.line(position)) == (size, codes, last, line)
    for seed in SEEDS:
        _, position, moves = random_game(name, seed)
        codes = game.cells.codes(position)
        for move in moves:
            mover, before = position.to_move, codes
            position.play(move)
            codes = game.cells.codes(position)
            assert len(codes) == len(before)
            assert set(codes) <= {FREE, FORBIDDEN, OF_OPENING, *OF_PLAYER}
            last = game.cells.last(position)
            assert (before[last], codes[last]) == (FREE, OF_PLAYER[mover])
        assert {codes[cell] for cell in game.cells.line(position)} <= {OF_PLAYER[mover]}


@each_game
def test_cells_tell_where_moves_lead_and_what_helps_a_reader(name):
    game, its = of(name)
    hinted = 0
    for seed in SEEDS:
        _, position, moves = random_game(name, seed)
        move_of_cell = game.cells.move_of_cell(game.cells.size(position))
        assert len(move_of_cell) == len(game.cells.codes(position))
        before = game.cells.codes(position)
        for move in moves:
            legal = set(map(str, position.legal_moves()))
            free = {text for text, code in zip(move_of_cell, before, strict=True) if text and code == FREE}
            assert legal <= free
            position.play(move)
            named = [cell for cell, text in enumerate(move_of_cell) if text == str(move) and before[cell] == FREE]
            assert game.cells.last(position) == named[-1]
            before = game.cells.codes(position)
            hints = game.cells.hints(position)
            assert sorted(hints) == sorted(its.hints(position))
            hinted += len(hints)
    assert hinted > 20


@each_game
def test_who_makes_the_moves_of_a_line_is_told_up_to_an_illegal_one(name):
    game, _ = of(name)
    for seed in SEEDS:
        _, position, moves = random_game(name, seed)
        for move in itertools.islice(moves, 3):
            position.play(move)
        ahead, line, players = game.cells.position(*as_asked(game, position)), [], []
        for move in random_moves(ahead, random.Random(seed)):
            line.append(move)
            players.append(ahead.to_move)
            ahead.play(move)
        assert movers_of(game, position, line) == "".join(map(str, players))
        assert list(moves_in(game, map(str, line))) == line
        assert movers_of(game, position, [*line[:3], "nowhere", *line]) == "".join(map(str, players[:3]))
        assert 0 < len(movers_of(game, position, line[:1] * 100)) < 13  # until a column is full, or at once
        assert movers_of(game, ahead, line) == ""
    assert list(moves_in(game, [line[0], "no move", line[0]])) == line[:1]
    assert list(moves_in(game, [10**5000])) == []


def as_asked(game, position):
    return game.cells.size(position), game.cells.codes(position), position.to_move


@each_game
def test_positions_are_set_up_from_their_cells_and_played_on(name):
    game, its = of(name)
    for seed in SEEDS:
        _, position, moves = random_game(name, seed)
        for move in moves:
            again = game.cells.position(*as_asked(game, position))
            assert state_of(game, again)[:4] == state_of(game, position)[:4]
            assert list(again.legal_moves()) == list(position.legal_moves())
            again.play(move)
            position.play(move)
            assert state_of(game, again)[:4] == state_of(game, position)[:4]
        assert raised(ValueError, game.cells.position, *as_asked(game, position)).endswith("the game is over.")
    for size, codes, mover, message in [*its.NO_POSITIONS, *its.NO_DRAWINGS]:
        assert message in raised(ValueError, game.cells.position, size, codes, mover), codes


@each_game
def test_moves_that_people_type_are_read_or_explained(name):
    game, its = of(name)
    for typed, move in its.TYPED.items():
        assert game.read_move(typed) == move
    for typed, message in its.NOT_TYPED.items():
        assert message in raised((ValueError, IllegalMove), game.read_move, typed), typed
    position = random_game(name, 2)[1]
    assert [game.read_move(str(move)) for move in position.legal_moves()] == list(position.legal_moves())


@each_game
def test_boards_and_moves_are_written_and_read_as_people_do(name):
    game, its = of(name)
    written = game.notation
    for word, moves in its.READ_WORDS.items():
        assert written.word.fullmatch(word) and written.read_word(word) == moves
    for word, message in its.UNREAD_WORDS.items():
        assert raised(ValueError, written.read_word, word).startswith(message)
    assert written.word.fullmatch(written.move_example) and written.read_word(written.move_example)
    for rows, columns, rest, board, text in its.BOARD_TEXTS:
        assert written.read_board(rows, columns, rest) == board
        assert written.write_board(board) == text
    for rows, columns, rest, message in its.NO_BOARD_TEXTS:
        assert message in raised(ValueError, written.read_board, rows, columns, rest)
    assert written.read_board(9, 9, written.rest_example)
    assert written.own_rest is None or written.own_rest.fullmatch(written.rest_example)
    for seed in SEEDS:
        board, position, _ = random_game(name, seed)
        size, _, rest = written.write_board(board.as_json()).partition(" ")
        assert written.read_board(*map(int, size.split("x")), rest) == board.as_json()
        for move in position.legal_moves():
            assert written.read_word(str(move)) == [move]


@each_game
def test_positions_are_put_in_the_words_of_our_bot(name):
    game, its = of(name)
    for board, moves, words in its.POSITION_WORDS:
        assert input_after_moves(name, board, moves) == (words, b"")
    for size, codes, mover, words, drawing in its.DRAWINGS:
        assert input_of_cells(name, size, codes, mover) == (words, drawing)
    for size, codes, mover, message in its.NO_DRAWINGS:
        assert message in raised(ValueError, input_of_cells, name, size, codes, mover), codes
    content, message = its.NO_BOARDS[0]
    assert message in raised(ValueError, input_after_moves, name, content, [])
    size, codes, *_ = its.DRAWINGS[0]
    assert "mover is 2, expected one of 0, 1" in raised(ValueError, input_of_cells, name, size, codes, 2)
    chess = "game is 'chess', expected one of connect_four, reversi, dots"
    assert (
        raised(ValueError, input_after_moves, "chess", {}, [])
        == raised(ValueError, input_of_cells, "chess", size, "", 0)
        == chess
    )


def analysed(name, words, stdin):
    """What `bot analyze` makes of them, but for the time."""
    command = [sys.executable, "-m", "bot", "analyze", "--game", name, *words, "--iterations", "100", "--seed", "1"]
    done = subprocess.run([*command, "--json"], cwd=REPOSITORY, input=stdin, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    del found["elapsed_s"]
    return found


@pytest.mark.parametrize("plies", [18, *(pytest.param(plies, marks=pytest.mark.slow) for plies in (0, 6, 11))])
@each_game
def test_our_bot_takes_moves_and_cells_for_the_same_position(name, plies):
    game, _ = of(name)
    board, position, moves = random_game(name, 3)
    made = []
    for _ply, move in zip(range(plies), moves, strict=False):
        position.play(move)
        made.append(move)
    by_moves = analysed(name, *input_after_moves(name, board.as_json(), made))
    cells = game.cells
    by_cells = input_of_cells(name, cells.size(position), cells.codes(position), position.to_move)
    assert analysed(name, *by_cells) == by_moves
    legal = {str(move) for move in position.legal_moves()}
    words = [str(known["move"]) for known in by_moves["moves"]]  # a whole turn where the game has them
    told = {max((move for move in legal if word.startswith(move)), key=len) for word in words}
    assert told and (name == "dots" or told == legal)  # of dots and boxes it tells the turns that it has looked at


@each_game
def test_messages_are_byte_for_byte_those_of_the_platforms(name):
    """Steps are what is sent, and what a bot's bytes make of the position; replies come in one byte at a time."""
    game, its = of(name)
    for wire_name, board, steps in its.WIRES:
        position = position_of(game, board)
        wire = game.wire(wire_name, position)
        for kind, *words in steps:
            if kind == "opening":
                player, sent = words
                assert wire.opening(position, player) == sent
            elif kind == "turn":
                assert wire.turn(position) == words[0]
            elif kind == "moves":
                for move in words[0]:
                    position.play(move)
            elif kind == "end":
                assert wire.game_over() == words[0]
            else:
                reply = reply_of(wire, words[0])
                assert wire.answer(position, reply) is None
                if kind == "illegal":
                    assert words[1] in raised(IllegalMove, played, wire, position, reply)
                else:
                    assert list(wire.play(position, reply)) == words[1]
    if its.FOREIGN_WIRE:
        wire_name, message = its.FOREIGN_WIRE
        with pytest.raises(LocalProtocolError, match=message):
            game.wire(wire_name, position_of(game, its.BOARD)).turn(position_of(game, its.BOARD))


def played(wire, position, reply):
    return list(wire.play(position, reply))


def reply_of(wire, data):
    """The one reply in bytes that come one by one; as long as it is not whole there is none."""
    found = []
    for number in range(len(data)):
        wire.replies.feed(data[number : number + 1])
        found.append(wire.replies.next_reply())
    assert not wire.replies.partial and wire.replies.unread == b""
    (reply,) = [reply for reply in found if reply is not None]
    return reply


@pytest.mark.parametrize("player", [0, 1])
@each_game
def test_moves_of_a_record_are_told_to_a_bot_as_those_of_a_game(name, player):
    game, its = of(name)
    board, position, moves = random_game(name, 5)
    repeated = game.new_position(board)
    wire, other = (game.wire("saiblo", each) for each in (position, repeated))
    assert wire.opening(position, player) == other.opening(repeated, player)
    told = []
    while not position.over:
        is_own = position.to_move == player
        if is_own:
            told.append(wire.turn(position))
            assert other.turn(repeated) == told[-1]
        turn = whole_turn(game, board, list(position.moves), moves, position)
        if is_own:
            reply = reply_of(wire, its.reply(turn, position))
            assert list(wire.play(position, reply)) == turn
        else:
            for move in turn:
                position.play(move)
        for move in turn:
            other.repeat(repeated, move, is_own)
        assert state_of(game, repeated) == state_of(game, position)
        if game.wire("saiblo", repeated).has_whole_turns:
            assert position.over or (position.to_move == player) != is_own
    assert len(told) == len(set(told)) > 3


def whole_turn(game, board, done, moves, position):
    """What the side to move plays now: one move, or all until the other side's turn where a reply holds whole turns."""
    if not game.wire("saiblo", position).has_whole_turns:
        return [next(moves)]
    copy = game.new_position(board)
    for move in done:
        copy.play(move)
    mover, turn, generator = copy.to_move, [], random.Random(len(done))
    while not copy.over and copy.to_move == mover:
        turn.append(generator.choice(copy.legal_moves()))
        copy.play(turn[-1])
    return turn


@each_game
def test_cases_of_a_check_can_be_played(name):
    game, _ = of(name)
    cases = game.check_cases
    assert len({case.name for case in cases}) == len(cases)
    kinds = {case.kind for case in cases}
    assert {Kind.WHOLE_GAME, Kind.LONG_GAME, Kind.LATE_POSITIONS, Kind.MANY_GAMES, Kind.LONG_SEARCH} <= kinds
    for case in cases:
        assert case.player in (0, 1) and case.weight >= 1, case.name
        assert game.read_board(case.board.as_json()) == case.board, case.name
        if case.kind in (Kind.WHOLE_GAME, Kind.LONG_GAME, Kind.SLOW_JUDGE, Kind.UNREAD_STDERR, Kind.LONG_SEARCH):
            turns = turns_in(game, case.board, case.opponent, case.player)
            assert turns >= 1, case.name
            assert case.kind is not Kind.LONG_GAME or turns <= game.most_turns
        elif case.kind is Kind.MANY_GAMES:
            assert all(turns_in(game, case.board, case.opponents(seed), seed % 2) for seed in range(3))
    (late,) = [case for case in cases if case.kind is Kind.LATE_POSITIONS]
    for seed in range(3):
        board, moves = late.late_position(seed)
        position = position_of(game, board.as_json(), moves)
        assert not position.over
        assert 1 <= game.cells.codes(position).count(FREE) <= 24
        assert late.opponents(seed)(position, None) in position.legal_moves()


def turns_in(game, board, opponent, player):
    """How often a player of any moves is asked in a game against this opponent."""
    position, any_move, last_move, turns = game.new_position(board), random_opponent(7), None, 0
    before = None
    while not position.over:
        if position.to_move == player:
            turns += not (game.wire("saiblo", position).has_whole_turns and before == player)
            last_move = any_move(position, None)
            before = position.to_move
            position.play(last_move)
        else:
            before = position.to_move
            position.play(opponent(position, last_move))
    return turns


def record_of(name, board, moves, first="A"):
    """A record of these moves to the end of the game."""
    game = JUDGED[name]
    position, made = position_of(game, board), []
    for move in moves:
        made.append(Move(in_order(first)[position.to_move], move, 0.1))
        position.play(move)
    return GameRecord(
        game=name,
        board=board,
        players=(Player("one", "one"), Player("two", "two")),
        first=first,
        moves=tuple(made),
        winner=None if position.winner is None else in_order(first)[position.winner],
        termination=Termination.NORMAL,
        at_fault=None,
        started="2026-01-01T00:00:00.000+00:00",
        finished="2026-01-01T00:01:00.000+00:00",
        judge_version="test",
    )


@pytest.mark.parametrize("first", "AB")
@each_game
def test_falsified_records_are_found_out(name, first):
    game, its = of(name)
    board, moves, _ = its.WON
    sound = record_of(name, board, moves, first)
    assert disagreements(sound) == []
    winner, loser = sound.winner, "BA"["AB".index(sound.winner)]
    begins, plies = sound.moves[0].side, len(moves)
    other = "BA"["AB".index(begins)]
    middle = plies // 2
    replaced, mover = str(moves[0]), sound.moves[middle].side
    changes = [
        ({"winner": loser}, f"the recorded winner is {loser}, but by the rules it is {winner}"),
        ({"first": "BA"["AB".index(first)]}, f"ply 1 is recorded as {begins}'s, but {other} was to move"),
        ({"moves": sound.moves[:-1]}, "the game is recorded as NORMAL, but it is not over"),
        (
            {"moves": (*sound.moves, Move("A", moves[0], 0.1))},
            re.compile(rf"ply {plies + 1} is recorded as legal, but .*{replaced} was played after the end of the game"),
        ),
        (
            {"moves": with_move(sound.moves, middle, side="BA"["AB".index(mover)])},
            f"ply {middle + 1} is recorded as {'BA'['AB'.index(mover)]}'s, but {mover} was to move",
        ),
        (
            {"moves": with_move(sound.moves, middle, move="nowhere")},
            re.compile(rf"ply {middle + 1} is recorded as legal, but 'nowhere' is no \w+"),
        ),
        *(({"board": board}, re.compile(f".*{re.escape(message)}.*", re.DOTALL)) for board, message in its.NO_BOARDS),
        *(
            ({"game": foreign}, re.compile("the board has .*, expected .*"))
            for foreign in GAMES
            if foreign != name and set(examples("tests.judge.games", foreign).BOARD) != set(board)
        ),
    ]
    for change, sentence in changes:
        content = json.loads(sound.to_json())
        changed = {key: content_of(value) for key, value in change.items()}
        (found, *_) = disagreements(GameRecord.from_json(json.dumps({**content, **changed})))
        assert sentence.match(found) if isinstance(sentence, re.Pattern) else found == sentence, (change, found)


def with_move(moves, place, **changes):
    moves = list(moves)
    moves[place] = Move(**{"side": moves[place].side, "move": moves[place].move, "wall_s": 0.1, **changes})
    return tuple(moves)


def content_of(value):
    """A value of a change as JSON has it."""
    if not isinstance(value, tuple):
        return value
    return [{"side": move.side, "move": move.move, "wall_s": move.wall_s} for move in value]


def test_every_game_has_a_usual_board_for_other_tests():
    assert set(BOARDS) == set(GAMES) == set(JUDGED)
