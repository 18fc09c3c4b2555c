"""Caches below `.heldout/`: digests and numbers, never text."""
