"""Sealed holdouts: keyed digests and estimates by signatures."""
