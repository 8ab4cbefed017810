"""How large a page of `dropfour view` with many games is, and how soon a browser shows its first board."""
