"""Measurements of the loop itself: what it makes of fixers that cheat."""
