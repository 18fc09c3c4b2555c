"""Exposure of held-out examples, and canaries."""
