"""Exact values."""
