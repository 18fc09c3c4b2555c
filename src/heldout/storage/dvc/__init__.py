"""The one door to DVC: its cache is read here directly, and DVC itself runs only in a process of its own."""

from heldout.storage.dvc.store import DvcStore

__all__ = ["DvcStore"]
