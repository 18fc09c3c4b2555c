"""What a report of a branch says in sentences, the same in every form. Nobody has to know Heldout to read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from heldout.domain.answer import Contamination, Gap
from heldout.domain.branch import Branch, BranchVerdict, DatasetChange, RowChanges
from heldout.domain.deciding.governed import ChangeStanding
from heldout.domain.finding import Finding
from heldout.domain.kind import CORPUS, EXPOSURE, Kind
from heldout.reports.answers import plural

Mark = Callable[[str], str]

HOW = {
    Kind.EXACT: "the same text",
    Kind.NEAR: "nearly the same text",
    Kind.MOVED: "the same example, outside the holdout",
    Kind.CONTAINMENT: "one text stands inside the other",
    Kind.INTRA_SPLIT: "a repeat in one split",
    Kind.SOURCE_CROSSES_SPLIT: "made from the same source",
    Kind.GROUP_CROSSES_SPLIT: "of the same group",
    Kind.EXPOSED: "it was shown to something",
}

TITLE = {
    BranchVerdict.LEAKS: "Evaluation data leaks",
    BranchVerdict.BROKEN: "A dataset cannot be read",
    BranchVerdict.UNKNOWN: "Not known yet whether evaluation data leaks",
    BranchVerdict.AWAITS_PEOPLE: "Somebody has to agree",
    BranchVerdict.CLEAN: "No evaluation data leaks",
    BranchVerdict.UNCHANGED: "No dataset changes",
}


def verdict_sentences(branch: Branch, mark: Mark = str) -> list[str]:
    """The first says how it stands, the others what that means or what to do; `mark` sets a name apart."""
    match branch.verdict:
        case BranchVerdict.LEAKS:
            return _leaks(branch, mark)
        case BranchVerdict.BROKEN:
            names = listed((item.name for item in branch.datasets if item.broken), mark)
            return [
                f"The files of {names} cannot be read on this branch, so nothing can be said of it.",
                "`heldout doctor` shows what is wrong.",
            ]
        case BranchVerdict.UNKNOWN:
            return _unknown(branch, mark)
        case BranchVerdict.AWAITS_PEOPLE:
            return [_people(branch, mark), "No example that is kept for evaluation is given away."]
        case BranchVerdict.CLEAN:
            return _clean(branch)
        case BranchVerdict.UNCHANGED:
            return ["This branch changes no dataset, no version and no decision."]


def _leaks(branch: Branch, mark: Mark) -> list[str]:
    hits = branch.leaks
    count = held_count(hits)
    total = branch.held_out_total
    of = f"{count:,} of the {total:,} examples" if total else plural(count, "example")
    owners = listed(sorted({hit.held.dataset for hit in hits}), mark)
    new = held_count(branch.findings.open(branch.findings.new))
    since = "" if new == count else f", {new:,} of them newly" if new else ", as before this branch"
    places = sorted({other_split(hit) for hit in hits})
    where = listed(places, mark)
    if all(hit.finding.kind is Kind.EXPOSED for hit in hits):
        return [
            f"{of} that {owners} keeps for evaluation no longer count as unseen{since}.",
            "Somebody logged that they were shown to something.",
        ]
    repeated = all({*hit.finding.kinds} & _REPEATS for hit in hits)
    verb = "is" if count == 1 else "are"
    said = f"{verb} repeated, word for word or nearly, in" if repeated else f"{verb} given away by"
    return [
        f"{of} that {owners} keeps for evaluation {said} {where}{since}.",
        "Who trains on that has seen the questions of the test, and its score comes out too high.",
        _way_out(hits),
    ]


_REPEATS = {Kind.EXACT, Kind.NEAR}


def _way_out(hits: Sequence[Contamination]) -> str:
    if any(hit.exposed_by for hit in hits):
        return "Frozen versions hold the other copies, so the held-out ones have to go; the list is below."
    return "To mend it, take one of the two copies out and commit; the list is below."


def _unknown(branch: Branch, mark: Mark) -> list[str]:
    names = listed((name for name, _ in branch.gaps), mark)
    one = len({name for name, _ in branch.gaps}) == 1
    return [
        f"Nobody can tell yet whether examples kept for evaluation are repeated in training data: {names} "
        f"{'was' if one else 'were'} not compared with everything.",
        "Unknown is not clean. `heldout scan --all` makes the missing comparisons; commit what it writes.",
    ]


def _clean(branch: Branch) -> list[str]:
    held = sum(bool(item.holdout_after) for item in branch.datasets)
    accepted = len(branch.findings.accepted)
    if not any(item.after for item in branch.datasets) and not branch.versions:
        first = "Nothing this branch does gives away an example that is kept for evaluation."
    else:
        first = (
            "No example kept for evaluation is repeated in training data: what this branch changes was compared with "
            f"{'all other data here' if held else 'all that is kept for evaluation here'}."
        )
    if accepted:
        return [first, f"{plural(accepted, 'finding was', 'findings were')} accepted by people; they are listed below."]
    return [first]


def _people(branch: Branch, mark: Mark) -> str:
    parts = []
    if branch.unapproved:
        names = listed((item.change.dataset for item in branch.unapproved), mark)
        parts.append(f"the change of held-out examples in {names} needs an approval")
    if branch.awaited:
        parts.append(f"{plural(len(branch.awaited), 'decision needs', 'decisions need')} a second person")
    text = " and ".join(parts)
    return text[:1].upper() + text[1:] + "."


def held_count(hits: Iterable[Contamination]) -> int:
    """Held-out examples, each once however many others give it away."""
    return len({hit.held.identity() for hit in hits})


def how(finding: Finding) -> str:
    """`nearly the same text (0.88)`."""
    if finding.kind is Kind.NEAR and finding.similarity == 1:
        return "the same text but for case and punctuation"
    text = HOW[finding.kind] + (f" {finding.group}" if finding.group else "")
    return text if finding.similarity in (None, 1) else f"{text} ({float(finding.similarity):.2f})"


def other_split(hit: Contamination) -> str:
    """Where the other copies are: a split of the same dataset, or of another one."""
    if hit.other.dataset.startswith(CORPUS) or hit.other.dataset == EXPOSURE:
        return hit.other.dataset
    return hit.other.split if hit.other.dataset == hit.held.dataset else f"{hit.other.dataset}: {hit.other.split}"


def other_place(hit: Contamination) -> str:
    """What gives an example away, without its text: a split and key, a corpus, or the log of exposures."""
    if hit.other.dataset.startswith(CORPUS) or hit.other.dataset == EXPOSURE:
        return f"{hit.other.dataset}: {hit.other.label()}"
    return hit.other.label() if hit.other.dataset == hit.held.dataset else f"{hit.other.dataset}: {hit.other.label()}"


def rows_text(rows: RowChanges) -> str:
    """`120 examples added, 3 removed`."""
    words = (("added", "added"), ("removed", "removed"), ("changed", "changed"), ("moved_in", "moved to another split"))
    found = [(rows.total(name), word) for name, word in words if rows.total(name)]
    if not found:
        return "the same examples"
    (count, word), *rest = found
    return ", ".join([f"{plural(count, 'example')} {word}", *(f"{count:,} {word}" for count, word in rest)])


def change_text(standing: ChangeStanding) -> str:
    """`3 added, 1 moved out`: of held-out examples."""
    counts = standing.change.counts()
    return ", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in counts.items() if count)


def holdout_text(change: DatasetChange, mark: Mark = str) -> str | None:
    """A sentence where other splits are declared as held out than before."""
    before, after = change.holdout_before, change.holdout_after
    if before == after or change.what != "changed":
        return None
    return f"held out was {listed(before, mark) or 'nothing'}, and now is {listed(after, mark) or 'nothing'}"


def gap_rows(gaps: Sequence[tuple[str, Gap]]) -> list[tuple[str, str]]:
    """(dataset or version, what is missing), each once."""
    return list(dict.fromkeys((name, gap.text) for name, gap in gaps))


def name_of(person: str) -> str:
    """The name in `Name <address>`: addresses are no one's business in a comment."""
    return person.partition("<")[0].strip() or "somebody"


def listed(names: Iterable[str], mark: Mark = str) -> str:
    """`a, b and c`, each name once; of many the first three, and how many more there are."""
    found = [mark(name) for name in dict.fromkeys(names)]
    if len(found) > 4:
        found = [*found[:3], f"{len(found) - 3:,} more"]
    return found[0] if len(found) == 1 else ", ".join(found[:-1]) + (f" and {found[-1]}" if found else "")


def _verb(count: int) -> str:
    return "is" if count == 1 else "are"
