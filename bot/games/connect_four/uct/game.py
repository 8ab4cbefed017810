"""Connect four as search/uct/edge_nodes/search.py asks for it: the rules as the tree has them, and the rollouts."""

from ..rules.board import ALL_TACTICS
from ..rules.position import EDGES, assess, load_root, play, position_hash
from .rollout import rollout

__all__ = ["EDGES", "ROOT_POLICY", "load_root", "play", "position_hash", "rollout", "assess"]

# What settles a root: only what gives it a move to play.
ROOT_POLICY = ALL_TACTICS
