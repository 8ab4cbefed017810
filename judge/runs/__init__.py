"""Runs of many games: their configuration, schedule, record file and progress."""
