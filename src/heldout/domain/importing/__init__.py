"""Exports of other tools, read by a mapping: which place of a row is which part of an example or of a result."""
