"""promptfoo: test cases, made when the evaluation starts. A file `heldout_tests.py` beside the configuration says

    from heldout.integrations.promptfoo import create_tests

and the configuration

    prompts: ["{{ example.input }}"]
    tests:
      - path: file://heldout_tests.py:create_tests
        config: {holdout: support@v1.2.0, split: test}

A refusal is raised in the generator, which ends `promptfoo eval` before a provider is asked anything. A file of tests
that was written once would not ask the gate again, and would be one more copy of the holdout's text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from heldout.api import Require
from heldout.domain.example import JSON, Example
from heldout.errors import UsageError
from heldout.integrations.columns import as_text
from heldout.integrations.fields import Fields, Mapper, Record
from heldout.integrations.holdout import holdout

DEFAULT: Fields = {"input": "input", "expected": "expected"}
_CONFIG = ("holdout", "split", "slice", "require", "fields", "compare", "flat", "repo")
_READ_BY_PROMPTFOO = re.compile(r"\A(?:file://|package:)|\{[{%#]|\n\Z")
"""What promptfoo would not leave as it is in a variable: names of files and packages, templates, a last line end."""


def create_tests(config: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """What promptfoo calls, with the `config` of the entry under `tests`: `holdout` is the version, the others are
    arguments of `cases` by their names.

    Raises UsageError (slug unknown-setting), and what `cases` raises.
    """
    given = dict(config or {})
    unknown = sorted(given.keys() - set(_CONFIG))
    if unknown or "holdout" not in given:
        wrong = f"no setting is called {unknown[0]!r}" if unknown else "the setting 'holdout' is missing"
        raise UsageError("unknown-setting", wrong, hint=f"settings: {', '.join(_CONFIG)}")
    return cases(given.pop("holdout"), **given)


def cases(
    version: str,
    *,
    split: str | None = None,
    slice: str | None = None,  # noqa: A002
    require: Require = "clean",
    fields: Fields | None = None,
    compare: str | None = "equals",
    flat: bool = False,
    repo: str | os.PathLike[str] = ".",
) -> list[dict[str, Any]]:
    """One test case an example. Its variable `example` has the `fields`, by default `input` and `expected`.

    A prompt takes them as `{{ example.input }}`, and so they reach it unchanged. With `flat` each field is a variable
    of its own, `{{ input }}`; promptfoo reads such a one as a template or the name of a file where it looks like that,
    so an example with such a text is refused.

    `compare` is the type of an assertion on the field `expected`: `equals`, `icontains`, `llm-rubric` and so on. There
    is none for None, and none where an example expects nothing.

    Raises what `heldout.integrations.plain.rows` does, and UsageError (slug unfit-example).
    """
    taken = holdout(version, split=split, slice=slice, require=require, repo=repo)
    records = Mapper(DEFAULT if fields is None else fields).records(taken.examples)
    said = str(taken.provenance)
    made = []
    for example, record in zip(taken.examples, records, strict=True):
        if flat:
            _require_unread(example, record)
        test: dict[str, Any] = {
            "description": f"{taken.provenance.version} {example.split}/{example.key}",
            "vars": dict(record) if flat else {"example": record},
            "metadata": {"heldout": said, "key": example.key, "split": example.split},
            # A list would otherwise become one test for each of its items.
            "options": {"disableVarExpansion": True},
        }
        if compare is not None and record.get("expected") is not None:
            place = "{{ expected }}" if flat else "{{ example.expected }}"
            test["assert"] = [{"type": compare, "value": _wanted(record["expected"], place)}]
        made.append(test)
    return made


def _wanted(expected: JSON, place: str) -> JSON:
    """By reference where it is a text, since an assertion's own text would be read as a template."""
    if isinstance(expected, str):
        return place
    return expected if isinstance(expected, dict | list) else as_text(expected)


def _require_unread(example: Example, record: Record) -> None:
    for name, value in record.items():
        if isinstance(value, str) and _READ_BY_PROMPTFOO.search(value):
            raise UsageError(
                "unfit-example",
                f"{example.split}/{example.key}: promptfoo would change {name!r}, which looks like a template or the "
                "name of a file, or ends with a line end",
                hint="leave flat out and write {{ example." + name + " }} in prompts",
            )
