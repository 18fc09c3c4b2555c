"""`heldout slice`: named parts of a dataset that are reported on their own, and who is in them."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.completion.names import datasets, slice_names, slices, subjects
from heldout.cli.session import Json, Quiet, Session
from heldout.errors import UsageError

if TYPE_CHECKING:
    from heldout.domain.slicing.definition import Definition

HELP = "Name parts of a dataset, count them, and see who is in them: slice [SUBJECT], slice new NAME SLICE ..."


class Side(StrEnum):
    """Whose definition a merge keeps."""

    OURS = "ours"
    THEIRS = "theirs"


Where = Annotated[
    list[str] | None,
    typer.Option("--where", "-w", help="A condition such as 'metadata.language eq de'; may be repeated."),
]
Any = Annotated[bool, typer.Option("--any", help="One condition is enough; without it all have to hold.")]
Sample = Annotated[int | None, typer.Option("--sample", min=1, help="Only this many of what matches, drawn by hash.")]
Seed = Annotated[str | None, typer.Option("--seed", help="A text: another seed is another sample.")]
Stratify = Annotated[str | None, typer.Option("--stratify", help="Share the sample by this metadata key.")]
File = Annotated[
    str | None, typer.Option("--file", "-f", help="YAML or JSON with the definition; - reads it piped in.")
]
Which = Annotated[
    str,
    typer.Argument(
        metavar="DATASET/SLICE", autocompletion=slices, help="With #NUMBER or @DIGEST: an earlier definition."
    ),
]
Maybe = Annotated[
    str | None,
    typer.Argument(
        metavar="[SLICE]", autocompletion=slice_names, help="NAME, NAME#NUMBER or NAME@DIGEST; default: every slice."
    ),
]
State = Annotated[
    str,
    typer.Argument(metavar="SUBJECT", autocompletion=subjects, help="NAME (working copy), NAME@vX.Y.Z or NAME@COMMIT."),
]


def slice_list(
    subject: Annotated[
        str | None, typer.Argument(metavar="[SUBJECT]", autocompletion=subjects, help="Default: every dataset.")
    ] = None,
    counts: Annotated[bool, typer.Option("--counts/--no-counts", help="Read the data and count.")] = True,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List slices, which of them every suite has to report, and how many examples they match.

    Example: heldout slice list support
    """
    from heldout.reports.slicing.slices import table_json, table_lines
    from heldout.services.slicing.counting import table
    from heldout.services.slicing.use import find_target

    session = Session(as_json=as_json, quiet=quiet)
    names = [subject] if subject else session.workspace.working_copy.names
    targets = [find_target(session.workspace, name) for name in names]
    tables = [table(session.workspace, target, session.progress, counts=counts) for target in targets]
    session.progress.close()
    session.emit(table_lines(tables), table_json(tables, "slice-list"))


def slice_new(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", autocompletion=datasets)],
    name: Annotated[str, typer.Argument(metavar="SLICE", help="Letters, digits, '-' and '_'.")],
    where: Where = None,
    match_any: Any = False,
    sample: Sample = None,
    seed: Seed = None,
    stratify: Stratify = None,
    file: File = None,
    required: Annotated[bool, typer.Option("--required", help="Every suite has to report it.")] = False,
    description: Annotated[str, typer.Option("--description", help="What it is for.")] = "",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a new slice's file, its definition recorded as number 1.

    Example: heldout slice new support german-billing --where 'metadata.language eq de' --where 'tag contains billing'
    """
    from heldout.reports.slicing.slices import new_json, new_lines
    from heldout.services.slicing.saving import create
    from heldout.services.slicing.use import find_target

    session = Session(as_json=as_json, quiet=quiet)
    definition = _definition(where, match_any, sample, seed, stratify, file)
    target = find_target(session.workspace, dataset)
    made = create(session.workspace, target, name, definition, description=description, required=required)
    session.emit(new_lines(*made), new_json(*made))


def slice_save(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", autocompletion=datasets)],
    name: Maybe = None,
    prefer: Annotated[
        Side | None, typer.Option("--prefer", help="After a merge: take the definition of ours or of theirs.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Give new definitions the next number, and keep both histories after a merge; a commit does the first by itself.

    Example: heldout slice save support german-billing
    """
    from heldout.reports.slicing.slices import save_json, save_lines
    from heldout.services.slicing.saving import save
    from heldout.services.slicing.use import find_target

    session = Session(as_json=as_json, quiet=quiet)
    target = find_target(session.workspace, dataset, name)
    saved = save(session.workspace, target, prefer.value if prefer else None)
    session.emit(save_lines(target.dataset, saved), save_json(target.dataset, saved))


def slice_show(which: Which, as_json: Json = False, quiet: Quiet = False) -> None:
    """Show a definition, its digest, and the other definitions the slice had.

    Example: heldout slice show support/german-billing#1
    """
    from heldout.reports.slicing.slices import show_json, show_lines
    from heldout.services.slicing.use import choose, find_slice_target

    session = Session(as_json=as_json, quiet=quiet)
    chosen = choose(find_slice_target(session.workspace, which))
    session.emit(show_lines(chosen), show_json(chosen))


def slice_count(subject: State, name: Maybe = None, as_json: Json = False, quiet: Quiet = False) -> None:
    """Count: matched of total, and what could not be checked; a working copy beside the latest version.

    SUBJECT may be DATASET/SLICE too. Counts are made from the data now; none is stored.

    Example: heldout slice count support german-billing
    """
    from heldout.reports.slicing.slices import table_json, table_lines
    from heldout.services.slicing.counting import table
    from heldout.services.slicing.use import find_target

    session = Session(as_json=as_json, quiet=quiet)
    tables = [table(session.workspace, find_target(session.workspace, subject, name), session.progress)]
    session.progress.close()
    session.emit(table_lines(tables), table_json(tables, "slice-count"))


def slice_members(
    which: Which,
    on: Annotated[str | None, typer.Option("--on", help="Take the examples of this SUBJECT instead.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print split and key of every example that is in, one a line; never its text.

    Example: heldout slice members support@v1.2.0/german-billing
    """
    from heldout.reports.slicing.members import members_json, members_lines, members_notes
    from heldout.services.slicing.counting import membership
    from heldout.services.slicing.use import choose, find_slice_target

    session = Session(as_json=as_json, quiet=quiet)
    target = find_slice_target(session.workspace, which)
    chosen = choose(target)
    located = session.workspace.find(on) if on else target.located
    found = membership(session.workspace, located, chosen.definition, session.progress)
    session.progress.close()
    session.emit(members_lines(found), members_json(chosen, found))
    for note in members_notes(found):
        session.note(f"{chosen} in {found.subject}: {note}")


def slice_preview(
    subject: State,
    where: Where = None,
    match_any: Any = False,
    sample: Sample = None,
    seed: Seed = None,
    stratify: Stratify = None,
    file: File = None,
    examples: Annotated[int, typer.Option("--examples", min=0, help="How many examples to name.")] = 5,
    show_text: Annotated[
        bool, typer.Option("--show-text", help="Show their text too; without it split and key.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Evaluate a definition that is not saved: how many match, and a few of them.

    Example: heldout slice preview support --where 'metadata.language in [de, fr]'
    """
    from heldout.reports.slicing.members import preview_json, preview_lines
    from heldout.services.slicing.counting import membership
    from heldout.services.slicing.use import bound, find_target

    session = Session(as_json=as_json, quiet=quiet)
    drafted = _definition(where, match_any, sample, seed, stratify, file)
    target = find_target(session.workspace, subject)
    definition = bound(target, drafted)
    found = membership(
        session.workspace, target.located, definition, session.progress, shown=examples, with_text=show_text
    )
    session.progress.close()
    session.emit(preview_lines(definition, found), preview_json(definition, found))


def slice_diff(
    first: Annotated[
        str, typer.Argument(metavar="A", autocompletion=slices, help="DATASET/SLICE, with #NUMBER or @DIGEST.")
    ],
    second: Annotated[
        str | None,
        typer.Argument(
            metavar="[B]", autocompletion=slices, help="Another definition; default: the slice as it stands."
        ),
    ] = None,
    on: Annotated[str | None, typer.Option("--on", help="Over the examples of this SUBJECT; default: B's.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare two definitions over the same examples: who enters, who leaves.

    Example: heldout slice diff support/german-billing#1 support/german-billing#2
    """
    from heldout.reports.slicing.members import change_json, change_lines
    from heldout.services.slicing.counting import change
    from heldout.services.slicing.use import choose, find_slice_target

    session = Session(as_json=as_json, quiet=quiet)
    before = find_slice_target(session.workspace, first)
    assert before.reference is not None
    after = find_slice_target(session.workspace, second or f"{before.dataset}/{before.reference.name}")
    located = session.workspace.find(on) if on else after.located
    sides = choose(before), choose(after)
    found = change(session.workspace, located, *sides, session.progress)
    session.progress.close()
    session.emit(change_lines(found), change_json(found, *sides))


def slice_suggest(
    subject: State,
    support: Annotated[int, typer.Option("--support", min=1, help="Examples that a value has at least.")] = 30,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Values listed in the text form.")] = 40,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Propose slices: metadata values and tags with enough examples, and which of them no slice covers.

    Example: heldout slice suggest support --support 100
    """
    from heldout.reports.slicing.members import suggest_json, suggest_lines
    from heldout.services.slicing.suggesting import suggest
    from heldout.services.slicing.use import find_target

    session = Session(as_json=as_json, quiet=quiet)
    found = suggest(session.workspace, find_target(session.workspace, subject), session.progress, support=support)
    session.progress.close()
    session.emit(suggest_lines(found, limit), suggest_json(found))


def _definition(
    where: list[str] | None,
    match_any: bool,
    sample: int | None,
    seed: str | None,
    stratify: str | None,
    file: str | None,
) -> Definition:
    """The definition that the options describe, or the one in a file; not both."""
    from heldout.services.slicing.saving import define, read_draft

    given = bool(where or match_any or sample or seed is not None or stratify)
    if file is not None:
        if given:
            raise UsageError("bad-definition", "--file has the whole definition; the other options have no place there")
        return read_draft(sys.stdin.buffer.read() if file == "-" else Path(file), file)
    if not given:
        hint = "--where 'metadata.language eq de', --sample 50, or --file definition.yaml"
        raise UsageError("bad-definition", "nothing says which examples are in", hint=hint)
    return define(where or (), match_any=match_any, size=sample, seed=seed, stratify=stratify)
