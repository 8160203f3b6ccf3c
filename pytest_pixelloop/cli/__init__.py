"""Thin commands; they never import the pytest modules."""
