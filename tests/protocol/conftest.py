"""Hypothesis without its time limit per example: these tests also run on machines that are busy."""

from hypothesis import settings

settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
