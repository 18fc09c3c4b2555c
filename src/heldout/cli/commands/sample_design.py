"""`heldout sample design`: a design that fits its frame, written for people to read and to edit before the draw."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heldout.cli.session import Json, Quiet, Session
from heldout.domain.sampling.kinds import Kind


def sample_design(
    frame: Annotated[str, typer.Argument(metavar="FRAME", help="What `heldout sample frame` wrote.")],
    kind: Annotated[Kind, typer.Option(help="What it is drawn for; docs/sampling.md says what each reports.")],
    failure: Annotated[str, typer.Option(metavar="TEXT", help="What label 1 means.")],
    maturity: Annotated[str, typer.Option(metavar="TEXT", help="When an outcome is ripe: '14 days after the case'.")],
    seed: Annotated[str, typer.Option(metavar="TEXT", help="Another seed, another draw.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The design to write, YAML.")],
    size: Annotated[
        int, typer.Option(min=0, help="Shared among strata by largest remainders, those with --draw left out.")
    ] = 0,
    draw: Annotated[
        list[str] | None, typer.Option(metavar="STRATUM=NUMBER", help="How many of one stratum; repeatable.")
    ] = None,
    risk: Annotated[
        list[str] | None, typer.Option(metavar="STRATUM", help="This stratum is a risk; repeatable.")
    ] = None,
    threshold: Annotated[
        list[str] | None, typer.Option(metavar="NAME=RATE", help="Registered now, before labels; repeatable.")
    ] = None,
    alpha: Annotated[str, typer.Option(metavar="SHARE", help="1 - alpha is the level of the interval.")] = "0.05",
    stream: Annotated[
        str, typer.Option(metavar="NAME", help="Streams draw independently; keep this one apart from mined cases.")
    ] = "probability",
    name: Annotated[str, typer.Option(metavar="NAME", help="What reports call it.")] = "sample",
    version: Annotated[int, typer.Option(min=1, help="The design's own version.")] = 1,
    window: Annotated[
        str | None, typer.Option(metavar="TIME", help="Of a temporal sample: what time it is about.")
    ] = None,
    fresh_until: Annotated[
        str | None, typer.Option(metavar="DAY", help="Of a temporal sample: when it is stale.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a design: how many of each stratum, by which seed, and which thresholds decide.

    Example: heldout sample design frame.jsonl --kind risk_enriched --size 200 --draw fraud=100 --risk fraud \\
    --threshold release=0.05 --failure 'wrong answer' --maturity '14 days' --seed august -o design.yaml
    """
    from heldout.cli.sample_options import counts_of, share_of, shares_of
    from heldout.domain.sampling.design import Outcome, Window
    from heldout.errors import UsageError
    from heldout.reports.sampling.drawing import design_json, design_report
    from heldout.services.sampling.drawing import DesignRequest, make_design

    session = Session(as_json=as_json, quiet=quiet)
    if (window is None) is not (fresh_until is None):
        raise UsageError("bad-value", "--window and --fresh-until go together", hint="give both, or neither")
    request = DesignRequest(
        frame=frame,
        name=name,
        version=version,
        kind=kind,
        seed=seed,
        stream=stream,
        outcome=Outcome(failure, maturity),
        size=size,
        draws=counts_of("--draw", draw),
        risk=tuple(risk or ()),
        thresholds=shares_of("--threshold", threshold),
        alpha=share_of("--alpha", alpha),
        window=None if window is None or fresh_until is None else Window(window, fresh_until),
    )
    design = make_design(request, output)
    session.emit(design_report(design, output, frame), design_json(design, output))
