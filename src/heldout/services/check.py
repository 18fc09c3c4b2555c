"""Check files of any origin against each other: no repository, no record, nothing written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from heldout.domain.checked import Checked, CheckedFile, ManyMarks, Place, worst_first
from heldout.domain.dataset import DatasetSpec
from heldout.domain.example import Example
from heldout.domain.marks import texts_with_many_marks
from heldout.domain.members import Member, member_of, with_derived_keys
from heldout.domain.method import DEFAULT_METHOD, Method
from heldout.domain.pool import Holding, Pool
from heldout.domain.record import Capped
from heldout.domain.tally import Tally
from heldout.domain.text import text_of
from heldout.errors import ConfigError, DataError, ExitCode, UsageError
from heldout.services.check_files import HERE, CheckRequest, Planned, plan
from heldout.services.matching_pool import Links, match
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import examples
from heldout.services.scanning import expand
from heldout.storage.readers import format_of

_NAME = "files"
"""Stands where findings name a dataset and a version."""

_MANY = 0.01  # share of examples with many combining marks that is worth a word


@dataclass(slots=True)
class _Read:
    members: list[Member] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    files: list[CheckedFile] = field(default_factory=list)
    keys: dict[tuple[str, str], Place] = field(default_factory=dict)

    def add(self, example: Example, place: Place) -> None:
        if example.key is not None:
            first = self.keys.setdefault((example.split, example.key), place)
            if first is not place:
                raise DataError(
                    "duplicate-key",
                    f"the key {example.key!r} is already used in split {example.split!r}, at {first}",
                    file=place.file,
                    line=place.number,
                    hint="keys are unique in their split; leave out --key to go without",
                )
        member = member_of(example)
        if member.input not in self.texts:
            self.texts[member.input] = text_of(example.input)
        self.members.append(member)
        self.places.append(place)


def check(request: CheckRequest, method: Method = DEFAULT_METHOD, progress: Progress = SILENT) -> Checked:
    """Compare all examples of all files across splits and inside each.

    Raises DataError and MissingDataError for what cannot be read exactly, UsageError where the request leaves a choice
    open or names what the files do not have.
    """
    read = _Read()
    with _hints_for_flags():
        for planned in plan(request):
            _read_file(read, planned, request, progress)
    members = with_derived_keys(read.members)
    holdout = tuple(dict.fromkeys(request.holdout))
    _require_splits(holdout, dict.fromkeys(member.split for member in members))
    pool = Pool(Holding(_NAME, _NAME, members, frozenset(holdout)))
    return _checked(read, holdout, method, pool, match(pool, read.texts, method, progress))


def exit_code(checked: Checked) -> ExitCode:
    """Found for any blocking finding (A51); unknown where rows were skipped and the rest is clean (A43)."""
    if checked.blocking:
        return ExitCode.FOUND
    return ExitCode.UNKNOWN if checked.skipped else ExitCode.CLEAN


def _read_file(read: _Read, planned: Planned, request: CheckRequest, progress: Progress) -> None:
    path = planned.item.path
    progress.stage(f"reading {path}")
    first, skipped = len(read.members), len(read.skipped)

    def skip(error: DataError) -> None:
        read.skipped.append(str(error))

    spec = DatasetSpec(_NAME, (planned.item,), planned.fields)
    on_bad_row = skip if request.skip_bad_rows else None
    for file, example in examples(spec, HERE, on_bad_row, own_names=False):
        place = Place(file, example.line, in_rows=format_of(planned.item, file) == "parquet")
        read.add(example, place)
        progress.advance()
    if len(read.members) == first:
        reason = "it holds no example" if len(read.skipped) == skipped else "none of its rows could be read"
        raise DataError("no-examples", reason, file=path, hint="leave the file out, or give the right one")
    counts = Counter(member.split for member in read.members[first:])
    read.files.append(CheckedFile(path, planned.format, planned.text_field, planned.split, counts, planned.reasons))


def _require_splits(holdout: Collection[str], splits: Collection[str]) -> None:
    for name in holdout:
        if name not in splits:
            raise UsageError(
                "holdout-absent",
                f"--holdout {name}: no example is in a split of that name; splits are {', '.join(splits)}",
                hint=f"name one of these, or say which file it is: --split FILE={name}",
            )


def _checked(read: _Read, holdout: tuple[str, ...], method: Method, pool: Pool, links: Links) -> Checked:
    overlaps = expand(pool, links, method)
    tally = Tally(pool, links.near, links.contained)
    members = pool.subject.members
    places = {(member.split, member.key): place for member, place in zip(members, read.places, strict=True)}
    blank = {digest for position, digest in enumerate(pool.inputs) if not links.has_text(position)}
    return Checked(
        files=tuple(read.files),
        splits=tally.sizes,
        holdout=holdout,
        method_id=method.id,
        method_digest=method.digest,
        pairs=tally.pairs,
        rates=tally.rates(holdout),
        contaminated=tally.contamination(holdout),
        capped=Capped(links.capped_buckets, overlaps.capped_pairs, links.capped_containments),
        skipped=tuple(read.skipped),
        no_text=tuple(place for member, place in zip(members, read.places, strict=True) if member.input in blank),
        many_marks=_many_marks(read.texts, members),
        findings=tuple(sorted(overlaps.findings, key=lambda finding: worst_first(finding, places))),
        places=places,
        texts=read.texts,
    )


def _many_marks(texts: Mapping[str, str], members: Sequence[Member]) -> ManyMarks | None:
    marked = texts_with_many_marks(texts)
    count = sum(member.input in marked for member in members) if marked else 0
    return ManyMarks(count, len(members)) if count >= _MANY * len(members) and count else None


@contextmanager
def _hints_for_flags() -> Iterator[None]:
    """Readers advise what to write into dataset.yaml; here the same is said with a flag."""
    try:
        yield
    except (DataError, ConfigError) as error:
        hint = error.hint or ""
        if error.slug == "no-rows" and "`records`" in hint:
            error.hint = hint.replace("Set `records` to", "give --records").replace(
                "use '{split}'", "--records '{split}'"
            )
        elif not hint.startswith(_EXACT_HINTS):
            error.hint = _FLAGS.get(error.slug, error.hint)
        raise


_EXACT_HINTS = ("Did you mean", "It is UTF-8", "Without the mark")
_FLAGS = {
    "bad-encoding": "--encoding latin-1, if that is the file's encoding; --on-bad-row skip goes on without the row",
    "bad-header": "--columns a,b,c names the columns of a file without a header line",
    "missing-column": "name a field that every row has",
    "missing-input": "--text-field COLUMN, or --on-bad-row skip to go on without the row",
    "no-header": "--columns a,b,c names the columns of a file without a header line",
    "no-rows": "--records data.items points at the list of rows; --records '{split}' where its keys are splits",
    "no-split": "--split FILE=NAME, or --split-field COLUMN",
    "nul-byte": "--encoding utf-16, if that is the file's encoding",
    "ragged-row": "--on-bad-row skip goes on without the row and counts it",
    "unknown-format": "--format csv, tsv, json, jsonl, parquet, txt or manifest",
}
