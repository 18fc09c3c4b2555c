"""`heldout semantic`: paraphrase candidates, for review."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heldout.cli.commands.check import named_split
from heldout.cli.completion.names import subjects
from heldout.cli.session import Json, Quiet, Session


def semantic(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...|SUBJECT", autocompletion=subjects, help="Files, each a split; or NAME, NAME@vX.Y.Z."
        ),
    ],
    holdout: Annotated[list[str] | None, typer.Option(metavar="SPLIT", help="A split that is held out.")] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME|PATH", help="Default: all-minilm-l6-v2-int8; or an ONNX export's folder."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Neighbours of each held-out text at most.")] = 5,
    min_cosine: Annotated[float, typer.Option("--min-cosine", min=-1.0, max=1.0, help="How close at least.")] = 0.5,
    text_field: Annotated[str | None, typer.Option(metavar="PATH", help="The column or path of the text.")] = None,
    split_field: Annotated[str | None, typer.Option(metavar="PATH", help="The column of a row's split.")] = None,
    key: Annotated[str | None, typer.Option(metavar="PATH", help="The column that names a row.")] = None,
    split: Annotated[list[str] | None, typer.Option(metavar="FILE=SPLIT", help="A file's split.")] = None,
    limit: Annotated[int | None, typer.Option(min=0, help="Pairs to list; default 20, with --json all.")] = None,
    show_text: Annotated[bool, typer.Option("--show-text", help="Show both texts of each pair listed.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List pairs that may say the same in other words: a review queue, never a verdict (extra heldout[semantic]).

    The closest texts outside the holdout by a small model on this machine, closest first. Exits 0 whatever it finds;
    no record, gate or push ever asks for it.

    Example: heldout semantic train.csv test.csv --holdout test --min-cosine 0.7
    """
    from heldout.reports.semantic import paraphrase_lines, paraphrases_json
    from heldout.services import semantic as service
    from heldout.services.checking.files import CheckRequest
    from heldout.storage.embedding import load_embedder

    session = Session(as_json=as_json, quiet=quiet)
    embedder = load_embedder(model)
    options = service.Options(top, min_cosine)
    if len(files) == 1 and not Path(files[0]).exists():
        found = service.in_subject(session.workspace, files[0], embedder, options, session.progress)
    else:
        request = CheckRequest(
            files=tuple(files),
            holdout=tuple(holdout or ()),
            text_field=text_field,
            split_field=split_field,
            key=key,
            splits=dict(named_split(text) for text in split or ()),
        )
        found = service.in_files(request, embedder, options, session.progress)
    session.progress.close()
    session.emit(
        paraphrase_lines(found, limit, show_text=show_text), paraphrases_json(found, limit, show_text=show_text)
    )
