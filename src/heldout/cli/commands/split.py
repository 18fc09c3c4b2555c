"""`heldout split`: the split check's job over case files, and groups held out (`split make` is a module of its own)."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from heldout.cli.completion.names import datasets
from heldout.cli.forms import FormOption, deliver, from_top, session_for
from heldout.cli.session import Json, Quiet, Session

HELP = "Splits that share nothing: split make FILE...; between cases: split check CASES, lock, assign."

Cases = Annotated[str, typer.Argument(metavar="CASES", help="A case file, YAML or JSON: name, version, cases.")]


def split_check(
    cases: Cases,
    lock: Annotated[str | None, typer.Option(metavar="LOCK", help="The lock that held-out cases must fit.")] = None,
    prompt: Annotated[
        list[str] | None,
        typer.Option(metavar="PROMPT", help="A prompt, as text or chat JSON; a file or a pattern; repeatable."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 for what asks for a review, too.")] = False,
    form: FormOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Duplicates, near duplicates, sources and excerpts across the split, and changes since the lock. Exit 1 to block.

    Example: heldout split check cases.yaml --lock cases.lock.json --prompt 'prompts/*.md'
    """
    from heldout.domain.reporting import Location
    from heldout.reports.adapters.splitting import split_report
    from heldout.reports.splitting.check import split_check_json, split_check_lines
    from heldout.services.splitting.check import check_cases, exit_code_of

    session = session_for(form, as_json=as_json, quiet=quiet)
    check = check_cases(cases, lock, prompt or ())
    deliver(
        session,
        lines=lambda: split_check_lines(check),
        data=lambda: split_check_json(check),
        report=lambda: split_report(check, Location(from_top()(cases), 1), strict=strict),
    )
    session.end(exit_code_of(check, strict=strict))


def split_lock(
    cases: Annotated[
        str,
        typer.Argument(
            metavar="CASES|DATASET", autocompletion=datasets, help="A case file, or a dataset of this project."
        ),
    ],
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="LOCK", help="The lock file to write, of a case file.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write down the digest of every held-out case, so that a later edit is seen.

    A dataset's lock is split.lock beside its dataset.yaml; commits and verify hold it against the data.

    Example: heldout split lock cases.yaml -o cases.lock.json
    """
    from heldout.reports.splitting.check import split_lock_json, split_lock_lines

    session = Session(as_json=as_json, quiet=quiet)
    if output is None:
        _lock_dataset(session, cases)
        return
    from heldout.services.splitting.check import lock_cases

    lock = lock_cases(cases, output)
    session.emit(split_lock_lines(lock, output), split_lock_json(lock, output))


def _lock_dataset(session: Session, name: str) -> None:
    from heldout.errors import UsageError
    from heldout.reports.splitting.check import dataset_lock_json, dataset_lock_lines
    from heldout.services.splitting.locks import lock_dataset

    if Path(name).is_file():
        raise UsageError("bad-value", f"{name} is a file: where does its lock go?", hint="-o cases.lock.json")
    lock, path = lock_dataset(session.workspace, name, session.progress)
    session.progress.close()
    session.emit(dataset_lock_lines(lock, path), dataset_lock_json(lock, path))


def split_assign(
    cases: Cases,
    share: Annotated[str, typer.Option(metavar="SHARE", help="The share of groups held out: 1/3, 0.25.")] = "1/3",
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="The same seed gives the same split.")] = 7,
    stratify: Annotated[
        str | None, typer.Option(metavar="FIELD", help="The same share of each value: expected.label.")
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the case file.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Hold groups out, a case and all that were made from it always together. Prints; writes with -o alone.

    Example: heldout split assign cases.yaml --share 1/3 --seed 7 -o assigned.yaml
    """
    from heldout.domain.splitting.case import DEVELOPMENT, HELD_OUT
    from heldout.reports.splitting.check import split_assign_json, split_assign_lines
    from heldout.services.splitting.assign import assign_cases

    session = Session(as_json=as_json, quiet=quiet)
    made = assign_cases(cases, _share(share), seed, stratify, output)
    parts = {DEVELOPMENT: made.development, HELD_OUT: made.held_out}
    groups = (made.held_out_groups, made.groups)
    settings = {"share": str(made.share), "seed": seed, "stratify": stratify, "output": output}
    session.emit(
        split_assign_lines(made.name, parts, groups, output), split_assign_json(made.name, parts, groups, settings)
    )


def _share(text: str) -> Fraction:
    from heldout.errors import UsageError

    try:
        share = Fraction(text) if len(text) <= 20 and "e" not in text.lower() else Fraction(0)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share < 1:
        raise UsageError("bad-value", f"--share {text}: expected a share between 0 and 1", hint="--share 1/3")
    return share
