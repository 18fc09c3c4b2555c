"""Corpora on disk: their files, records, and how far a scan has come."""
