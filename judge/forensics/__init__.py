"""What is kept of games that did not end as they should: a folder for each, for whoever wants to know why."""
