"""The alpha-beta players for boards of every size, and their evaluations."""
