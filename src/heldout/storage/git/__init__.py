"""The one door to Git. Nothing else in Heldout starts a Git process."""

from __future__ import annotations

from heldout.storage.git.refs import Ref, RefUpdate, Tag, is_zero, parse_push
from heldout.storage.git.repository import Git
from heldout.storage.git.trees import GitTree, TreeEntry

__all__ = ["Git", "GitTree", "Ref", "RefUpdate", "Tag", "TreeEntry", "is_zero", "parse_push"]
