"""Paraphrase candidates of held-out examples: embeddings of all texts, and each held-out one's nearest neighbours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from heldout.domain.canonical import digest
from heldout.domain.dataset import DatasetSpec
from heldout.domain.example import Example
from heldout.domain.semantic import DIGITS, Candidate, Paraphrases, queue
from heldout.domain.text import normalise, text_of
from heldout.errors import UsageError
from heldout.matching.nearest import nearest
from heldout.services.checking.files import HERE, CheckRequest, plan
from heldout.services.checking.reading import hints_for_flags
from heldout.services.contents import read_contents
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import examples
from heldout.services.workspace import Workspace
from heldout.storage.embedding import Embedder

Place = tuple[str, str]
"""(split, key)."""


@dataclass(frozen=True, slots=True)
class Options:
    top: int = 5
    least: float = 0.5


@dataclass(slots=True)
class _Texts:
    """Distinct texts on both sides of the holdout, with the examples that have them."""

    held: defaultdict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))
    others: defaultdict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))
    holdout: set[str] = field(default_factory=set)
    inputs: dict[str, str] = field(default_factory=dict)


def in_files(request: CheckRequest, embedder: Embedder, options: Options, progress: Progress = SILENT) -> Paraphrases:
    """Files of any origin, each a split, as `heldout check` reads them. A row without a key is called by its number.

    Raises UsageError (slug holdout-absent) and what reading raises.
    """
    if not request.holdout:
        raise UsageError("holdout-absent", "no split was said to be held out", hint="--holdout SPLIT")
    with hints_for_flags():
        rows = list(_rows(request))
    splits = {example.split for example in rows}
    for name in request.holdout:
        if name not in splits:
            known = ", ".join(sorted(splits))
            raise UsageError("holdout-absent", f"no example is in a split {name!r}", hint=f"splits: {known}")
    texts = _gathered(rows, frozenset(request.holdout))
    return _search(", ".join(request.files), texts, embedder, options, progress)


def _rows(request: CheckRequest) -> Iterator[Example]:
    for planned in plan(request):
        item = replace(planned.item, split=planned.item.split or planned.split)
        spec = DatasetSpec("files", (item,), planned.fields)
        for number, (_, example) in enumerate(examples(spec, HERE, own_names=False), 1):
            yield example if example.key else replace(example, key=f"row {number}")


def in_subject(
    workspace: Workspace, subject: str, embedder: Embedder, options: Options, progress: Progress = SILENT
) -> Paraphrases:
    """A version's or working copy's held-out examples against its others. Reads data, writes nothing."""
    located = workspace.find(subject)
    contents = read_contents(workspace, located, progress)
    held = frozenset(contents.reading.holdout_splits)
    if not held:
        raise UsageError("holdout-absent", f"{subject} holds nothing out", hint="holdout: [...] in dataset.yaml")
    found = _search(str(located.subject), _gathered(contents.examples(), held), embedder, options, progress)
    return found.decided(located.state.name, workspace.knowledge().reviews)


def _gathered(rows: Iterable[Example], holdout: frozenset[str]) -> _Texts:
    texts = _Texts()
    for example in rows:
        if example.has_input and (text := text_of(example.input)).strip():
            held = example.split in holdout
            (texts.held if held else texts.others)[text].append((example.split, str(example.key)))
            name = digest(example.input)
            texts.inputs[text] = min(name, texts.inputs.get(text, name))
            if held:
                texts.holdout.add(example.split)
    return texts


def _search(name: str, texts: _Texts, embedder: Embedder, options: Options, progress: Progress) -> Paraphrases:
    """Texts in code point order on both sides, so that the order of files changes nothing."""
    held, others = sorted(texts.held), sorted(texts.others)
    progress.stage("embedding texts", len(held) + len(others))
    seen = 0

    def done(ready: int) -> None:
        nonlocal seen
        progress.advance(ready - seen)
        seen = ready

    first = embedder.embed(held, done)
    seen = 0
    second = embedder.embed(others, done)
    # Those with the same words take places among the nearest, and are left out afterwards.
    found = nearest(first.vectors, second.vectors, options.top + _SPARE, options.least)
    candidates: list[Candidate] = []
    kept: defaultdict[int, int] = defaultdict(int)
    same = 0
    for query, other, cosine in zip(*(column.tolist() for column in found), strict=True):
        pair = (held[query], others[other])
        if normalise(pair[0]) == normalise(pair[1]):
            same += 1
        elif kept[query] < options.top:
            kept[query] += 1
            candidates.append(_candidate(pair, texts, cosine))
    return Paraphrases(
        name, embedder.name, embedder.digest, tuple(sorted(texts.holdout)), options.least, options.top,
        sum(map(len, texts.held.values())), len(held), len(others), queue(candidates), first.cut + second.cut, same,
    )  # fmt: skip


def _candidate(pair: tuple[str, str], texts: _Texts, cosine: float) -> Candidate:
    a: Sequence[Place] = sorted(texts.held[pair[0]])
    b: Sequence[Place] = sorted(texts.others[pair[1]])
    inputs = (texts.inputs[pair[0]], texts.inputs[pair[1]])
    return Candidate(a[0], b[0], round(min(cosine, 1.0), DIGITS), pair, len(a) * len(b) - 1, inputs)


_SPARE = 3
