"""The commands of the judge: a module for each command, and modules that several commands share."""
