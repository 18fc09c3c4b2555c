"""Slice files: histories, drafts, and merging two."""
