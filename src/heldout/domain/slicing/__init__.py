"""Slices: definitions, conditions, samples, and what they evaluate to."""
