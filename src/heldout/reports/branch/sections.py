"""The folded parts of the Markdown report. Each list shows its first `limit` items and says how many there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from heldout.domain.answer import Contamination
from heldout.domain.branch import Branch
from heldout.domain.deciding.review import SideName
from heldout.domain.finding import Finding
from heldout.domain.kind import Kind
from heldout.reports.answers import plural
from heldout.reports.branch.about_data import example_parts, slice_parts
from heldout.reports.branch.about_people import accepted_parts, change_parts, decision_parts
from heldout.reports.branch.cells import code, plain, table
from heldout.reports.branch.parts import Part, more
from heldout.reports.branch.words import HOW, gap_rows, held_count, how, name_of, other_place
from heldout.reports.excerpts import excerpts

TEXT_WIDTH = 300


def parts(branch: Branch, limit: int) -> Iterator[Part]:
    """From what matters most to what only explains: where there is no room, the last ones go first."""
    found = branch.findings
    yield from _hits("Newly given away", found.open(found.new), branch.texts, limit)
    yield from _hits("Still given away, as before this branch", found.open(found.remaining), branch.texts, limit)
    yield from _gaps(branch, limit)
    for change in branch.datasets:
        yield from example_parts(change, limit)
        yield from slice_parts(change, limit)
    yield from change_parts(branch, limit)
    yield from decision_parts(branch.decisions, limit)
    yield from accepted_parts(found.accepted, limit)
    yield from _versions(branch)
    yield from _hits("No longer given away", found.resolved, branch.texts, limit)
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
        rest = [f"{len(hit.exposed_by) - 3} more"] if len(hit.exposed_by) > 3 else []
        rows.append([code(label), code(other_place(hit)), plain(how(hit.finding)), ", ".join([*versions, *rest])])
        rows[-1].append(code(hit.finding.id))
    if not any(hit.exposed_by for hit in hits[:limit]):
        heads.remove("also in")
        rows = [[*row[:3], row[4]] for row in rows]
    if texts:
        heads += ["its text", "the other text"]
        rows = [[*row, *_texts(hit, texts)] for row, hit in zip(rows, hits, strict=False)]
    lines = [*table(heads, rows), *more(len(hits), limit, "heldout findings --holdout-only")]
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
        lines = [*table(["of", "what is missing"], cells), *more(len(rows), limit, "heldout gate NAME")]
        lines += [
            "",
            "What was not compared is unknown, and unknown is not clean. Next: `heldout scan --all`, and commit.",
        ]
        yield Part(
            f"Not known yet: {plural(len(rows), 'piece of evidence is', 'pieces of evidence are')} missing", lines
        )


def _versions(branch: Branch) -> Iterator[Part]:
    cells = [
        [code(str(row.version.name)), code(row.version.commit[:10]), row.answer.verdict.value]
        for row in branch.versions
    ]
    notes = [
        f"- {code(str(item.version))} is retired: {plain(item.reason)} ({plain(name_of(item.by))})"
        for item in branch.retired
    ]
    notes += [
        f"- {code(str(name))} counts as contaminated once this is frozen: {plural(count, 'held-out example')} can "
        "be learned from now. Results on it still hold for models that never learn from this branch."
        for change in branch.datasets
        for name, count in change.outdates
    ]
    if cells or notes:
        lines = table(["new version", "commit", "its holdout"], cells) if cells else []
        yield Part("Versions", [*lines, *([""] if cells and notes else []), *notes])


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
        *more(len(findings), limit, "heldout findings"),
    ]
    yield Part(f"{title}: {len(findings):,}", lines)
