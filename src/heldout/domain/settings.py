"""Project settings: heldout.yaml. Every setting has a default, and a project without the file has all of them."""

from __future__ import annotations

from dataclasses import dataclass

from heldout.domain.exposing.exposure import SPOILING, How
from heldout.domain.method import DEFAULT_METHOD, Method
from heldout.domain.splitting.prompt_policy import NO_PROMPTS, PromptPolicy


@dataclass(frozen=True, slots=True)
class RequiredCorpus:
    """A corpus that versions must have been scanned against: those of one dataset, or of all (`dataset` None).

    With a `manifest`, the digest of one state of the corpus, only scans of that state count.
    """

    name: str
    dataset: str | None = None
    manifest: str | None = None

    def concerns(self, dataset: str) -> bool:
        return self.dataset in (None, dataset)


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """Who has to approve changes of a holdout: `required` people other than its author, of `approvers` where any are
    named. With `required` 0 nobody has to, and changes are only shown."""

    required: int = 0
    approvers: tuple[str, ...] = ()


NO_APPROVAL = ApprovalPolicy()


@dataclass(frozen=True, slots=True)
class Settings:
    """`accept_methods` are digests of methods whose records still count while a project changes method; contaminated
    under any of them is contaminated. `protected_branches` are those that a contaminated dataset may not be pushed to.

    `holdout_changes` says who approves a change of held-out examples.

    `accept_estimates` lets a comparison with published signatures be clean although near copies are estimated only.

    `exposure_contaminates` are the kinds of exposure after which a held-out example no longer counts as unseen.
    `record_exports` has every export of held-out examples logged.

    `memory` is how many bytes a scan may take; None leaves it to the machine. No result depends on it.
    """

    method: Method = DEFAULT_METHOD
    accept_methods: tuple[str, ...] = ()
    protected_branches: tuple[str, ...] = ("main", "master")
    scan_on_commit: bool = True
    corpora: tuple[RequiredCorpus, ...] = ()
    memory: int | None = None
    prompts: PromptPolicy = NO_PROMPTS
    holdout_changes: ApprovalPolicy = NO_APPROVAL
    accept_estimates: bool = False
    exposure_contaminates: frozenset[How] = SPOILING
    record_exports: bool = False

    def accepts(self, method_digest: str) -> bool:
        return method_digest == self.method.digest or method_digest in self.accept_methods
