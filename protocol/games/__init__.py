"""The games' messages, a package each."""
