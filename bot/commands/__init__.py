"""The command line of `python -m bot`: the options for playing, and the commands analyze, bench and presets."""
