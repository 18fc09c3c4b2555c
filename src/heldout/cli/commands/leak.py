"""`heldout leak`: EvalLeak's job, with its report line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.forms import FormOption, deliver, from_top, session_for
from heldout.cli.leak_options import LeakOptions, shared_options
from heldout.cli.session import Json, Quiet, Session

if TYPE_CHECKING:
    from heldout.domain.leaks.leak import LeakKind
    from heldout.domain.leaks.leaks import Leaks

HELP = "EvalLeak's report over manifests or any data files: leak report TRAIN EVAL ..., exact, near, check, diff."

Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="Manifests, or jsonl, txt, csv, parquet; .gz.")]
Source = Annotated[str | None, typer.Option(metavar="PATH", help="A field to group overlaps by, such as a URL.")]


@shared_options
def leak_report(
    files: Files,
    options: LeakOptions,
    source_field: Source = None,
    svg: Annotated[str | None, typer.Option(metavar="FILE", help="Also draw the overlap as an SVG picture.")] = None,
    form: FormOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """All four detectors over all splits, and rates for every two of them. Exit 1 on any finding.

    Example: heldout leak report train.manifest validation.manifest test.manifest
    """
    from heldout.domain.leaks.leak import LeakKind

    _report(files, options, tuple(LeakKind), session_for(form, as_json=as_json, quiet=quiet), source_field, svg)


@shared_options
def leak_exact(
    files: Files, options: LeakOptions, form: FormOption = None, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Equal texts across splits alone. Exit 1 on any.

    Example: heldout leak exact train.jsonl test.jsonl --text-field question
    """
    from heldout.domain.leaks.leak import LeakKind

    _report(files, options, (LeakKind.EXACT,), session_for(form, as_json=as_json, quiet=quiet))


@shared_options
def leak_near(
    files: Files, options: LeakOptions, form: FormOption = None, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Near copies across splits alone; equal texts are not among them. Exit 1 on any.

    Example: heldout leak near train.jsonl test.jsonl --threshold 0.8
    """
    from heldout.domain.leaks.leak import LeakKind

    _report(files, options, (LeakKind.NEAR,), session_for(form, as_json=as_json, quiet=quiet))


@shared_options
def leak_check(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="The split that may give others away.")],
    evaluation: Annotated[str, typer.Argument(metavar="EVAL", help="The split whose covered share is measured.")],
    options: LeakOptions,
    max_containment: Annotated[
        str, typer.Option(metavar="PERCENT", help="Exit 1 above this share of EVAL's records.")
    ] = "0",
    source_field: Source = None,
    form: FormOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """How much of one split another one covers: overlap pairs, the most alike first, and the share against a limit.

    Example: heldout leak check train.jsonl test.jsonl --max-containment 2.0
    """
    from heldout.domain.leaks.rollup import sources_of
    from heldout.reports.adapters.leak import leak_check_report
    from heldout.reports.leaks.advice import action_notes
    from heldout.reports.leaks.check import leak_check_json, leak_check_lines
    from heldout.services.leaks.check import check_pair

    session = session_for(form, as_json=as_json, quiet=quiet)
    limit = options.percentage("--max-containment", max_containment)
    checked = check_pair(
        options.request([train, evaluation], source_field), options.settings(), limit, session.progress
    )
    session.progress.close()
    sources = sources_of(checked.leaks) if source_field is not None else ()
    parts = (checked.leaks, checked.rate, checked.limit, sources)
    notes = (*checked.notes, *action_notes(checked.leaks))
    deliver(
        session,
        lines=lambda: leak_check_lines(*parts),
        data=lambda: leak_check_json(*parts),
        report=lambda: leak_check_report(*parts[:3], notes, from_top()),
    )
    for note in notes:
        session.note(note)
    session.end(checked.exit_code)


def leak_diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A kept report, text or JSON.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="A later report of the same command.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """New and removed findings of two kept reports. Exit 1 when there are new ones.

    Example: heldout leak diff report-before.txt report-after.txt
    """
    from heldout.reports.leaks.diff import leak_diff_json, leak_diff_lines
    from heldout.services.leaks.diff import compare_reports, diff_exit_code

    session = Session(as_json=as_json, quiet=quiet)
    diff = compare_reports(old, new)
    session.emit(leak_diff_lines(diff), leak_diff_json(diff))
    session.end(diff_exit_code(diff))


def leak_version() -> None:
    """Name and version of the program that wrote a report.

    Example: heldout leak version
    """
    from heldout import __version__

    typer.echo(f"heldout {__version__}")


def _report(
    files: list[str],
    options: LeakOptions,
    kinds: tuple[LeakKind, ...],
    session: Session,
    source_field: str | None = None,
    svg: str | None = None,
) -> None:
    """Run detectors, print the whole report or the one section, and end with the exit code."""
    from heldout.domain.leaks.rollup import sources_of
    from heldout.reports.adapters.leak import leak_report_of
    from heldout.reports.leaks.advice import action_notes
    from heldout.reports.leaks.as_json import leak_json
    from heldout.reports.leaks.report import leak_lines, section_lines
    from heldout.services.leaks.report import leak

    answer = leak(options.request(files, source_field), options.settings(), kinds, session.progress)
    session.progress.close()
    sources = sources_of(answer.leaks) if source_field is not None else ()
    if svg is not None:
        _draw(answer.leaks, svg)
    whole = len(kinds) > 1
    notes = (*answer.notes, *action_notes(answer.leaks))
    deliver(
        session,
        lines=lambda: leak_lines(answer.leaks, sources) if whole else section_lines(answer.leaks, kinds[0]),
        data=lambda: leak_json(answer.leaks, sources),
        report=lambda: leak_report_of(
            answer.leaks, "leak report" if whole else f"leak {kinds[0].value}", notes, from_top()
        ),
    )
    for note in notes:
        session.note(note)
    session.end(answer.exit_code)


def _draw(leaks: Leaks, target: str) -> None:
    from heldout.domain.leaks.picture import picture_of
    from heldout.reports.leaks.svg import leak_svg
    from heldout.services.leaks.drawing import keep_drawing

    keep_drawing(target, leak_svg(picture_of(leaks)))
