"""Decisions and changes of holdouts as text and JSON."""
