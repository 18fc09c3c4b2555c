"""`heldout export`: what a dataset is, in the form of another tool's catalog."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, assert_never

import typer

from heldout.cli.session import Json, Quiet, Session
from heldout.errors import UsageError
from heldout.services.describing.form import Catalog

if TYPE_CHECKING:
    from heldout.services.describing.export import Exported


def export(
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="NAME, NAME@vX.Y.Z or NAME@COMMIT.")],
    form: Annotated[Catalog, typer.Option("--as", help="Whose form it is.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", dir_okay=False, help="The file to write; it must be a new one.")
    ] = None,
    licence: Annotated[
        str | None, typer.Option("--license", metavar="SPDX", help="The licence; else that of dataset.yaml.")
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="With dvc-artifacts: put the entries into dvc.yaml and the .dvc files.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Metadata for catalogs: Croissant JSON-LD, a Hugging Face dataset card, DVC's artifacts. No example's text.

    Files, splits, fields, slices, versions and the leakage answer. Missing data is fetched through DVC. With --json the
    form goes to a file, and the object tells of it.

    Example: heldout export support@v1.2.0 --as croissant -o croissant.json
    """
    from heldout.services.describing.export import read, write_new

    if write and form is not Catalog.DVC_ARTIFACTS:
        raise UsageError("options-exclude", "--write is for dvc-artifacts", hint="name a file: -o FILE")
    if as_json and output is None and not write:
        message = "standard output is for the form itself; --json tells of a file"
        raise UsageError("json-needs-output", message, hint="add -o FILE")
    session = Session(as_json=as_json, quiet=quiet)
    found = read(session.workspace, subject, licence=licence, output=output, progress=session.progress)
    session.progress.close()
    if write:
        _tell(session, found, form, _write(session, found))
        return
    text = _text(found, form)
    if output is None:
        session.write([text], utf8=True)
    else:
        data = text.encode()
        write_new(output, data)
        session.note(f"{found.about.subject} described in {output}")
        _tell(session, found, form, {str(output): data})


def _tell(session: Session, found: Exported, form: Catalog, files: Mapping[str, bytes]) -> None:
    from heldout.reports.metadata.written import export_json

    session.emit((), export_json(found.about, form.value, files))


def _text(found: Exported, form: Catalog) -> str:
    from heldout.services.describing.export import dump

    match form:
        case Catalog.CROISSANT:
            from heldout.reports.metadata.croissant import croissant

            return croissant(found.about)
        case Catalog.HF_CARD:
            from heldout.reports.metadata.hf_card import hf_card

            return hf_card(found.about, dump)
        case Catalog.DVC_ARTIFACTS:
            from heldout.reports.metadata.artifacts import artifact

            return dump({"artifacts": {found.about.name: artifact(found.about, found.path)}}).decode()
        case _:
            assert_never(form)


def _write(session: Session, found: Exported) -> Mapping[str, bytes]:
    from heldout.reports.metadata.artifacts import artifact, pointer_meta
    from heldout.services.describing.artifacts import write_entries

    metas = {path: pointer_meta(found.about, splits) for path, splits in found.pointers.items()}
    changed = write_entries(session.workspace, found.located, artifact(found.about, found.path), metas)
    for path in changed:
        session.note(f"wrote {path}")
    if not changed:
        session.note("every entry is there already")
    return changed
