"""The report of a branch as one comment: a sentence, a small table, and everything else folded away.

The first line is hidden and tells a comment of ours from others, so that the next run replaces it.
"""

from __future__ import annotations

from collections.abc import Sequence

from heldout.domain.branch import Branch, BranchVerdict
from heldout.reports.answers import plural
from heldout.reports.branch.cells import code, folded, table
from heldout.reports.branch.overview import overview
from heldout.reports.branch.parts import Part
from heldout.reports.branch.sections import parts
from heldout.reports.branch.words import TITLE, verdict_sentences

MARKER = "<!-- heldout-report -->"
UNCHANGED = "<!-- heldout-report: unchanged -->"
"""The second line of a report of a branch that touches no data: nobody needs a comment about it."""

GITHUB_LIMIT = 65_536
"""Characters of a comment on GitHub; GitLab takes 1,000,000. Bytes of UTF-8 are counted here, which are never fewer."""

_SIGN = {
    BranchVerdict.LEAKS: "❌",
    BranchVerdict.BROKEN: "❌",
    BranchVerdict.UNKNOWN: "❔",
    BranchVerdict.AWAITS_PEOPLE: "✋",
    BranchVerdict.CLEAN: "✅",
    BranchVerdict.UNCHANGED: "✅",
}
_LIMITS = (50, 25, 10, 5, 2)
"""Items that a list shows, tried one after the other until the whole report fits."""


def branch_markdown(branch: Branch, limit: int | None = None, room: int = GITHUB_LIMIT) -> str:
    """At most `room` bytes; what is left out is said. `limit` is how many items a list shows at most."""
    limits = [item for item in _LIMITS if limit is None or item < limit]
    for items in limits if limit is None else [limit, *limits]:
        text = _whole(branch, list(parts(branch, items)))
        if _size(text) <= room:
            return text
    return _cut(branch, list(parts(branch, _LIMITS[-1])), room)


def _cut(branch: Branch, found: list[Part], room: int) -> str:
    """Parts go from the end of the list until the rest fits, and are named where they would have been."""
    gone: list[str] = []
    while found:
        gone.insert(0, found.pop().title)
        names = "; ".join(gone[:5]) + ("; …" if len(gone) > 5 else "")
        note = (
            f"**Not shown, for a comment has no room for it:** {names}. `heldout report` in a clone shows everything."
        )
        text = _whole(branch, found, note)
        if _size(text) <= room:
            return text
    return _whole(branch, []).encode()[:room].decode("utf-8", "ignore")


def _size(text: str) -> int:
    return len(text.encode())


def _whole(branch: Branch, found: Sequence[Part], note: str | None = None) -> str:
    first, *rest = verdict_sentences(branch, code)
    lines = [MARKER]
    if branch.verdict is BranchVerdict.UNCHANGED:
        lines.append(UNCHANGED)
    lines += [f"### {_SIGN[branch.verdict]} {TITLE[branch.verdict]}", "", " ".join([f"**{first}**", *rest]), ""]
    if branch.verdict is not BranchVerdict.UNCHANGED:
        lines += [*table(["", "what this branch does"], overview(branch)), ""]
    for part in found:
        lines += part.markdown()
    if note:
        lines += [note, ""]
    if branch.verdict is not BranchVerdict.UNCHANGED:
        lines += _explained()
    return "\n".join([*lines, _foot(branch)]) + "\n"


def _explained() -> list[str]:
    lines = [
        "- **held out**: kept for evaluation. These examples only measure a model, and nothing may learn from them.",
        "- **given away**: the same or nearly the same text is where models learn from too, so a score means little. "
        "The number in brackets says how alike the two texts are; 1.00 is the same.",
        "- **slice**: a named part of a dataset, reported on its own. **version**: a frozen state, under a Git tag.",
        "- **not known**: something was not compared yet. It is treated like a leak until it was.",
        "- Examples are named by split and key (`test/17`); their texts stay out of this comment on purpose.",
        "",
        "In a clone: `heldout findings --holdout-only` lists what is given away, `heldout findings show ID` shows both "
        "texts, and `heldout changes` what happened to held-out examples.",
    ]
    return folded("What these words mean", lines)


def _foot(branch: Branch) -> str:
    commits = plural(branch.commits, "commit")
    return (
        f"<sub>{commits} since {code(branch.base[:10])} of {code(branch.base_name)}, up to {code(branch.head[:10])}. "
        "This report describes; the check <code>heldout verify</code> decides.</sub>"
    )
