"""Exact values of dots and boxes: whole boards, and many positions of one kind with the time that they take."""
