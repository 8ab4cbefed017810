"""How fast reversi's rules and its exact end are, and that they are right: perft and the FFO endgames."""
