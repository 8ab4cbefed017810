"""Pictures of the pages of `dropfour view` and `dropfour serve`, taken in a real browser, for the documentation."""
