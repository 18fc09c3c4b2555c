"""A Hugging Face dataset card: README.md with YAML that the Hub reads, and what people want to know below it.

https://huggingface.co/docs/hub/datasets-cards and datasets-manual-configuration. Names of splits there are made of
letters, digits, underscores and dots; others are written so, and told.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from heldout.domain.describing.description import Description
from heldout.errors import UsageError
from heldout.reports.answers import plural, short
from heldout.reports.excerpts import printable
from heldout.reports.marking import code, html, plain
from heldout.reports.metadata.words import leakage, summary

_NAME = re.compile(r"\w+(?:\.\w+)*")
_SIZES = (
    (1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M"), (1_000_000_000, "100M<n<1B"),
    (10_000_000_000, "1B<n<10B"), (100_000_000_000, "10B<n<100B"), (1_000_000_000_000, "100B<n<1T"),
)  # fmt: skip
_VERDICTS = {"clean": "clean", "contaminated": "**contaminated**", "unknown": "unknown"}


def hf_card(about: Description, dump: Callable[[Any], bytes]) -> str:
    """The card. `dump` writes YAML. Raises UsageError (slug splits-collide)."""
    head = dump(_front_matter(about)).decode()
    return "\n".join([f"---\n{head}---", *_body(about)]) + "\n"


def _front_matter(about: Description) -> dict[str, Any]:
    names = _split_names(about)
    files: dict[str, list[str]] = {}
    for file in about.files:
        if len(file.by_split) == 1:
            files.setdefault(names[next(iter(file.by_split))], []).append(file.path)
    whole = all(len(file.by_split) == 1 for file in about.files)
    configs = [
        {
            "config_name": "default",
            "data_files": [{"split": split, "path": paths} for split, paths in files.items()],
        }
    ]
    return {
        "pretty_name": about.name,
        **({"license": about.licence.lower()} if about.licence else {}),
        "size_categories": [next((name for limit, name in _SIZES if about.examples < limit), "n>1T")],
        "tags": ["heldout"],
        # Where one file holds several splits, the Hub's data_files cannot say so.
        **({"configs": configs} if whole and files else {}),
    }


def _split_names(about: Description) -> dict[str, str]:
    found: dict[str, str] = {}
    for split in about.by_split:
        name = split if _NAME.fullmatch(split) else re.sub(r"\W+", "_", split).strip("_") or "split"
        if name in found.values():
            other = next(key for key, value in found.items() if value == name)
            message = f"the splits {other!r} and {split!r} would both be called {name!r} on a card"
            raise UsageError(
                "splits-collide", message, hint="rename one of them; a card's splits are letters and digits"
            )
        found[split] = name
    return found


def _body(about: Description) -> list[str]:
    names = _split_names(about)
    lines = [f"# {about.subject}", "", html(printable(f"{summary(about)}.".replace("..", "."))), "", leakage(about), ""]
    lines += ["| split | examples | held out |", "|---|---|---|"]
    for split, count in about.by_split.items():
        called = "" if names[split] == split else f" (here `{names[split]}`)"
        lines.append(f"| {plain(split)}{called} | {count:,} | {'yes' if split in about.held_out else 'no'} |")
    if about.slices:
        lines += ["", "## Slices", "", "| slice | number | definition | what it is |", "|---|---|---|---|"]
        lines += [
            f"| {_cell(item.name)}{' (required)' if item.required else ''} | {item.number or 'not recorded'} "
            f"| `{short(item.digest)}` | {_cell(item.description)} |"
            for item in about.slices
        ]
    if about.frozen:
        lines += ["", "## Versions", "", "| version | leakage |", "|---|---|"]
        lines += [f"| {_cell(name)} | {_VERDICTS[verdict]} |" for name, verdict in about.frozen]
    lines += ["", "## Identity", "", f"- content: `{about.content}`", f"- source: `{about.source}`"]
    lines += [f"- commit: `{about.commit}`"] if about.commit else []
    lines += [f"- {plural(len(about.files), 'file')}, tracked by DVC:"]
    return [*lines, *(f"  - {_path(file.path)}: sha256 `{file.sha256}`" for file in about.files)]


def _path(path: str) -> str:
    """`code` escapes bars for tables, and this is none."""
    return code(path).replace("\\|", "|")


def _cell(text: str) -> str:
    """What its author writes may be Markdown; it ends no cell, and is no HTML."""
    return html(printable(text)).replace("|", "\\|")
