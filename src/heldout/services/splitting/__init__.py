"""Splits: checked, locked, made, cleaned, and what must not cross them."""
