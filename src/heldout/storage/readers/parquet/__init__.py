"""The one door to Parquet and to pyarrow, which does its work in a process of its own."""

from __future__ import annotations

from heldout.storage.readers.parquet.process import read_parquet

__all__ = ["read_parquet"]
