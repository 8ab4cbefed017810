"""An engine whose answers are known beforehand: first_legal --values, and what it says of each position of a game."""

from msgspec import structs

from judge.review.marks import ReviewedGame, positions
from protocol.records.review import Reviewer, ReviewLine
from tests.judge.helpers.scripted import command, run_judge

NAME = "games.jsonl"  # of a record file
REVIEW = f"{NAME}.review.jsonl"
SPREAD = 21  # as the engine has it
ENGINE = Reviewer("engine", "engine --options", "1", 3.0)


def valuer(game, *words):
    """Its command line."""
    return command("first_legal", "--values", *words, game=game)


def free_in(position):
    """What the engine counts."""
    if hasattr(position, "tops"):
        return sum(position.tops())
    return position.cells().count(2) if hasattr(position, "cells") else len(position.legal_moves())


def said_of(record):
    """{ply: (value, best move)} of every position of a game that is not over."""
    return {
        ply: ((5 * free_in(position) % SPREAD - SPREAD // 2) / (SPREAD // 2), str(position.legal_moves()[0]))
        for ply, position in enumerate(positions(record), start=1)
        if not position.over
    }


def line_of(record, ply, answer, engine=ENGINE):
    """The line of a review file."""
    game = ReviewedGame(1, record)
    return ReviewLine(
        **structs.asdict(answer), game=1, id=record.extra.get("id"), moves=game.key, ply=ply, engine=engine
    )


def review(folder, engine, *words):
    """The command without a sandbox: engines that write files write where they are told."""
    return run_judge(folder, "review", NAME, "--engine", engine, "--sandbox", "off", *words)
