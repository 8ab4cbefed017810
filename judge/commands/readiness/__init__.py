"""Commands that say whether a machine, a shell and a player are ready."""
