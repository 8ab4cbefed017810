"""The line of play that a search tree expects. Standard library only."""

from ..plain import tactical_columns


def principal_variation(tree, position, column):
    """Columns from a position, the one at the tree's root, on: `column`, then the best edges of the TreeView, ended by
    the tactics that settle the last position."""
    line = []
    node = tree.root()
    while True:
        line.append(column)
        position = position.play(column)
        node = tree.child(node, column)
        if position.opponent_has_won() or not position.floor:
            return line
        outcome, columns = tactical_columns(position)
        if outcome is not None:
            line.append(columns[0])
            if outcome == "loss":
                line.append(tactical_columns(position.play(columns[0]))[1][0])
            return line
        column = tree.best_edge(node) if node else None
        if column is None or not tree.visits(node, column):
            return line
