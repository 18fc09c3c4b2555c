"""`heldout results`: an evaluation run by slice, and one run against another."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from heldout.cli.commands.load import Allowed
from heldout.cli.completion.names import subjects
from heldout.cli.session import Json, Quiet, Session
from heldout.errors import ExitCode

if TYPE_CHECKING:
    from heldout.domain.results.suite import Suite
    from heldout.services.results.subject import Asked

HELP = "An evaluation run by slice, and one run against another: results report RUN, results compare NEW OLD."


class Against(StrEnum):
    """What a slice is tested against for a mark."""

    RUN = "run"
    REST = "rest"


class View(StrEnum):
    """How a result is printed."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"


SuiteFile = Annotated[
    Path | None, typer.Option("--suite", dir_okay=False, help="YAML with slices, support and rules (docs/results.md).")
]
Dataset = Annotated[
    str | None,
    typer.Option(
        "--dataset", metavar="SUBJECT", autocompletion=subjects, help="The version that was run; else the file says it."
    ),
]
Slices = Annotated[
    list[str] | None, typer.Option("--slice", metavar="SLICE", help="One more slice, such as metadata.lang; repeat.")
]
Allow = Annotated[
    list[Allowed] | None, typer.Option("--allow", help="Go on although the holdout is this; may be repeated.")
]
MissingAsSlice = Annotated[
    bool, typer.Option("--missing-as-slice", help="Cases without a slice's key are the slice (missing).")
]
Format = Annotated[View, typer.Option("--format", help="How to print it.")]


def results_report(
    run: Annotated[Path, typer.Argument(metavar="RUN.jsonl", help="One result a line (docs/results.md).")],
    suite: SuiteFile = None,
    dataset: Dataset = None,
    slices: Slices = None,
    allow: Allow = None,
    missing_as_slice: MissingAsSlice = False,
    against: Annotated[
        Against | None, typer.Option("--against", help="Mark slices against the run's own rate, or its rest (Fisher).")
    ] = None,
    with_and_without: Annotated[
        bool, typer.Option("--with-and-without", help="Each metric with and without contaminated cases.")
    ] = False,
    suggest: Annotated[bool, typer.Option("--suggest", help="Rank crosses of slices worth declaring.")] = False,
    bundle: Annotated[Path | None, typer.Option("--bundle", dir_okay=False, help="Keep the JSON in a file.")] = None,
    chart: Annotated[
        Path | None, typer.Option("--chart", dir_okay=False, help="Draw intervals: an .svg, or Vega-Lite as .json.")
    ] = None,
    view: Format = View.TABLE,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Each metric of a run by slice, with honest intervals, and which slices stand out. Slices gate nothing.

    A contaminated holdout is refused with exit 1, one of which nobody knows with exit 3, unless --allow says so. Exit
    1 also when a release rule of the suite fails, 3 when one cannot be decided.

    Example: heldout results report run.jsonl --suite suite.yaml
    """
    from heldout.domain.results.decision import gate_of
    from heldout.reports.results.bundle import report_json
    from heldout.reports.results.markdown import report_markdown
    from heldout.reports.results.table import gate_code, report_lines
    from heldout.services.results.report import Wanted, report

    session = Session(as_json=as_json or view is View.JSON, quiet=quiet)
    declared = _suite(suite, slices or (), missing_as_slice=missing_as_slice, against=against)
    wanted = Wanted(with_and_without=with_and_without, suggest=suggest)
    found = report(lambda: session.workspace, run, declared, _asked(dataset, allow), wanted, session.progress)
    session.progress.close()
    data = report_json(found)
    files: dict[Path, str] = {}
    if bundle is not None:
        files[bundle] = _pretty(data)
    if chart is not None:
        from heldout.reports.results.chart import chart_svg, chart_vega

        files[chart] = _pretty(chart_vega(found)) if chart.suffix == ".json" else chart_svg(found)
    _keep(files)
    session.emit(report_markdown(found) if view is View.MARKDOWN else report_lines(found), data)
    session.end(ExitCode(gate_code(gate_of(found.decided))))


def results_compare(
    candidate: Annotated[Path, typer.Argument(metavar="CANDIDATE", help="The new run's file.")],
    baseline: Annotated[Path, typer.Argument(metavar="BASELINE", help="The run to compare with.")],
    policy: Annotated[Path, typer.Option("--policy", dir_okay=False, help="YAML with rules and families.")],
    suite: SuiteFile = None,
    dataset: Dataset = None,
    slices: Slices = None,
    allow: Allow = None,
    missing_as_slice: MissingAsSlice = False,
    bundle: Annotated[Path | None, typer.Option("--bundle", dir_okay=False, help="Keep the JSON in a file.")] = None,
    view: Format = View.TABLE,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare two runs case by case and decide the policy's rules: exit 0 PASS, 1 BLOCK, 3 not enough evidence.

    Example: heldout results compare new.jsonl old.jsonl --policy compare.yaml
    """
    from heldout.reports.results.bundle import compare_json
    from heldout.reports.results.compared import compare_lines
    from heldout.reports.results.markdown import compare_markdown
    from heldout.reports.results.table import gate_code
    from heldout.services.results.compare import compare
    from heldout.services.results.declaring import read_policy

    session = Session(as_json=as_json or view is View.JSON, quiet=quiet)
    rules, own = read_policy(policy)
    declared = _suite(suite, slices or (), missing_as_slice=missing_as_slice, base=own)
    found = compare(
        lambda: session.workspace, (candidate, baseline), rules, declared, _asked(dataset, allow), session.progress
    )
    session.progress.close()
    data = compare_json(found)
    _keep({bundle: _pretty(data)} if bundle else {})
    session.emit(compare_markdown(found) if view is View.MARKDOWN else compare_lines(found), data)
    session.end(ExitCode(gate_code(found.gate)))


def _suite(
    path: Path | None, slices: Any, *, missing_as_slice: bool, base: Suite | None = None, against: str | None = None
) -> Suite:
    from heldout.services.results.declaring import declare

    return declare(path, slices, base=base, missing_as_slice=missing_as_slice, against=against)


def _asked(dataset: str | None, allow: list[Allowed] | None) -> Asked:
    from heldout.services.results.subject import Asked

    return Asked(dataset, tuple(item.value for item in allow or ()))


def _pretty(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _keep(files: dict[Path, str]) -> None:
    from heldout.services.results.declaring import keep

    keep({path: text.encode() for path, text in files.items()})
