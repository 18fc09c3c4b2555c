"""What a hook has to say, as values; words for people are made of them in `heldout.reports`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from heldout.domain.answer import Answer, Contamination
from heldout.domain.coverage import Version
from heldout.domain.names import VersionName
from heldout.domain.record import ScanRecord
from heldout.domain.splitting.prompt_policy import PromptCheck


@dataclass(frozen=True, slots=True)
class ScanDone:
    """A scan and the versions it could not be compared with, each with the reason.

    `given_away` counts held-out examples of the scanned content itself. The record's findings are more: they also
    name held-out examples of versions that were frozen earlier, which a new version cannot mend.
    """

    record: ScanRecord
    left_out: tuple[tuple[Version, str], ...] = ()
    given_away: int = 0


@dataclass(frozen=True, slots=True)
class HookOutcome:
    """Scans made, sentences to say, what prompts give away, and whether Git may go on."""

    scans: tuple[ScanDone, ...] = ()
    notes: tuple[str, ...] = ()
    refused: bool = False
    prompts: PromptCheck = PromptCheck()  # noqa: RUF009


class Refusal(StrEnum):
    """Why a push is refused."""

    CONTAMINATED = "contaminated"
    GIVES_AWAY = "gives_away"
    NOT_COVERED = "not_covered"
    MOVED = "moved"
    DELETED = "deleted"
    MALFORMED = "malformed"
    PROTECTED_BRANCH = "protected_branch"
    MISNAMED = "misnamed"
    RECORD_LOST = "record_lost"


@dataclass(frozen=True, slots=True)
class PushProblem:
    """One reason to refuse (or, where `warning`, to warn about) one pushed ref.

    `subject` names the version or the branch; `answer` is set where leakage or coverage is the reason, `gives_away`
    where another dataset's frozen holdout is: by version, the findings. `details` are lines that say more.
    """

    refusal: Refusal
    ref: str
    subject: str
    answer: Answer | None = None
    gives_away: tuple[tuple[VersionName, tuple[Contamination, ...]], ...] = ()
    warning: bool = False
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PushVerdict:
    problems: tuple[PushProblem, ...] = ()

    @property
    def refused(self) -> bool:
        return any(not problem.warning for problem in self.problems)
