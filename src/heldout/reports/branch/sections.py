"""The folded parts of the Markdown report. Each list shows its first `limit` items and says how many there are."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from heldout.domain.answer import Accepted, Contamination
from heldout.domain.branch import Branch, DatasetChange, DecisionRow, SliceChange, What
from heldout.domain.deciding.review import SideName
from heldout.domain.deciding.review_listing import Standing
from heldout.domain.diff import Pair
from heldout.domain.finding import Finding
from heldout.domain.kind import Kind
from heldout.domain.slicing.definition import Definition
from heldout.reports.answers import plural
from heldout.reports.branch.cells import code, fenced, folded, plain, summary, table
from heldout.reports.branch.words import HOW, change_text, gap_rows, held_count, holdout_text, how, name_of, other_place
from heldout.reports.excerpts import excerpts
from heldout.reports.slicing.slices import count_text, definition_lines

TEXT_WIDTH = 300


@dataclass(frozen=True, slots=True)
class Part:
    """A folded part; `title` is HTML."""

    title: str
    lines: list[str]

    def markdown(self) -> list[str]:
        return folded(self.title, self.lines)


def parts(branch: Branch, limit: int) -> Iterator[Part]:
    """From what matters most to what only explains: where there is no room, the last ones go first."""
    found = branch.findings
    yield from _hits("New: given away by what this branch changes", found.open(found.new), branch.texts, limit)
    yield from _hits("From before: still given away", found.open(found.remaining), branch.texts, limit)
    yield from _gaps(branch, limit)
    for change in branch.datasets:
        yield from _rows(change, limit)
        yield from _slices(change, limit)
    yield from _governed(branch, limit)
    yield from _decisions(branch.decisions, limit)
    yield from _accepted(found.accepted, limit)
    yield from _versions(branch)
    yield from _hits("Resolved: no longer given away", found.resolved, branch.texts, limit)
    yield from _others("New overlaps that block nothing", found.others_new, limit)
    yield from _others("Overlaps that block nothing and are gone", found.others_resolved, limit)


def _hits(title: str, hits: Sequence[Contamination], texts: Mapping[SideName, str], limit: int) -> Iterator[Part]:
    if not hits:
        return
    several = len({hit.held.dataset for hit in hits}) > 1
    heads = ["held-out example", "given away by", "how", "also in", "finding"]
    rows = []
    for hit in hits[:limit]:
        label = f"{hit.held.dataset}: {hit.held.label()}" if several else hit.held.label()
        versions = [code(str(version)) for version in hit.exposed_by[:3]]
        more = [f"{len(hit.exposed_by) - 3} more"] if len(hit.exposed_by) > 3 else []
        rows.append([code(label), code(other_place(hit)), plain(how(hit.finding)), ", ".join([*versions, *more])])
        rows[-1].append(code(hit.finding.id))
    if not any(hit.exposed_by for hit in hits[:limit]):
        heads.remove("also in")
        rows = [[*row[:3], row[4]] for row in rows]
    if texts:
        heads += ["its text", "the other text"]
        rows = [[*row, *_texts(hit, texts)] for row, hit in zip(rows, hits, strict=False)]
    lines = [*table(heads, rows), *_more(len(hits), limit, "heldout findings --holdout-only")]
    if any(hit.exposed_by for hit in hits[:limit]):
        lines += [
            "",
            "*also in*: frozen versions that hold the other text. Taking it out of this branch leaves it there.",
        ]
    shown = hits[0].finding.id
    lines += ["", f"Both texts side by side: `heldout findings show {shown}`"]
    yield Part(f"{title}: {plural(held_count(hits), 'held-out example')}", lines)


def _texts(hit: Contamination, texts: Mapping[SideName, str]) -> list[str]:
    held, other = texts.get(hit.held.identity()), texts.get(hit.other.identity())
    if held is not None and other is not None:
        held, other = excerpts(held, other)
    return ["not here" if text is None else code(text, TEXT_WIDTH) for text in (held, other)]


def _gaps(branch: Branch, limit: int) -> Iterator[Part]:
    rows = gap_rows(branch.gaps)
    if rows:
        cells = [[code(name), plain(text)] for name, text in rows[:limit]]
        lines = [*table(["of", "what is missing"], cells), *_more(len(rows), limit, "heldout gate NAME")]
        lines += [
            "",
            "What was not compared is unknown, and unknown is not clean. Next: `heldout scan --all`, and commit.",
        ]
        yield Part(f"Not known yet: {plural(len(rows), 'piece')} of evidence", lines)


def _rows(change: DatasetChange, limit: int) -> Iterator[Part]:
    lines: list[str] = [f"- {plain(text)}" for text in ([change.broken] if change.broken else change.untold)]
    if (text := holdout_text(change, code)) is not None:
        lines.append(f"- Declared otherwise: {text}.")
    if change.rows is not None:
        lines += ([""] if lines else []) + _split_table(change)
        lines += _what_changed(change, limit)
    if lines:
        yield Part(f"Examples of <code>{summary(change.name)}</code>", lines)


_COLUMNS = {
    "added": "added",
    "removed": "removed",
    "changed": "changed",
    "moved_in": "moved in",
    "moved_out": "moved out",
    "relabelled": "other answer",
    "unchanged": "unchanged",
}


def _split_table(change: DatasetChange) -> list[str]:
    assert change.rows is not None
    splits = change.rows.by_split
    used = [name for name in _COLUMNS if any(row.get(name) for row in splits.values())]
    held = {*change.holdout_before, *change.holdout_after}
    rows = [
        [code(split) + (" (held out)" if split in held else ""), *(f"{row.get(name, 0):,}" for name in used)]
        for split, row in splits.items()
    ]
    return table(["split", *(_COLUMNS[name] for name in used)], rows, range(1, len(used) + 1))


def _what_changed(change: DatasetChange, limit: int) -> list[str]:
    """The examples by split and key, and what the change means for results."""
    assert change.rows is not None
    found, lines = change.rows.diff, []
    if found is not None and not found.is_empty:
        lists = {
            "added": [code(f"{member.split}/{member.key}") for member in found.added],
            "removed": [code(f"{member.split}/{member.key}") for member in found.removed],
            "changed": [f"{code(f'{pair.after.split}/{pair.after.key}')} ({_parts(pair)})" for pair in found.changed],
            "moved": [
                f"{code(f'{pair.before.split}/{pair.before.key}')} → {code(pair.after.split)}" for pair in found.moved
            ],
        }
        lines.append("")
        limit = min(limit, 20)
        for name, items in lists.items():
            if items:
                more = f" and {len(items) - limit:,} more" if len(items) > limit else ""
                lines.append(f"- {name}: {', '.join(items[:limit])}{more}")
    if change.rows.part is not None:
        number = (
            f" The next version would be {code(f'{change.name}@{change.rows.suggested}')}."
            if change.rows.suggested
            else ""
        )
        lines += ["", f"{_WORTH[change.rows.part]}{number}"]
    return lines


_WORTH = {
    "major": "A held-out example changed or left, so results from before and after cannot be compared.",
    "minor": "Results from before and after can be compared on the held-out examples that both have.",
    "patch": "No example was added or changed: results stay comparable.",
}


def _parts(pair: Pair) -> str:
    found = ["question"] if pair.before.input != pair.after.input else []
    found += ["answer"] if pair.before.expected != pair.after.expected else []
    return " and ".join(found) or "metadata"


def _slices(change: DatasetChange, limit: int) -> Iterator[Part]:
    if not change.slices:
        return
    rows = []
    for item in change.slices:
        what = item.what.value if item.what else "other members"
        chosen = item.after or item.before
        assert chosen is not None
        mark = _mark(item)
        rows.append([code(item.name), what + mark, *(_counted(item, side) for side in (0, 1)), _came(item)])
    heads = ["slice", "what", "examples before", "examples now", "by the new definition"]
    if not any(row[4] for row in rows):
        heads, rows = heads[:4], [row[:4] for row in rows]
    lines = [*table(heads, rows[:limit]), *_more(len(rows), limit, f"heldout slice list {change.name}")]
    for item in change.slices[:limit]:
        if item.what in (What.CHANGED, What.ADDED):
            lines += ["", f"{code(item.name)}:", "", *fenced(_definition_diff(item), "diff")]
    yield Part(f"Slices of <code>{summary(change.name)}</code>: {_slice_count(change)}", lines)


def _slice_count(change: DatasetChange) -> str:
    redefined = sum(item.what is What.CHANGED for item in change.slices)
    words = [(sum(item.what is What.ADDED for item in change.slices), "new"), (redefined, "redefined")]
    words += [(sum(item.what is What.REMOVED for item in change.slices), "removed")]
    words += [(sum(item.what is None for item in change.slices), "with other members")]
    return ", ".join(f"{count} {word}" for count, word in words if count)


def _mark(item: SliceChange) -> str:
    before = item.before is not None and item.before.item.required
    after = item.after is not None and item.after.item.required
    if item.before and item.after and before != after:
        return ", now required" if after else ", no longer required"
    return ", required" if after else ""


def _counted(item: SliceChange, side: int) -> str:
    counted = item.counts[side]
    chosen = (item.before, item.after)[side]
    if chosen is None:
        return "–"
    return "not known here" if counted is None else count_text(counted)


def _came(item: SliceChange) -> str:
    found = item.members
    return "" if found is None else f"{len(found.entered):,} enter, {len(found.left):,} leave, {found.stayed:,} stay"


def _definition_diff(item: SliceChange) -> list[str]:
    old, new = (_definition(side.definition if side else None) for side in (item.before, item.after))
    return [line for line in difflib.ndiff(old, new) if not line.startswith("?")]


def _definition(definition: Definition | None) -> list[str]:
    return [] if definition is None else definition_lines(definition, indent="")


def _governed(branch: Branch, limit: int) -> Iterator[Part]:
    rows = [item.governed for item in branch.datasets if item.governed is not None]
    if not rows:
        return
    cells = []
    for item in rows[:limit]:
        stands = (
            plain(item.lacks)
            if item.lacks
            else "nothing is missing"
            if item.approved_by
            else "no approval is asked for"
        )
        by = ", ".join(plain(name_of(person)) for person in item.approved_by) or "nobody"
        made = ", ".join(plain(name_of(person)) for person in item.authors)
        cells.append([code(item.change.dataset), change_text(item), made, by, stands])
    lines = table(["dataset", "held-out examples", "made by", "approved by", "missing"], cells)
    if branch.unapproved:
        name = branch.unapproved[0].change.dataset
        lines += [
            "",
            f'Who agrees runs, in a clone of this branch: `heldout changes approve {name} --reason "..." --commit`',
        ]
    yield Part(f"Changes of held-out examples: {plural(len(rows), 'dataset')}", lines)


_STANDING = {
    Standing.ACCEPTED: "counts",
    Standing.AWAITS_REVIEWER: "needs a second person",
    Standing.NOT_AGREED: "counts once it is on the protected branch",
    Standing.EXPIRED: "expired: it blocks again",
    Standing.OTHER_METHOD: "made for another method: it blocks again",
    Standing.REOPENED: "taken back: it blocks again",
    Standing.STALE: "about a finding that is gone",
    Standing.MALFORMED: "cannot be read: decides nothing",
}


def _decisions(decisions: Sequence[DecisionRow], limit: int) -> Iterator[Part]:
    shown = [item for item in decisions if item.new or item.row.standing is not Standing.ACCEPTED]
    if not shown:
        return
    cells = []
    for item in shown[:limit]:
        review = item.row.review
        name = review.id if review else item.row.path
        reason = plain(review.reason) if review else plain(item.row.problem or "")
        by = plain(name_of(review.by)) if review else ""
        cells.append([code(name), _STANDING[item.row.standing], reason, by, "yes" if item.new else ""])
    lines = table(["finding", "how it stands", "reason", "by", "new here"], cells)
    lines += _more(len(shown), limit, "heldout review list")
    if any(item.row.standing is Standing.AWAITS_REVIEWER for item in shown):
        lines += ["", "Who agrees runs: `heldout review approve FINDING --commit`"]
    yield Part(f"Decisions about findings: {plural(len(shown), 'decision')}", lines)


def _accepted(accepted: Sequence[Accepted], limit: int) -> Iterator[Part]:
    if not accepted:
        return
    cells = [
        [
            code(item.contamination.held.label()),
            code(other_place(item.contamination)),
            plain(item.review.reason),
            ", ".join(plain(name_of(person)) for person in (item.review.by, item.review.reviewer) if person),
            item.review.expires.isoformat() if item.review.expires else "no end",
        ]
        for item in accepted[:limit]
    ]
    lines = table(["held-out example", "given away by", "why it is accepted", "by whom", "until"], cells)
    lines += _more(len(accepted), limit, "heldout review list")
    yield Part(f"Accepted by people: {plural(len(accepted), 'finding')}", lines)


def _versions(branch: Branch) -> Iterator[Part]:
    if not (branch.versions or branch.retired):
        return
    cells = [
        [code(str(row.version.name)), code(row.version.commit[:10]), row.answer.verdict.value]
        for row in branch.versions
    ]
    lines = table(["new version", "commit", "its holdout"], cells) if cells else []
    lines += [""] if cells and branch.retired else []
    lines += [
        f"- {code(str(item.version))} is retired: {plain(item.reason)} ({plain(name_of(item.by))})"
        for item in branch.retired
    ]
    yield Part("Versions", lines)


def _others(title: str, findings: Sequence[Finding], limit: int) -> Iterator[Part]:
    if not findings:
        return
    limit = min(limit, 10)
    counts = {kind: sum(item.kind is kind for item in findings) for kind in Kind}
    lines = [f"- {HOW[kind]}: {count:,}" for kind, count in counts.items() if count]
    cells = []
    for item in findings[:limit]:
        across = item.a.dataset != item.b.dataset
        sides = [code(f"{side.dataset}: {side.label()}" if across else side.label()) for side in (item.a, item.b)]
        cells.append([*sides, plain(how(item)), code(item.id)])
    lines += [
        "",
        *table(["example", "example", "how", "finding"], cells),
        *_more(len(findings), limit, "heldout findings"),
    ]
    yield Part(f"{title}: {len(findings):,}", lines)


def _more(count: int, limit: int, command: str) -> list[str]:
    return ["", f"… and {count - limit:,} more: `{command}`"] if count > limit else []
