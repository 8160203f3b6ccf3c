"""A benchmark of truth: pages, their designs by another rasteriser, and seeded defects."""
