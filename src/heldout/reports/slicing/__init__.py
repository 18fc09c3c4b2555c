"""Slices as text and JSON."""
