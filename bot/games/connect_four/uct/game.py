"""Connect four as search/uct/edge_nodes/search.py asks for it: the rules as the tree has them, and the rollouts."""

from ..rules.position import EDGES, assess, load_root, play, position_hash
from .rollout import rollout

__all__ = ["EDGES", "load_root", "play", "position_hash", "rollout", "assess"]
