"""Inspect AI: a `MemoryDataset` for a task.

    from inspect_ai import Task, task
    from heldout.integrations.inspect_ai import dataset

    @task
    def support():
        return Task(dataset=dataset("support@v1.2.0", split="test"), solver=..., scorer=...)

A refusal is raised while the task is made, so that `inspect eval` ends before a model is asked anything. The log's
`eval.dataset` has the version as `name` and everything that identifies the examples as `location`.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from heldout.api import Require
from heldout.domain.example import JSON, Example
from heldout.errors import UsageError
from heldout.integrations.columns import as_text
from heldout.integrations.fields import Fields, Mapper, Record
from heldout.integrations.holdout import holdout

if TYPE_CHECKING:
    from inspect_ai.dataset import MemoryDataset, Sample

DEFAULT: Fields = {"input": "input", "target": "expected", "id": "key"}
_OPTIONAL = ("choices", "files", "setup")


def dataset(
    version: str,
    *,
    split: str | None = None,
    slice: str | None = None,  # noqa: A002
    require: Require = "clean",
    fields: Fields | None = None,
    repo: str | os.PathLike[str] = ".",
) -> MemoryDataset:
    """Samples of the examples, once the gate has said what `require` asks for.

    `fields` adds to `{"input": "input", "target": "expected", "id": "key"}` or replaces a part of it: `choices`,
    `files` and `setup` are a sample's, any other name goes into its metadata, beside the example's own. A list of
    messages with `role` and `content` becomes chat messages; other inputs and targets that are no text are JSON text.

    Raises what `heldout.integrations.holdout.holdout` does, and UsageError: unknown-field, unfit-example.
    """
    taken = holdout(version, split=split, slice=slice, require=require, repo=repo)
    from inspect_ai.dataset import MemoryDataset

    records = Mapper({**DEFAULT, **(fields or {})}).records(taken.examples)
    names = Counter(as_text(record["id"]) for record in records)
    unique = len(names) == len(records)
    samples = [
        _sample(example, record, as_text(record["id"]) if unique else f"{example.split}/{as_text(record['id'])}")
        for example, record in zip(taken.examples, records, strict=True)
    ]
    return MemoryDataset(samples, name=taken.provenance.version, location=str(taken.provenance))


def _sample(example: Example, record: Record, name: str) -> Sample:
    """`name` is unique, which a key is within its split only."""
    from inspect_ai.dataset import Sample

    extra = {field: value for field, value in record.items() if field not in (*DEFAULT, *_OPTIONAL)}
    given: dict[str, Any] = {
        "input": _input(record["input"]),
        "target": _target(record["target"]),
        **{field: record[field] for field in _OPTIONAL if record.get(field) is not None},
    }
    try:
        return Sample(id=name, metadata={**example.metadata, **extra}, **given)
    except ValueError as error:  # pydantic's, whose own message would quote the example
        wrong = sorted({str(problem["loc"][0]) for problem in getattr(error, "errors", list)()})
        raise UsageError(
            "unfit-example",
            f"{example.split}/{example.key} is no sample of Inspect's: it does not take this {' and '.join(wrong)}",
            hint="choose other parts with fields=",
        ) from None


def _input(value: JSON) -> JSON:
    """Messages as they are, since Inspect reads them into its own; anything else as text."""
    messages = isinstance(value, list) and value and all(isinstance(item, dict) and "role" in item for item in value)
    return value if messages else as_text(value)


def _target(value: JSON) -> str | list[str]:
    if value is None:
        return ""
    return [as_text(item) for item in value] if isinstance(value, list) else as_text(value)
