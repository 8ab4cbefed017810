"""Pictures of `dropfour view`'s pages, taken in a real browser, for the documentation."""
