"""`heldout sample`: estimate a rate from cases that were drawn for it, and judge the design that drew them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from heldout.cli.completion.names import subjects_and_slices
from heldout.cli.session import Json, Quiet, Session

if TYPE_CHECKING:
    from heldout.domain.sampling.estimate import Estimate
    from heldout.errors import ExitCode

HELP = "Estimate a rate from a drawn sample: sample frame, design, draw, label, estimate, qualify, replay."

FrameFile = Annotated[str, typer.Argument(metavar="FRAME", help="What `heldout sample frame` wrote.")]
DesignFile = Annotated[str, typer.Argument(metavar="DESIGN", help="What `heldout sample design` wrote.")]
DrawFile = Annotated[str, typer.Argument(metavar="DRAW", help="What `heldout sample draw` wrote.")]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write; never overwritten.")]
MaybeOutput = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the study; never overwritten.")
]


def sample_frame(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SUBJECT|FILE",
            autocompletion=subjects_and_slices,
            help="NAME, NAME@vX.Y.Z, NAME/SLICE, or a file with --id.",
        ),
    ],
    population: Annotated[str, typer.Option(metavar="FILE", help="YAML: what the units stand for.")],
    output: Output,
    split: Annotated[list[str] | None, typer.Option(help="Only this split; repeatable.")] = None,
    within: Annotated[
        str | None, typer.Option("--slice", metavar="SLICE", help="Only this slice: NAME, NAME#NUMBER, NAME@DIGEST.")
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="FIELD", help="The strata: split, expected, metadata.KEY, a column.")
    ] = None,
    group: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE,VALUE", help="Values that are one stratum; repeatable.")
    ] = None,
    rest: Annotated[str | None, typer.Option(metavar="NAME", help="The stratum of what no --group names.")] = None,
    key: Annotated[str | None, typer.Option("--id", metavar="FIELD", help="Of a file: what tells units apart.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the frame: every unit of the population that could be drawn, by stratum. Names only, no text.

    Example: heldout sample frame support@v1.2.0 --by metadata.risk --population population.yaml -o frame.jsonl
    """
    from heldout.cli.sample_options import groups_of, refuse_beside
    from heldout.reports.sampling.drawing import frame_json, frame_report
    from heldout.services.sampling.frame import Strata, frame_of_file, frame_of_subject, write_frame
    from heldout.storage.new_files import require_absent
    from heldout.storage.sampling.frame_file import read_population

    session = Session(as_json=as_json, quiet=quiet)
    require_absent([output])
    strata = Strata(by, groups_of(group, by), rest)
    about = read_population(population)
    if key is not None:
        refuse_beside("--id", {"--split": split, "--slice": within}, "a file's units are all of its rows")
        frame = frame_of_file(source, key, about, strata)
    else:
        frame = frame_of_subject(
            session.workspace,
            source,
            about,
            strata,
            splits=tuple(split or ()),
            slice_text=within,
            progress=session.progress,
        )
        session.progress.close()
    write_frame(frame, output)
    session.emit(frame_report(frame, output), frame_json(frame, output))


def sample_draw(
    frame: FrameFile,
    design: DesignFile,
    output: Output,
    at: Annotated[
        str | None, typer.Option("--at", metavar="TIME", help="When, in UTC: 2026-08-01T12:00:00Z; now if not said.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw: write the selection event down, before anybody labels. Frame, stream and seed alone decide who is in.

    Example: heldout sample draw frame.jsonl design.yaml -o draw.json
    """
    from datetime import UTC, datetime

    from heldout.reports.sampling.drawing import draw_json, draw_report
    from heldout.services.sampling.drawing import make_draw

    session = Session(as_json=as_json, quiet=quiet)
    moment = at or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    made = make_draw(frame, design, moment, output)
    session.emit(draw_report(*made, output), draw_json(*made, output))


def sample_label(
    draw: DrawFile,
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who labels: a person, a judge with its version.")],
    rubric: Annotated[
        str, typer.Option(metavar="NAME", help="The rubric that says what a failure is, and its version.")
    ],
    output: Output,
    source: Annotated[
        str | None, typer.Option("--from", metavar="FILE", help="Outcomes to fill in, of what was drawn alone.")
    ] = None,
    key: Annotated[str, typer.Option("--id", metavar="FIELD", help="Of that file.")] = "id",
    label: Annotated[str, typer.Option(metavar="FIELD", help="Of that file: 1 is a failure, 0 is none.")] = "label",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a sheet of labels that is bound to a draw: empty, or filled from a file of outcomes.

    Example: heldout sample label draw.json --by ana --rubric refunds@3 -o labels.jsonl
    """
    from heldout.reports.sampling.drawing import labels_json, labels_report
    from heldout.services.sampling.drawing import make_labels
    from heldout.services.sampling.outcomes import LabelSource

    session = Session(as_json=as_json, quiet=quiet)
    outcomes = None if source is None else LabelSource(source, key, label)
    labels = make_labels(draw, by, rubric, output, outcomes)
    session.emit(labels_report(labels, output), labels_json(labels, output))


def sample_estimate(
    frame: FrameFile,
    design: DesignFile,
    draw: DrawFile,
    labels: Annotated[str, typer.Argument(metavar="LABELS", help="What `heldout sample label` wrote, labelled.")],
    output: MaybeOutput = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """The population's rate with its exact interval, every stratum beside it. Exit 1 above a threshold, 3 to hold.

    Example: heldout sample estimate frame.jsonl design.yaml draw.json labels.jsonl -o study.json
    """
    from heldout.reports.sampling.estimate import estimate_report
    from heldout.services.sampling.estimate import estimate_files

    session = Session(as_json=as_json, quiet=quiet)
    sample, found, study = estimate_files(frame, design, draw, labels, output)
    session.emit(estimate_report(sample.frame, sample.design, sample.draw, found), study)
    session.end(_code(found))


def _code(found: Estimate) -> ExitCode:
    """A prohibited action or a rate above a threshold stops; an interval that has one inside has decided nothing."""
    from heldout.domain.sampling.estimate import Decision
    from heldout.errors import ExitCode

    decisions = {each.interval for each in found.decisions}
    if found.prohibited or Decision.EXCEED in decisions:
        return ExitCode.FOUND
    return ExitCode.UNKNOWN if Decision.HOLD in decisions else ExitCode.CLEAN


def sample_qualify(
    frame: FrameFile,
    design: DesignFile,
    failures: Annotated[
        list[str] | None,
        typer.Option("--failures", metavar="STRATUM=NUMBER", help="The truth, for a study; repeatable."),
    ] = None,
    truth: Annotated[
        str | None, typer.Option(metavar="FILE", help="Or the outcome of every unit; --id and --label as for labels.")
    ] = None,
    key: Annotated[str, typer.Option("--id", metavar="FIELD", help="Of that file.")] = "id",
    label: Annotated[str, typer.Option(metavar="FIELD", help="Of that file: 1 is a failure, 0 is none.")] = "label",
    output: MaybeOutput = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Judge a design over every sample it can draw: expectation, error, coverage, false decisions, all exact.

    Example: heldout sample qualify frame.jsonl design.yaml --failures routine=1 --failures risk=3
    """
    from heldout.cli.sample_options import counts_of, refuse_beside
    from heldout.reports.sampling.qualify import qualify_report
    from heldout.services.sampling.outcomes import LabelSource
    from heldout.services.sampling.qualify import qualify_files

    session = Session(as_json=as_json, quiet=quiet)
    if truth is not None:
        refuse_beside("--truth", {"--failures": failures}, "the truth is one of them")
    known = counts_of("--failures", failures) if truth is None else LabelSource(truth, key, label)
    about, found, study = qualify_files(frame, design, known, output)
    numbers = (found.sets, found.populations)
    report = qualify_report(about, found.design, found.truth, numbers, found.at_truth, found.everywhere)
    session.emit(report, study)


def sample_replay(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="What estimate or qualify wrote.")],
    output: MaybeOutput = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compute a stored study again, and compare every entry. Exit 1 where one is not what its inputs give.

    Example: heldout sample replay study.json
    """
    from heldout.errors import ExitCode
    from heldout.reports.sampling.estimate import replay_json, replay_report
    from heldout.services.sampling.replay import replay

    session = Session(as_json=as_json, quiet=quiet)
    found = replay(study, output)
    session.emit(replay_report(found), replay_json(found))
    session.end(ExitCode.FOUND if found.differences else ExitCode.CLEAN)
