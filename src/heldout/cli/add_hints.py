"""Hints of readers in the words of `heldout add`: while a dataset is being added, there is no dataset.yaml to edit."""

from __future__ import annotations

from heldout.errors import ConfigError, DataError

_FLAGS = {
    "bad-encoding": "name the file's encoding: --encoding latin-1",
    "unknown-encoding": "--encoding utf-8, latin-1, cp1252, utf-16 ...",
    "no-split": "--split-field COLUMN, or FILE=SPLIT for each file",
    "repeated-key": "name another key column (--key COLUMN), or leave --key out to let Heldout derive keys",
}
_WORDS = {
    "`encoding: ": "`--encoding ",
    "`header: false`": "--columns",
    "`records`": "--records",
    "`format`": "--file-format",
    "`columns`": "--columns",
    " under `fields` in dataset.yaml": " (--input, --expected, --key)",
    " in dataset.yaml": "",
}


def by_flag(error: DataError | ConfigError) -> str | None:
    if error.slug in _FLAGS:
        return _FLAGS[error.slug]
    if error.hint is None:
        at_row = isinstance(error, DataError) and error.line is not None
        return "correct the row, or leave out rows like it: --on-bad-row skip" if at_row else None
    hint = error.hint
    for setting, flag in _WORDS.items():
        hint = hint.replace(setting, flag)
    return hint
