"""What every engine answers, whatever it searches with. Standard library only."""


class Engine:
    """One game's search. A deriving class has `think`, and of the others what it can.

    warning: what keeps it from playing as it should, "" for nothing.
    SEARCHES_APART: whether move_values has to search each move by itself, which takes time.
    """

    warning = ""
    SEARCHES_APART = False

    def think(self, position, budget_s=None, iterations=None):
        """The Decision (decision.py) on a position with a legal move.

        budget_s: seconds from now for everything, or None; iterations: so many, or None. Without a budget nothing
        depends on a clock.
        """
        raise NotImplementedError

    def knows(self, position):
        """Whether it plays on boards of that size."""
        return True

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """A MoveValue (move_value.py) of every move that the engine lists in a position; [] where it compares none.

        decision: what `think` has just said of that position; budget_s and iterations: as there, what may go into
        finding out more. Without budget_s nothing depends on a clock.
        """
        return []

    def static_values(self, position):
        """(value of a position, {move: value of playing it}) as the evaluation alone says, without a search.

        Values are -1..1 for the side to move; moves that end the game are left out. None where there is no such value.
        """
        return None

    def best_so_far(self):
        """The move a running search would answer now, or None; callable from another thread."""
        return None

    def solve(self, position, budget_s=None, nodes=None, exact=False):
        """The Solution (solution.py) of a position, None where the engine has no solver.

        budget_s: seconds at most; nodes: positions at most; without either it runs to the end. exact: find the length
        of the shortest win and the longest loss, or the score, too.
        """
        return None

    def nodes_in_use(self):
        """Nodes that the search remembers."""
        return 0

    def search_bytes(self):
        """Bytes of the search memory that hold something."""
        return 0

    def time_rollouts(self, position, count):
        """(seconds, plies) of `count` rollouts from a position, without a tree; (0.0, 0) where there are none."""
        return 0.0, 0
