"""Readers and writers for the game logs of other programs, a module per format; the games read are judged again."""
