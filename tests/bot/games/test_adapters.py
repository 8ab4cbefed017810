"""Every game's adapter offers what the shell and the commands ask of one."""

import ast

import pytest

from bot.games import NAMES, adapter_of
from tests.places import REPOSITORY


def names_asked_for():
    """The members of the class Adapter in bot/interfaces.py, which nothing imports at run time."""
    tree = ast.parse((REPOSITORY / "bot" / "interfaces.py").read_text("utf-8"))
    (adapter,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Adapter"]
    return {node.name for node in adapter.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("game", NAMES)
def test_it_has_every_name(game):
    asked = names_asked_for()
    assert {"GAME", "make_engine", "Dialogue", "bench_positions"} <= asked
    assert asked <= set(vars(adapter_of(game)))
    assert game == adapter_of(game).GAME
