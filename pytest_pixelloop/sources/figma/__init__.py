"""Figma's REST API: links, the token, one HTTP client, and what becomes of its answers.

Only ``pixelloop pull`` imports the client. Tests read files.
"""
