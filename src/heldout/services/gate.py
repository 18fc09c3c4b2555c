"""The gate: what an evaluation is told before it trusts a holdout. Reads committed records only, never data."""

from __future__ import annotations

from dataclasses import dataclass

from heldout.domain.answer import Answer, Gap, GapKind
from heldout.domain.coverage import Retirement
from heldout.domain.names import Subject
from heldout.errors import CoverageUnknown, HoldoutRefused
from heldout.services.workspace import Located, Workspace


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """An answer, the subject it is about, the retired versions it left aside, and the refs it was given as of."""

    subject: Subject
    commit: str | None
    answer: Answer
    retired: tuple[Retirement, ...]
    as_of: tuple[tuple[str, str], ...]


def gate(workspace: Workspace, subject: str) -> GateAnswer:
    """Answer for `name@v1.2.0`. A working copy or an untagged commit is contaminated or unknown, never clean (B44)."""
    return answer_for(workspace, workspace.find(subject))


def answer_for(workspace: Workspace, located: Located) -> GateAnswer:
    knowledge = workspace.knowledge()
    extra: list[Gap] = []
    if located.version is None:
        extra.append(Gap(GapKind.NOT_FROZEN, "it is not a frozen version; only those can be clean"))
    elif located.version.made_as is not None:
        extra.append(
            Gap(GapKind.MISNAMED, f"its tag's object was made as {located.version.made_as}, not as this version")
        )
    elif knowledge.is_retired(located.version):
        extra.append(Gap(GapKind.RETIRED, "it was retired and takes part in no comparison any more"))
    answer = knowledge.answer(located.state.name, located.state.source, extra)
    return GateAnswer(located.subject, located.commit, answer, tuple(knowledge.retirements), tuple(_as_of(workspace)))


def require_clean(answer: GateAnswer) -> None:
    """Raises HoldoutRefused (contaminated) or CoverageUnknown."""
    if answer.answer.contaminated:
        raise HoldoutRefused(
            "contaminated",
            f"{answer.subject} is contaminated: {answer.answer.wrong}",
            hint=f"heldout exposures {answer.subject}"
            if answer.answer.only_exposed
            else f"heldout findings {answer.subject} --holdout-only",
        )
    if not answer.answer.complete:
        reasons = "; ".join(gap.text for gap in answer.answer.gaps)
        raise CoverageUnknown(
            "unknown", f"nobody knows whether {answer.subject} is clean: {reasons}", hint="heldout scan --all"
        )


def _as_of(workspace: Workspace) -> list[tuple[str, str]]:
    """HEAD and the remote-tracking branches whose trees the records came from."""
    head = workspace.git.head()
    refs = [("HEAD", head)] if head else []
    return refs + [(ref.name.removeprefix("refs/remotes/"), ref.oid) for ref in workspace.git.remote_refs()]
