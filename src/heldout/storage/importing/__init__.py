"""Exports of other tools: their mappings, and their rows."""
