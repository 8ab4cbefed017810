"""What the documents that the project started from report of their own systems, by preset; for the report."""

# Against the best sample strategy, 100.so, at the budget each document names.
BEST_SAMPLE = "100.so"
AGAINST_BEST_SAMPLE = {
    "seed000-v1": "40 %",
    "seed000-v2": "50 %",
    "seed000-v3": "80 %",
    "seed001": "50 %",
    "seed003-alphabeta-basic": "about 30 %",
    "seed003-mcts": "85 to 95 %",
}
# Against all samples that a document played.
AGAINST_ALL_SAMPLES = {
    "seed000-v3": "98 of 100 won",
    "seed001": "73 of 100 won",
    "seed003-alphabeta": "80 to 90 points",
    "seed003-mcts": "about 96 %",
}
# (weaker, stronger) with the document's words on it.
ORDERS = {
    ("seed000-v1", "seed000-v2"): "v2 beats v1 almost always",
    ("seed000-v2", "seed000-v3"): "v3 is the stronger",
    ("seed003-alphabeta-basic", "seed003-alphabeta"): "the improved one is the stronger",
    ("seed003-alphabeta", "seed003-mcts"): "MCTS is the stronger",
}
