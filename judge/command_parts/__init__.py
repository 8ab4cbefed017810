"""What several commands do: play a run into a record file, take one game from such a file."""
