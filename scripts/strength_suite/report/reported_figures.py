"""What the documents that the project started from report of their own systems, by preset; for the report."""

# Against the best sample strategy, 100.so, at the budget each document names.
BEST_SAMPLE = "100.so"
AGAINST_BEST_SAMPLE = {
    "uct-plain": "40 %",
    "uct-forced": "50 %",
    "uct-proofs": "80 %",
    "uct-fresh-tree": "50 %",
    "alphabeta-basic": "about 30 %",
    "mcts": "85 to 95 %",
}
# Against all samples that a document played.
AGAINST_ALL_SAMPLES = {
    "uct-proofs": "98 of 100 won",
    "uct-fresh-tree": "73 of 100 won",
    "alphabeta": "80 to 90 points",
    "mcts": "about 96 %",
}
# (weaker, stronger) with the document's words on it.
ORDERS = {
    ("uct-plain", "uct-forced"): "v2 beats v1 almost always",
    ("uct-forced", "uct-proofs"): "v3 is the stronger",
    ("alphabeta-basic", "alphabeta"): "the improved one is the stronger",
    ("alphabeta", "mcts"): "MCTS is the stronger",
}
