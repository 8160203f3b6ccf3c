"""Where designs come from: one outside thing a module."""
