"""Moves one by one: what is known of each after a search, and where each leads. Standard library only."""

from bot.search import scores
from bot.search.uct.final_move import SearchedMove, is_known, move_value

from ..plain import outcome_at_once


def values_of_moves(position, decision, tree, proofs):
    """A MoveValue (search/move_value.py) of each column that is not full.

    tree: the edge_nodes TreeView whose root is the position, or None; proofs: {column: score that the solver proved}.
    """
    values = []
    for column in position.legal_moves():
        # NEVER: what the tree's tactics leave out.
        score = scores.NEVER if tree is None else tree.score(tree.root(), column)
        known = SearchedMove(scores.UNPROVEN, 0, 0.0) if score == scores.NEVER else tree.searched(tree.root(), column)
        if known.score == scores.UNPROVEN:
            known = known._replace(score=proofs.get(column, scores.UNPROVEN))
        if decision.proven == "loss":
            known = known._replace(score=scores.at_most("loss", position.free_cells()))
        elif not is_known(known):
            outcome = outcome_at_once(position.play(column))
            known = known._replace(score=scores.at_most(outcome, 2) if outcome else scores.UNPROVEN)
        values.append(move_value(column, known))
    return values


def positions_after(position):
    """{column: the position after that move}, without the moves that end the game."""
    after = {column: position.play(column) for column in position.legal_moves()}
    return {column: after[column] for column in after if after[column].floor and not after[column].opponent_has_won()}
