"""Slices: saved, counted, listed, suggested, reported."""
