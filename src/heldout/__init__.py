"""Heldout keeps held-out data held out: versions, leakage scans and gates for datasets kept in Git and DVC."""

__version__ = "0.1.0"
