"""The dataset version that a run is about: which it is, whether its holdout may be trusted, and its cases."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from heldout.domain.answer import Verdict
from heldout.domain.results.declared import Kind
from heldout.domain.results.report import DatasetState
from heldout.domain.results.run import Header
from heldout.domain.results.suite import Suite
from heldout.errors import CoverageUnknown, UsageError
from heldout.services.contents import Contents, read_contents
from heldout.services.gate import GateAnswer, answer_for, require_clean
from heldout.services.payloads import fetch_payloads
from heldout.services.progress import Progress
from heldout.services.results.cases import Cases, dataset_cases, keyed_cases
from heldout.services.slicing.use import Target, choose_all, find_target, required_slices
from heldout.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line said: another dataset than the suite's, and verdicts to put up with."""

    dataset: str | None = None
    allow: Collection[str] = ()


def subject_name(suite: Suite, header: Header, asked: Asked, file: str) -> str | None:
    """The one dataset that option, suite and header agree on. Raises UsageError (slug run-of-other-data)."""
    named = {
        "--dataset": asked.dataset,
        "the suite": suite.dataset,
        f"the header of {file}": header.dataset,
    }
    given = {where: name for where, name in named.items() if name}
    if len(set(given.values())) > 1:
        said = ", ".join(f"{where} says {name}" for where, name in given.items())
        raise UsageError("run-of-other-data", f"whose run is it? {said}", hint="report a run on the version it read")
    return next(iter(given.values()), None)


class RunSubject:
    """A dataset version that passed the gate, or was let past it; read once, for one run or two."""

    def __init__(self, state: DatasetState, cases: Cases) -> None:
        self.state = state
        self.cases = cases


def without_dataset(asked: Asked) -> RunSubject:
    """A run that names no dataset: nobody knows what its cases are, or whether something gives them away."""
    if Verdict.UNKNOWN.value not in asked.allow:
        raise CoverageUnknown(
            "run-without-dataset",
            "the run names no dataset version, so nobody knows whether its cases are held out",
            hint="--dataset NAME@vX.Y.Z, or --allow unknown to report it as it is",
        )
    state = DatasetState("", "", "", Verdict.UNKNOWN, Verdict.UNKNOWN)
    return RunSubject(state, Cases({}, grows=True))


def with_dataset(
    open_workspace: Callable[[], Workspace],
    name: str,
    suite: Suite,
    headers: Collection[Header],
    asked: Asked,
    progress: Progress,
) -> RunSubject:
    """Raises HoldoutRefused (contaminated), CoverageUnknown, UsageError (run-of-other-data), ConfigError
    (slice-not-recorded), and what reading the dataset raises."""
    workspace = open_workspace()
    target = find_target(workspace, name)
    located = target.located
    answer = answer_for(workspace, located)
    verdict = answer.answer.verdict
    if verdict.value not in asked.allow:
        require_clean(answer)
    required_slices(target)
    fetch_payloads(workspace, located, progress)
    contents = read_contents(workspace, located, progress)
    content = contents.reading.content
    for header in headers:
        _check_same(header, located.state.source, content, name)
    cases = _cases(target, contents, suite, answer)
    hit = 0 if cases.contaminated is None else int(cases.contaminated.sum())
    allowed = None if verdict is Verdict.CLEAN else verdict
    state = DatasetState(str(located.subject), located.state.source, content, verdict, allowed, answer.answer, hit)
    return RunSubject(state, cases)


def _check_same(header: Header, source: str, content: str, name: str) -> None:
    for what, said, found in (("source", header.source, source), ("content", header.content, content)):
        if said is not None and said != found:
            message = f"the run read a dataset with the {what} digest {said[:19]}, {name} has {found[:19]}"
            raise UsageError("run-of-other-data", message, hint="name the version that the run read")


def _cases(target: Target, contents: Contents, suite: Suite, answer: GateAnswer) -> Cases:
    for split in suite.splits:
        if split not in contents.splits:
            known = ", ".join(contents.splits) or "none"
            raise UsageError("unknown-split", f"{target.dataset} has no split {split!r}", hint=f"its splits: {known}")
    parts = [part for part in suite.parts() if part.kind is Kind.METADATA]
    given_away = {
        (hit.held.split, hit.held.key) for hit in answer.answer.findings if hit.held.dataset == target.dataset
    }
    asks_relevant = any(part.kind is Kind.RELEVANT_POSITION for part in suite.parts())
    own = choose_all(target)
    if not (parts or own or asks_relevant):
        return keyed_cases(contents.reading.members, suite.splits, given_away)
    return dataset_cases(contents.examples, suite.splits, parts, own, given_away, relevant=asks_relevant)
