"""Measurements of the loop itself: what it makes of fixers, the helpful ones and the others."""
