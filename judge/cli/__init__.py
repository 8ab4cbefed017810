"""The judge's commands, in a room for each thing that people want; judge/command_table.py lists them."""
