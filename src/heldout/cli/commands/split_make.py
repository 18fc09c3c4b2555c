"""`heldout split make`: files become splits that share no duplicate, no near duplicate and no group."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from heldout.cli.memory import Memory
from heldout.cli.session import Json, Quiet, Session
from heldout.errors import UsageError


class Written(StrEnum):
    """How rows are written."""

    SAME = "same"
    JSONL = "jsonl"
    CSV = "csv"


Output = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to write into.")]
TextField = Annotated[str | None, typer.Option(metavar="PATH", help="The column or path of the text.")]
Key = Annotated[str | None, typer.Option(metavar="PATH", help="The column of an id.")]
Records = Annotated[str | None, typer.Option(metavar="PATH", help="Where a JSON file's rows are.")]
Encoding = Annotated[str, typer.Option(metavar="NAME", help="Of text files.")]
Columns = Annotated[str | None, typer.Option(metavar="A,B,...", help="Column names, for files without a header line.")]


def split_make(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="One file, or several joined; any format that check reads.")
    ],
    output: Output,
    share: Annotated[
        list[str], typer.Option(metavar="NAME=SHARE", help="A split and its share of all rows, 0.8 or 4/5; repeatable.")
    ],
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same splits.")] = 7,
    stratify: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Each value of it in every split by the shares.")
    ] = None,
    group: Annotated[
        list[str] | None, typer.Option(metavar="FIELD", help="Rows that are equal in it stay together; repeatable.")
    ] = None,
    key: Key = None,
    source: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Holds the --key of the row that a row was made from.")
    ] = None,
    containment: Annotated[
        bool, typer.Option("--containment", help="A text and a longer one around it stay together, too.")
    ] = False,
    tolerance: Annotated[
        str, typer.Option(metavar="SHARE", help="How far a split may miss its share, of all rows.")
    ] = "0.01",
    text_field: TextField = None,
    format_: Annotated[Written, typer.Option("--format", help="same copies rows byte by byte.")] = Written.SAME,
    records: Records = None,
    encoding: Encoding = "utf-8",
    columns: Columns = None,
    memory: Memory = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make splits that share nothing: duplicates, near duplicates and groups stay in one split.

    Rows that belong together are assigned whole, so that `heldout check` finds nothing across the new splits. Nothing
    is overwritten.

    Example: heldout split make all.csv -o splits --share train=0.8 --share test=0.2 --stratify label
    """
    from heldout.reports.splitting.make import split_make_json, split_make_lines
    from heldout.services.checking.files import CheckRequest
    from heldout.services.matching.memory_limit import asked_limit
    from heldout.services.splitting.make import MakeRequest, make_splits

    session = Session(as_json=as_json, quiet=quiet)
    request = MakeRequest(
        files=CheckRequest(
            tuple(files),
            text_field=text_field,
            records=records,
            encoding=encoding,
            columns=tuple(columns.split(",")) if columns else (),
        ),
        folder=output,
        shares=_shares(share),
        seed=seed,
        stratify=stratify,
        groups=tuple(group or ()),
        key=key,
        source=source,
        containment=containment,
        tolerance=_fraction("--tolerance", tolerance),
        format=format_.value,
    )
    if source and not key:
        raise UsageError("bad-value", "--source names rows by their keys, and --key is not given", hint="--key id")
    made = make_splits(request, progress=session.progress, memory=None if memory is None else asked_limit(memory))
    session.progress.close()
    session.emit(split_make_lines(made), split_make_json(made))


def _shares(texts: list[str]) -> dict[str, Fraction]:
    shares: dict[str, Fraction] = {}
    for text in texts:
        name, equals, share = text.partition("=")
        if not (equals and name.strip()) or "/" in name or name.startswith(".") or name in shares:
            message = f"--share {text}: expected a split's name, each once, and its share"
            raise UsageError("bad-value", message, hint="--share train=0.8 --share test=0.2")
        shares[name] = _fraction("--share", share)
        if not shares[name]:
            raise UsageError("bad-value", f"--share {text}: a split without rows", hint=f"leave {name} out")
    if len(shares) < 2 or sum(shares.values()) != 1:
        total = float(sum(shares.values()))
        message = f"the shares of {len(shares)} split(s) sum to {total:g}; two splits or more share 1"
        raise UsageError("bad-value", message, hint="--share train=0.8 --share test=0.2")
    return shares


def _fraction(option: str, text: str) -> Fraction:
    try:
        share = Fraction(text) if len(text) <= 20 and "e" not in text.lower() else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise UsageError("bad-value", f"{option} {text}: expected a number from 0 to 1", hint=f"{option} 0.2")
    return share
