"""lm-evaluation-harness: the `custom_dataset` of a task.

    task: support
    custom_dataset: !function heldout.integrations.lm_eval.load
    dataset_kwargs: {holdout: support@v1.2.0}
    test_split: test

A refusal is raised while the task is made, so that `lm_eval` ends before a model is loaded. The results' `configs` name
the version and the digests under `custom_dataset`, where the harness writes what the callable says of itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from heldout.api import Require
from heldout.integrations.columns import columns
from heldout.integrations.fields import Fields
from heldout.integrations.holdout import Provenance, holdout
from heldout.integrations.plain import rows_of

if TYPE_CHECKING:
    from datasets import Dataset


class Loader:
    """A callable that remembers what it loaded; the harness copies it for each task before it calls it."""

    def __init__(self) -> None:
        self.provenance: Provenance | None = None

    def __call__(
        self,
        *,
        holdout: str,
        split: str | None = None,
        slice: str | None = None,  # noqa: A002
        require: Require = "clean",
        fields: Fields | None = None,
        repo: str | os.PathLike[str] = ".",
        **metadata: object,  # noqa: ARG002
    ) -> Mapping[str, Dataset]:
        """A dataset for each split. `holdout` is the version: a task's `metadata`, which the harness passes along with
        `dataset_kwargs`, has a `version` of its own. The rest of `metadata` is not looked at.

        Raises what `heldout.integrations.plain.rows` does.
        """
        self.provenance = None
        made, self.provenance = _by_split(holdout, split=split, slice=slice, require=require, fields=fields, repo=repo)
        return made

    def __repr__(self) -> str:
        return "heldout" if self.provenance is None else str(self.provenance)


load = Loader()
"""What a task names: `!function heldout.integrations.lm_eval.load`."""


def _by_split(
    version: str,
    *,
    split: str | None,
    slice: str | None,  # noqa: A002
    require: Require,
    fields: Fields | None,
    repo: str | os.PathLike[str],
) -> tuple[dict[str, Dataset], Provenance]:
    taken = holdout(version, split=split, slice=slice, require=require, repo=repo)
    records = rows_of(taken, fields)
    from heldout.integrations.huggingface import made_of

    made = {}
    for name in dict.fromkeys(example.split for example in taken.examples):
        part = [record for example, record in zip(taken.examples, records, strict=True) if example.split == name]
        made[name] = made_of(columns(part), replace(taken.provenance, split=name, examples=len(part)))
    return made, taken.provenance
