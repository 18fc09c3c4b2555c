"""`heldout import` and `heldout results import`: exports of other tools."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from heldout.cli.session import Json, Quiet, Session
from heldout.errors import UsageError

As = Annotated[
    str | None,
    typer.Option("--as", metavar="PRESET|FILE.yaml", help="How to read it: a preset, or a mapping file of your own."),
]
Places = Annotated[
    list[str] | None, typer.Option("--set", metavar="PART=PATH", help="Another place for a part: input=doc.question.")
]
Only = Annotated[
    list[str] | None, typer.Option("--only", metavar="PATH=VALUE", help="Only rows that say so: epoch=1; repeat.")
]
Show = Annotated[
    str | None, typer.Option("--show", metavar="PRESET", help="Print a preset, to be changed into a mapping file.")
]


def import_dataset(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The export.")] = None,
    mapping: As = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", dir_okay=False, help="The file to write; it must be a new one.")
    ] = None,
    split: Annotated[str | None, typer.Option("--split", help="The split that every row is in.")] = None,
    places: Places = None,
    only: Only = None,
    show: Show = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Examples out of another tool's export: JSON Lines that `heldout add` takes as they are.

    Presets: inspect, lm-eval, promptfoo, langsmith, langfuse, braintrust.

    Example: heldout import dataset.json --as langsmith --split test -o test.jsonl
    """
    from heldout.reports.importing import dataset_json, dataset_lines
    from heldout.services.importing.datasets import import_dataset as run

    if show is not None:
        from heldout.services.importing.reading import preset_text

        sys.stdout.write(preset_text(show).decode())
        return
    export, name, target = _needed(file, mapping, output)
    session = Session(as_json=as_json, quiet=quiet)
    done = run(export, name, target, split=split, places=places or (), only=only or ())
    counts = (done.by_split, done.repeated, done.passed_over)
    session.emit(
        dataset_lines(done.mapping, str(target), *counts), dataset_json(done.mapping, str(target), done.digest, *counts)
    )


def results_import(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The export.")] = None,
    mapping: As = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", dir_okay=False, help="The run file to write; it must be a new one.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option("--dataset", metavar="SUBJECT", help="The version that was run, where no log says it.")
    ] = None,
    split: Annotated[str | None, typer.Option("--split", help="The split that cases are in.")] = None,
    run_name: Annotated[str | None, typer.Option("--run", metavar="NAME", help="What to call the run.")] = None,
    metrics: Annotated[
        list[str] | None, typer.Option("--metric", metavar="NAME", help="Only this metric; may be repeated.")
    ] = None,
    rates: Annotated[
        list[str] | None, typer.Option("--rate", metavar="METRIC", help="Its 1 and 0 mean true and false; repeat.")
    ] = None,
    places: Places = None,
    only: Only = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Results out of another tool's export: a run file for `heldout results report` and `compare`.

    Presets: inspect, lm-eval, promptfoo, langfuse, braintrust.

    Example: heldout results import logs/run.eval --as inspect -o run.jsonl
    """
    from heldout.reports.importing import run_json, run_lines
    from heldout.services.importing.runs import Named, import_run

    export, name, target = _needed(file, mapping, output)
    session = Session(as_json=as_json, quiet=quiet)
    done = import_run(
        export,
        name,
        target,
        named=Named(run_name, dataset, split),
        metrics=metrics or (),
        rates=rates or (),
        places=places or (),
        only=only or (),
    )
    counts = (done.cases, done.excluded, done.metrics, done.missing, done.passed_over)
    version = done.header.get("dataset")
    session.emit(
        run_lines(done.mapping, str(target), str(version) if version else None, *counts),
        run_json(done.mapping, str(target), done.digest, done.header, *counts),
    )


def _needed(file: Path | None, mapping: str | None, output: Path | None) -> tuple[Path, str, Path]:
    from heldout.services.importing.reading import presets

    if file is None or mapping is None or output is None:
        missing = "FILE" if file is None else "--as" if mapping is None else "--output"
        raise UsageError("missing-option", f"{missing} is needed", hint=f"--as takes {', '.join(presets())}, or a file")
    return file, mapping, output
