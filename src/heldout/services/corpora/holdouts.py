"""The held-out examples that a corpus is scanned against, by distinct input."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from heldout.domain.canonical import digest
from heldout.domain.corpora.corpus import Against, HeldOut
from heldout.domain.coverage import Version
from heldout.domain.method import Method
from heldout.domain.names import Subject
from heldout.errors import HeldoutError, UsageError
from heldout.matching.holdout_index import HoldoutIndex
from heldout.matching.texts import normalise_batch
from heldout.services.matching.near_method import near_parameters
from heldout.services.reading import Reading
from heldout.services.scanner import Scanner
from heldout.services.workspace import Workspace

ALL = "all-holdouts"


@dataclass(frozen=True, slots=True)
class Holdouts:
    """`inputs` are the distinct input digests in order; input i is held by the examples `members[i]`.

    `texts[i]` is its text, empty where it is kept outside. `left_out` are versions whose data could not be read.
    """

    inputs: tuple[str, ...]
    texts: tuple[str, ...]
    members: tuple[tuple[HeldOut, ...], ...]
    against: tuple[Against, ...]
    left_out: tuple[tuple[Version, str], ...] = ()

    def index(self, method: Method) -> HoldoutIndex:
        return HoldoutIndex.build(normalise_batch(self.texts), near_parameters(method), method.containment_min_length)

    def digests(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.inputs)}

    @property
    def digest(self) -> str:
        """Names the distinct inputs, so what an index of them finds; who holds them is another matter."""
        known = [name if text else f"{name} unread" for name, text in zip(self.inputs, self.texts, strict=True)]
        return digest([*known])


def choose(workspace: Workspace, names: Iterable[str]) -> tuple[tuple[Version, ...], bool]:
    """The frozen versions that `--against` names, and whether each was named on its own.

    Raises UsageError (unknown-version, bad-value): only what is frozen can be recorded against.
    """
    chosen: dict[str, Version] = {}
    named = True
    for name in names:
        if name == ALL:
            named = False
            found: Sequence[Version] = workspace.knowledge().taking_part
        else:
            version = Subject.parse(name).version
            if version is None:
                raise UsageError(
                    "bad-value", f"--against {name}: a corpus is scanned against frozen versions",
                    hint=f"NAME@vX.Y.Z, or {ALL}",
                )  # fmt: skip
            found = [workspace.version(version)]
        for item in found:
            chosen.setdefault(item.source, item)
    return tuple(chosen.values()), named


def read_holdouts(workspace: Workspace, names: Sequence[str], scanner: Scanner) -> Holdouts:
    """Read the versions that `names` names. One whose data is not here is an error where it was named on its own."""
    versions, named = choose(workspace, names)
    readings: list[Reading] = []
    left_out: list[tuple[Version, str]] = []
    for version in versions:
        try:
            state = workspace.catalog(version.commit).state(version.dataset)
            reading = scanner.reading(state, version.commit)
        except HeldoutError as error:
            if named:
                raise
            left_out.append((version, str(error)))
            continue
        if reading.holdout_splits:
            readings.append(reading)
        elif named:
            hint = "say which splits hold out under `holdout` in its dataset.yaml, and freeze it again"
            raise UsageError("holdout-absent", f"{version.name} holds no example in a holdout split", hint=hint)
    if not readings:
        hint = f"heldout versions; then --against NAME@vX.Y.Z, or {ALL}"
        raise UsageError("holdout-absent", "no frozen version here holds anything out", hint=hint)
    return held_out(readings, tuple(left_out))


def held_out(readings: Iterable[Reading], left_out: tuple[tuple[Version, str], ...] = ()) -> Holdouts:
    """A function of the readings alone, in whatever order they come."""
    ordered = sorted(readings, key=lambda reading: reading.source)
    texts: dict[str, str] = {}
    versions: defaultdict[str, defaultdict[tuple[str, str, str], set[str]]] = defaultdict(lambda: defaultdict(set))
    against = []
    for reading in ordered:
        splits = frozenset(reading.holdout_splits)
        members = [member for member in reading.members if member.split in splits]
        for member in members:
            versions[member.input][reading.spec.name, member.split, member.key].add(reading.source)
            if member.input in reading.texts:
                texts[member.input] = reading.texts[member.input]
        against.append(
            Against(reading.spec.name, reading.source, tuple(sorted(splits)), len(members), not reading.incomplete)
        )
    inputs = tuple(sorted(versions))
    held = tuple(
        tuple(HeldOut(*name, item, tuple(sorted(sources))) for name, sources in sorted(versions[item].items()))
        for item in inputs
    )
    return Holdouts(inputs, tuple(texts.get(item, "") for item in inputs), held, tuple(against), left_out)
