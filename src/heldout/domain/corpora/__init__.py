"""Corpora: findings, records, and what policy asks of them."""
