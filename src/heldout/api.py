"""Heldout from Python: the objects that the commands use, and nothing that they do not.

    import heldout

    repository = heldout.open(".")
    version = repository.version("support@v1.2.0")
    for example in version.examples(split="test"):
        ...
    version.slice("german-billing").counts()

`examples` asks the gate first, so that an evaluation cannot start on a holdout that is given away.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from heldout.domain.answer import Answer
from heldout.domain.dataset import DatasetSpec
from heldout.domain.diff import Diff, diff
from heldout.domain.example import JSON, Example
from heldout.domain.kind import Kind
from heldout.domain.listing import FindingRow
from heldout.domain.members import Member, content_digest
from heldout.domain.slicing.definition import Definition
from heldout.domain.slicing.evaluation import Tally
from heldout.domain.slicing.sample import Drawn
from heldout.domain.slicing.views import Chosen, Required
from heldout.errors import CoverageUnknown, UsageError
from heldout.services.contents import Contents, read_contents
from heldout.services.findings import list_findings
from heldout.services.gate import answer_for, require_clean
from heldout.services.listing import list_versions
from heldout.services.load import choose_splits
from heldout.services.payloads import fetch_payloads
from heldout.services.slicing.counting import Selection, count
from heldout.services.slicing.reporting import check_reported
from heldout.services.slicing.use import bound, choose, choose_all, find_target, required_slices
from heldout.services.workspace import Located, Workspace

Require = Literal["clean", "complete"] | None
"""What the gate has to say before examples are handed out.

"clean": compared with everything, and nothing found. "complete": compared with everything; contamination is put up
with, for instance to measure it. None: no question asked.
"""


def open_repository(path: str | os.PathLike[str] = ".") -> Repository:
    """The repository around a folder; `heldout.open` is this function.

    Raises RepositoryError (slug not-a-repository).
    """
    return Repository(Workspace.open(Path(path).absolute()))


class Repository:
    """One Git repository with its datasets, as this clone knows it.

    Tags, records and branches are read once, at the first question: open it again after a fetch or a commit.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def path(self) -> Path:
        """The top of the working copy."""
        return self._workspace.git.top

    def version(self, name: str) -> Version:
        """A frozen version, `support@v1.2.0`.

        Raises UsageError: unknown-version for a name without a number or one that no tag here has, unknown-dataset.
        """
        located = self._workspace.find(name)
        if located.version is None:
            raise UsageError(
                "unknown-version", f"{name!r} is no frozen version", hint="support@v1.2.0, or subject() for others"
            )
        return Version(self._workspace, located)

    def subject(self, text: str) -> Version:
        """Any state: `support` (the working copy), a version, or `support@COMMIT`. Only a version can be clean."""
        return Version(self._workspace, self._workspace.find(text))

    def versions(self, dataset: str | None = None) -> list[Version]:
        """Frozen versions by dataset and number, retired ones included."""
        return [self.version(str(row.version.name)) for row in list_versions(self._workspace, dataset)]


class Version:
    """A state of a dataset: a frozen version, a commit or the working copy.

    `name` is how it was asked for, `commit` None for a working copy, `source` the digest of what Git knows of it.
    """

    def __init__(self, workspace: Workspace, located: Located) -> None:
        self._workspace = workspace
        self._located = located
        self._read: Contents | None = None
        self._let_past = False

    def __repr__(self) -> str:
        return f"<heldout version {self.name}>"

    @property
    def name(self) -> str:
        return str(self._located.subject)

    @property
    def dataset(self) -> str:
        return self._located.state.name

    @property
    def spec(self) -> DatasetSpec:
        """dataset.yaml, parsed."""
        return self._located.state.spec

    @property
    def commit(self) -> str | None:
        return self._located.commit

    @property
    def source(self) -> str:
        return self._located.state.source

    def answer(self) -> Answer:
        """What the gate says: `verdict`, `contaminated`, `complete`, the findings and the gaps. Reads no data."""
        return answer_for(self._workspace, self._located).answer

    def require(self, wanted: Require = "clean") -> None:
        """Ask the gate and do nothing else. Raises HoldoutRefused (contaminated), CoverageUnknown (nobody knows)."""
        if wanted not in ("clean", "complete", None):
            raise ValueError(f'require is "clean", "complete" or None, not {wanted!r}')
        if self._let_past:
            return
        found = answer_for(self._workspace, self._located)
        if wanted == "clean":
            require_clean(found)
        elif wanted == "complete" and not found.answer.complete:
            reasons = "; ".join(gap.text for gap in found.answer.gaps)
            raise CoverageUnknown("unknown", f"{self.name} is not covered: {reasons}", hint="heldout scan --all")

    def let_past(self) -> Version:
        """The same state, whose examples are handed out whatever the gate says: for a caller that asked it and lets
        people allow a verdict in a way of its own, as the pytest plugin does."""
        version = Version(self._workspace, self._located)
        version._let_past = True
        return version

    def findings(self, *, holdout_only: bool = False, kinds: tuple[Kind, ...] = ()) -> tuple[FindingRow, ...]:
        """Recorded findings with an example of this version as side `a`. Reads no data.

        No record means no finding and says nothing: ask `answer()` whether the version was covered.
        """
        listing = list_findings(self._workspace, self.name, holdout_only=holdout_only, kinds=kinds)
        return listing.rows

    def slices(self) -> tuple[Slice, ...]:
        """Every slice as it stands in this state. Raises ConfigError for a file that is no slice's."""
        target = find_target(self._workspace, self.name)
        return tuple(Slice(self, chosen, self._contents) for chosen in choose_all(target))

    def slice(self, reference: str) -> Slice:
        """`german-billing`, `german-billing#2` or `german-billing@4f1c…`. Raises UsageError (slug unknown-slice)."""
        return Slice(self, choose(find_target(self._workspace, self.name, reference)), self._contents)

    def count(self, definition: Definition) -> Tally:
        """How many examples a definition matches, saved or not; what it cannot check is counted on its own."""
        definition = bound(find_target(self._workspace, self.name), definition)
        return count(self._workspace, self._located, [definition])[0].tally

    def required_slices(self) -> tuple[Required, ...]:
        """What a suite has to report on its own: name, number and digest of each required slice."""
        return required_slices(find_target(self._workspace, self.name))

    def check_reported(self, report: Mapping[str, JSON] | str | os.PathLike[str]) -> None:
        """Refuse a result, or the JSON file of one, that does not report every required slice on its own.

        A result has `slices`: a list of `{name, number, digest, ...}`, or a mapping by name. Raises SliceNotReported
        where a required one is missing or was measured by another definition, or where `passed` is true for the whole
        and false for it.
        """
        check_reported(self.required_slices(), report)

    def members(self) -> tuple[Member, ...]:
        """Every example by key and digests, without its text; what a diff compares. Missing data is fetched."""
        return tuple(self._contents().reading.members)

    def content(self) -> str:
        """Digest of what the version holds, however it is stored: of every split, key and example. Reads the data."""
        return content_digest(self.members())

    def diff(self, other: Version) -> Diff:
        """What changed from this state to another one of the same dataset."""
        return diff(self.members(), other.members())

    def examples(self, split: str | None = None, require: Require = "clean") -> Iterator[Example]:
        """The examples of one split, or of all, in the order of the files, keys filled in; streamed.

        The gate is asked and every row checked before this returns, not at the first example. Missing data is fetched
        through DVC. Raises HoldoutRefused (contaminated), CoverageUnknown (nobody knows), UsageError (slug
        unknown-split), DataError for a row that cannot be read exactly.
        """
        self.require(require)
        fetch_payloads(self._workspace, self._located)
        contents = self._contents()
        splits = choose_splits(contents, self.name, [] if split is None else [split])
        return (example for example in contents.examples() if example.split in splits)

    def _contents(self) -> Contents:
        if self._read is None or self.commit is None:  # files of a working copy may have changed
            self._read = read_contents(self._workspace, self._located)
        return self._read


class Slice:
    """One definition of a slice, over the examples of one state.

    `number` is None while the definition is not recorded; the digest is its identity.
    """

    def __init__(self, version: Version, chosen: Chosen, contents: Callable[[], Contents]) -> None:
        self._version = version
        self._chosen = chosen
        self._contents = contents

    def __repr__(self) -> str:
        return f"<heldout slice {self._chosen} of {self._version.name}>"

    @property
    def name(self) -> str:
        return self._chosen.item.name

    @property
    def description(self) -> str:
        return self._chosen.item.description

    @property
    def required(self) -> bool:
        """Whether every suite that uses the dataset has to report it."""
        return self._chosen.item.required

    @property
    def number(self) -> int | None:
        return self._chosen.number

    @property
    def digest(self) -> str:
        return self._chosen.digest

    @property
    def definition(self) -> Definition:
        return self._chosen.definition

    def counts(self) -> Tally:
        """`matched`, `unmatched`, `unevaluable` and their `total`, counted now. A sample is not part of it."""
        return self._version.count(self.definition)

    def sample(self) -> Drawn | None:
        """What the definition's sample takes, by split and key; None where it has none."""
        return self._selection().counted.drawn

    def examples(self, split: str | None = None, require: Require = "clean") -> Iterator[Example]:
        """The examples that are in, through the gate like those of the version; see `Version.examples`.

        Examples that cannot be checked are not among them: `counts().unevaluable` says how many there are.
        """
        rows = self._version.examples(split, require)
        return self._selection().select(rows)

    def _selection(self) -> Selection:
        return Selection.of(self.definition, self._contents().examples)
