"""`heldout picture`: overlap, similarity, support of slices and versions, drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.completion.names import datasets, subjects
from heldout.cli.session import Json, Quiet, Session

if TYPE_CHECKING:
    from heldout.reports.pictures.model import Picture

HELP = "Pictures as SVG, as Vega-Lite, or for `dvc plots`: picture overlap, similarity, slices, versions."

Subject = Annotated[
    str | None,
    typer.Argument(metavar="[SUBJECT]", autocompletion=subjects, help="NAME, NAME@vX.Y.Z or NAME@COMMIT."),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", dir_okay=False, help="A new file; never overwritten.")
]
VegaLite = Annotated[bool, typer.Option("--vega-lite", help="A Vega-Lite specification with its data inside.")]
Template = Annotated[bool, typer.Option("--dvc-template", help="A template for `dvc plots show --template`.")]
Rows = Annotated[bool, typer.Option("--rows", help="The marks as rows of JSON, which such a template draws.")]


def picture_overlap(
    output: Output,
    subject: Subject = None,
    vega: VegaLite = False,
    template: Template = False,
    rows: Rows = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw which version gives away whose holdout; with a subject, which of its splits overlap with what.

    Example: heldout picture overlap support@v1.0.0 -o overlap.svg
    """
    from heldout.reports.pictures.overlap import split_overlap, version_overlap
    from heldout.services import picturing

    def picture(session: Session) -> Picture:
        if subject is None:
            return version_overlap(picturing.coverage(session.workspace))
        return split_overlap(*picturing.splits(session.workspace, subject))

    _deliver(picture, output, _form(vega, template, rows), Session(as_json=as_json, quiet=quiet))


def picture_similarity(
    output: Output,
    subject: Subject = None,
    vega: VegaLite = False,
    template: Template = False,
    rows: Rows = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw how alike the pairs are that scans found, as a histogram.

    Example: heldout picture similarity support -o similarity.svg
    """
    from heldout.reports.pictures.similarity import similarities
    from heldout.services.findings import list_findings

    def picture(session: Session) -> Picture:
        return similarities(list_findings(session.workspace, subject))

    _deliver(picture, output, _form(vega, template, rows), Session(as_json=as_json, quiet=quiet))


def picture_slices(
    output: Output,
    subject: Subject = None,
    vega: VegaLite = False,
    template: Template = False,
    rows: Rows = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw how many examples each slice stands on. Reads the data.

    Example: heldout picture slices support -o slices.svg
    """
    from heldout.reports.pictures.support import slice_support
    from heldout.services import picturing

    def picture(session: Session) -> Picture:
        return slice_support(picturing.slices(session.workspace, subject, session.progress))

    _deliver(picture, output, _form(vega, template, rows), Session(as_json=as_json, quiet=quiet))


def picture_versions(
    output: Output,
    dataset: Annotated[
        str | None, typer.Argument(metavar="[NAME]", autocompletion=datasets, help="One dataset; default: all.")
    ] = None,
    vega: VegaLite = False,
    template: Template = False,
    rows: Rows = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw the versions by day, with what a gate says of each today.

    Example: heldout picture versions -o versions.svg
    """
    from heldout.reports.pictures.timeline import version_timeline
    from heldout.services import picturing

    def picture(session: Session) -> Picture:
        return version_timeline(picturing.versions(session.workspace, dataset))

    _deliver(picture, output, _form(vega, template, rows), Session(as_json=as_json, quiet=quiet))


def _form(vega: bool, template: bool, rows: bool) -> str:
    """Raises UsageError (slug options-exclude)."""
    from heldout.errors import UsageError

    named = {"--vega-lite": vega, "--dvc-template": template, "--rows": rows}
    asked = [flag for flag, wanted in named.items() if wanted]
    if len(asked) > 1:
        raise UsageError("options-exclude", f"{' and '.join(asked)}: choose one", hint=asked[0])
    return asked[0].removeprefix("--") if asked else "svg"


def _deliver(picture: Callable[[Session], Picture], output: Path, form: str, session: Session) -> None:
    from heldout.reports.pictures.delivery import picture_bytes, picture_json, picture_lines
    from heldout.storage.new_files import require_absent, write_new

    require_absent([output])
    made = picture(session)
    session.progress.close()
    write_new(output, picture_bytes(made, form))
    session.emit(picture_lines(made, str(output)), picture_json(made, str(output), form))
