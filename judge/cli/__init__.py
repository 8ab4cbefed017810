"""The commands of the judge: a file for each, and beside them what several share."""
