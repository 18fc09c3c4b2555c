"""The examples that are held against a sealed holdout: of files of any origin, or of a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from heldout.domain.canonical import DIGEST_PREFIX
from heldout.domain.checked import Place
from heldout.domain.dataset import DatasetSpec
from heldout.domain.text import text_of
from heldout.errors import DataError
from heldout.services.checking.files import HERE, CheckRequest, plan
from heldout.services.contents import Contents
from heldout.services.row_stream import RowStream
from heldout.storage.readers import format_of


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """`text` is None where the input is kept outside and cannot be read here. `is_held`: its split holds out."""

    input: str
    text: str | None
    place: Place | None = None
    split: str = ""
    key: str = ""
    is_held: bool = False


@dataclass(frozen=True, slots=True)
class Subject:
    """`dataset` is empty for files. `skipped` and `reasons` fill while `rows` are read."""

    name: str
    rows: Iterator[SubjectRow]
    dataset: str = ""
    skipped: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


def of_files(request: CheckRequest) -> Subject:
    """Files by the rules of `heldout check`. Training data is what they are taken for."""
    skipped: list[str] = []
    reasons: list[str] = []
    planned = plan(request)

    def skip(error: DataError) -> None:
        skipped.append(str(error))

    def rows() -> Iterator[SubjectRow]:
        for one in planned:
            spec = DatasetSpec("files", (one.item,), one.fields)
            stream = RowStream(spec, HERE, skip_bad_rows=request.skip_bad_rows, own_names=False)
            for name, facts in stream.facts(skip):
                place = Place(name, facts.line, in_rows=format_of(one.item, name) == "parquet")
                yield SubjectRow(DIGEST_PREFIX + facts.digests[0].hex(), facts.text, place, facts.split)

    for one in planned:
        reasons += [f"{one.item.path}: {reason}" for reason in one.reasons]
    return Subject(", ".join(request.files), rows(), skipped=skipped, reasons=reasons)


def of_dataset(name: str, contents: Contents) -> Subject:
    """Every example of a dataset's state."""
    spec = contents.reading.spec

    def rows() -> Iterator[SubjectRow]:
        for member, example in zip(contents.reading.members, contents.examples(), strict=True):
            text = text_of(example.input) if example.has_input else None
            yield SubjectRow(member.input, text, None, member.split, member.key, spec.is_holdout(member.split))

    return Subject(name, rows(), spec.name, [str(error) for error in contents.reading.skipped])
