"""Splits, conflicts and prompts as text and JSON."""
