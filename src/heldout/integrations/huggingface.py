"""Hugging Face datasets: a `Dataset` in memory, whose `info` names the version.

    from heldout.integrations.huggingface import dataset

    tests = dataset("support@v1.2.0", split="test")

The rows are never written to the library's cache: text of a holdout is in DVC's cache or nowhere.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from heldout.api import Require
from heldout.integrations.columns import Column, Type, columns
from heldout.integrations.fields import Fields
from heldout.integrations.holdout import Provenance
from heldout.integrations.plain import rows

if TYPE_CHECKING:
    from datasets import Dataset


def dataset(
    version: str,
    *,
    split: str | None = None,
    slice: str | None = None,  # noqa: A002
    require: Require = "clean",
    fields: Fields | None = None,
    repo: str | os.PathLike[str] = ".",
) -> Dataset:
    """One row an example; `info.description` is the provenance as JSON and goes where the dataset is saved.

    Columns that are of no one plain type are JSON text: see `columns`. Raises what `heldout.integrations.plain.rows`
    does.
    """
    taken = rows(version, split=split, slice=slice, require=require, fields=fields, repo=repo)
    return made_of(columns(taken), taken.provenance)


def made_of(made: list[Column], provenance: Provenance) -> Dataset:
    """A dataset of these columns. `from_dict` keeps them in memory; `from_generator` would write them to a cache."""
    from datasets import Dataset, DatasetInfo, Features, NamedSplit

    name, _, number = provenance.version.partition("@v")
    features = Features({column.name: _feature(column.type) for column in made})
    return Dataset.from_dict(
        {column.name: column.values for column in made},
        info=DatasetInfo(
            features=features,
            description=json.dumps(provenance.as_json(), ensure_ascii=False),
            dataset_name=name,
            version=number or None,
        ),
        split=None if provenance.split is None else NamedSplit(provenance.split),
    )


def _feature(kind: Type) -> Any:
    from datasets import Value

    plain = {Type.WHOLE: "int64", Type.NUMBER: "float64", Type.TRUTH: "bool"}
    return [Value("string")] if kind is Type.TEXTS else Value(plain.get(kind, "string"))
