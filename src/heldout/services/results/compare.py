"""`heldout results compare`: a candidate against a baseline, case by case, and what a policy decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heldout.domain.canonical import digest
from heldout.domain.results.comparison import Comparison, FamilyResult, OneSided, Policy
from heldout.domain.results.decision import Decided, Decision, Family, Reason, Rule, decide
from heldout.domain.results.declared import SliceFault
from heldout.domain.results.report import Metric
from heldout.domain.results.scope import GLOBAL, Scope
from heldout.domain.results.suite import Suite
from heldout.errors import UsageError
from heldout.services.progress import SILENT, Progress
from heldout.services.results.gathering import Gathered, Measured, gather
from heldout.services.results.joining import grown, joined, of_metadata
from heldout.services.results.pairing import Paired, pair
from heldout.services.results.report import run_info
from heldout.services.results.requiring import check_margin, check_required
from heldout.services.results.scopes import Grouping, groupings, restricted
from heldout.services.results.subject import Asked, RunSubject, subject_name, with_dataset, without_dataset
from heldout.services.slicing.use import find_target, slice_paths
from heldout.services.workspace import Workspace
from heldout.statistics.families import retest
from heldout.storage.results.policy_file import slices_of_rules
from heldout.storage.results.run_file import RunFile
from heldout.storage.slicing.file import slice_of_path

METHOD = "paired-hedged-grid-kelly@1"


def compare(
    open_workspace: Callable[[], Workspace],
    paths: tuple[Path, Path],
    policy: Policy,
    suite: Suite,
    asked: Asked = Asked(),  # noqa: B008
    progress: Progress = SILENT,
) -> Comparison:
    """`paths` are the candidate's and the baseline's run files.

    Raises what reading them and the dataset raises; UsageError: unknown-metric, unknown-slice-kind, slice-unavailable,
    run-of-other-data.
    """
    headers = [RunFile(path, ()).read_header() for path in paths]
    names = {subject_name(suite, header, asked, str(path)) for header, path in zip(headers, paths, strict=True)}
    if len(names) > 1:
        said = " and ".join(str(name) for name in sorted(map(str, names)))
        raise UsageError("run-of-other-data", f"the two runs are of {said}", hint="compare runs of one version")
    name = names.pop()
    suite = with_rule_slices(suite, policy.rules, _own_names(open_workspace, name))
    files = [RunFile(path, suite.metadata_keys()) for path in paths]
    if name is None:
        subject = without_dataset(asked)
    else:
        subject = with_dataset(open_workspace, name, suite, headers, asked, progress)
    # The baseline first: slices that are told from what a run did are told from what was there before the change.
    baseline = gather(files[1], subject.cases, suite, progress)
    given = of_metadata(suite) if subject.cases.grows else replace(suite, slices=())
    candidate = grown(gather(files[0], subject.cases, given, progress), subject.cases)
    sides = joined(candidate, grown(baseline, subject.cases), given)
    splits = suite.splits or tuple(sorted({split for side in sides for split in restricted(side, ()).splits}))
    return _compared([restricted(side, splits) for side in sides], subject, files, policy, suite)


def _own_names(open_workspace: Callable[[], Workspace], name: str | None) -> frozenset[str]:
    if name is None:
        return frozenset()
    target = find_target(open_workspace(), name)
    paths = slice_paths(target.tree, target.dataset)
    return frozenset(found[1] for path in paths if (found := slice_of_path(path)))


def with_rule_slices(suite: Suite, rules: Sequence[Rule], own: frozenset[str]) -> Suite:
    """The suite with every slice that a rule is about declared. Raises UsageError (slug unknown-slice-kind)."""
    try:
        asked = slices_of_rules(tuple(rules), own)
    except SliceFault as fault:
        raise UsageError(fault.slug, str(fault), hint="scope: slice/<name>=<value>") from None
    return replace(suite, slices=tuple(dict.fromkeys((*suite.slices, *asked))))


@dataclass(frozen=True, slots=True)
class _Judge:
    """Decides rules on pairs that were counted."""

    policy: Policy
    pairs: Mapping[tuple[Scope, str], Paired]

    def first(self, rule: Rule) -> Decided:
        found = self.pairs.get((rule.scope, rule.metric))
        alpha = self.policy.alpha
        if found is None or not found.pairs.paired or found.pairs.paired < rule.min_support:
            return Decided(rule, Decision.INSUFFICIENT, Reason.SUPPORT, alpha, None)
        interval = found.interval(alpha)
        decision, reason = decide(interval, found.worst(alpha), rule.bound)
        if reason is Reason.MISSING:
            answered = decide(interval, replace(found, unknown=found.missing).worst(alpha), rule.bound)
            reason = reason if answered[0] is Decision.INSUFFICIENT else Reason.EXCLUDED
        hopeless = decision is Decision.INSUFFICIENT and found.difference <= rule.bound
        return Decided(rule, decision, reason, alpha, interval, hopeless)

    def corrected(self, decided: Mapping[str, Decided], family: Family) -> tuple[dict[str, Decided], FamilyResult]:
        """Failures of a family once more, at the levels that its correction leaves them (O33)."""
        failing = {name: decided[name] for name in family.rules if decided[name].decision is Decision.FAIL}
        strengths = {name: self._of(item.rule).strength(item.rule.bound) for name, item in failing.items()}
        found = retest(
            strengths, len(family.rules), self.policy.alpha, lambda name, level: self._fails(failing[name], level)
        )
        changed = dict(decided)
        for name, level in zip(found.standing, found.levels, strict=False):
            changed[name] = replace(failing[name], level=level)
        for name in found.dropped:
            hopeless = self._of(failing[name].rule).difference <= failing[name].rule.bound
            changed[name] = replace(
                failing[name], decision=Decision.INSUFFICIENT, reason=Reason.CORRECTED, hopeless=hopeless
            )
        return changed, FamilyResult(family, found.levels)

    def _of(self, rule: Rule) -> Paired:
        return self.pairs[rule.scope, rule.metric]

    def _fails(self, item: Decided, level: float) -> bool:
        return self._of(item.rule).worst(level).upper < item.rule.bound


def _compared(
    sides: Sequence[Gathered], subject: RunSubject, files: Sequence[RunFile], policy: Policy, suite: Suite
) -> Comparison:
    candidate, baseline = sides
    both = [
        (ours, theirs) for ours in candidate.measured for theirs in baseline.measured if ours.metric == theirs.metric
    ]
    metrics = {ours.metric.name: ours.metric for ours, _ in both}
    _check_rules(policy.rules, metrics)
    found = groupings(baseline, suite)
    pairs = _pairs(both, found, policy.one_sided)
    check_required(baseline, {(item.scope, item.metric.name) for item in pairs if item.pairs.paired}, metrics, suite)
    judge = _Judge(policy, {(item.scope, item.metric.name): item for item in pairs})
    decided = {rule.id: judge.first(rule) for rule in policy.rules}
    families = []
    for family in policy.families:
        decided, result = judge.corrected(decided, family)
        families.append(result)
    infos = [run_info(side, subject, file) for side, file in zip(sides, files, strict=True)]
    return Comparison(
        digest=_digest(sides, subject, policy, suite),
        candidate=infos[0],
        baseline=infos[1],
        paired=max((item.pairs.paired for item in pairs if item.scope.is_global), default=0),
        alpha=policy.alpha,
        results=tuple(item.result(policy.alpha, 0 if item.scope.is_global else suite.least) for item in pairs),
        decided=tuple(decided.values()),
        families=tuple(families),
        one_sided=policy.one_sided,
        unshared=tuple(sorted({item.metric.name for side in sides for item in side.measured} - metrics.keys())),
    )


def _check_rules(rules: Sequence[Rule], known: Mapping[str, Metric]) -> None:
    for rule in rules:
        if rule.metric in known:
            check_margin(rule, known[rule.metric])
        else:
            said = f"rule '{rule.id}' is about the metric '{rule.metric}', which the runs do not share"
            message = f"Configuration error: {said}"
            raise UsageError("unknown-metric", message, hint=f"shared metrics: {', '.join(sorted(known)) or 'none'}")


def _pairs(both: Sequence[tuple[Measured, Measured]], found: Sequence[Grouping], one_sided: OneSided) -> list[Paired]:
    rows = [pair(ours, theirs, GLOBAL, None, one_sided) for ours, theirs in both]
    for grouping in found:
        for code, scope in enumerate(grouping.scopes):
            places = grouping.places(code)
            rows += [pair(ours, theirs, scope, places, one_sided) for ours, theirs in both]
    return rows


def _digest(sides: Sequence[Gathered], subject: RunSubject, policy: Policy, suite: Suite) -> str:
    """Over everything that decides the numbers: both runs, the data, the slices, the policy and the method."""
    return digest(
        {
            "method": METHOD,
            "candidate": sides[0].digest,
            "baseline": sides[1].digest,
            "dataset": {"source": subject.state.source, "content": subject.state.content},
            "splits": list(sides[0].splits),
            "slices": [declared.name for declared in suite.slices],
            "dataset_slices": [item.chosen.digest for item in sides[0].cases.own],
            "least_support": suite.least,
            "missing_as_slice": suite.missing_as_slice,
            "one_sided_exclusions": policy.one_sided.value,
            "policy": policy.digest,
        }
    )
