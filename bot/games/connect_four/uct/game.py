"""Connect four as search/uct/edge_nodes/search.py asks for it: the rules as the tree has them, and the rollouts."""

from ..rules.position import EDGES, load_root, play, position_hash, survey
from .rollout import rollout

__all__ = ["EDGES", "load_root", "play", "position_hash", "rollout", "survey"]
