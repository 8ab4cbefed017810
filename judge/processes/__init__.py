"""Runs bots as processes of the operating system: starts them, passes bytes, measures them, ends them completely."""
