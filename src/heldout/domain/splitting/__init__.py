"""Splits: cases, locks, assignment, groups, lineage, conflicts, prompts."""
