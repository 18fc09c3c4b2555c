"""What is published of a sealed holdout, and what comparing with it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from heldout.domain.checked import Place
from heldout.domain.corpora.corpus import Inside
from heldout.domain.kind import Kind, Severity
from heldout.domain.sealing.estimate import Estimate
from heldout.errors import ExitCode


@dataclass(frozen=True, slots=True)
class SignatureInfo:
    """The head of a file of signatures: which content it was made of, and how.

    `source` and `content` are the digests of that state of the dataset. `holdout` are its splits that hold out;
    `splits` counts the examples published. `key_id` names the secret that input digests are keyed by; None where they
    are plain. Without `has_signatures` there are digests only.
    """

    dataset: str
    source: str
    content: str
    method_id: str
    method_digest: str
    holdout: tuple[str, ...]
    splits: Mapping[str, int]
    key_id: str | None = None
    has_signatures: bool = True

    @property
    def examples(self) -> int:
        return sum(self.splits.values())


@dataclass(frozen=True, slots=True)
class PublishedExample:
    """The sealed side of a match."""

    split: str
    key: str
    is_held: bool


@dataclass(frozen=True, slots=True)
class SealedMatch:
    """An example here and a sealed one. `place` or (`split`, `key`) says where the one here stands.

    What is `verified` was told from digests, or from texts that can be read here; anything else is an `estimate`.
    """

    sealed: PublishedExample
    kind: Kind
    severity: Severity
    input: str
    place: Place | None = None
    split: str = ""
    key: str = ""
    estimate: Estimate | None = None
    similarity: Fraction | None = None
    inside: Inside | None = None

    @property
    def verified(self) -> bool:
        return self.estimate is None


@dataclass(frozen=True, slots=True)
class SealedCheck:
    """The answer about one published file. `subject` names what was compared.

    `can_read` says that the sealed texts are readable here, so that everything is verified. `compared` examples had a
    text, `no_text` none that can be read here. `exact_known` is False where digests are keyed and the secret was not
    given. `accepts_estimates` is the project's policy.
    """

    subject: str
    against: str
    info: SignatureInfo
    matches: tuple[SealedMatch, ...]
    compared: int
    no_text: int
    can_read: bool
    exact_known: bool = True
    accepts_estimates: bool = False
    skipped: tuple[str, ...] = ()
    reasons: tuple[str, ...] = field(default=())

    @property
    def exact(self) -> int:
        return sum(match.kind is Kind.EXACT and match.severity is Severity.BLOCK for match in self.matches)

    @property
    def blocking(self) -> int:
        return sum(match.severity is Severity.BLOCK for match in self.matches)

    @property
    def estimates(self) -> int:
        return sum(not match.verified and match.severity is Severity.REVIEW for match in self.matches)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Why this is no clean answer, whatever was found; empty where nothing is left open."""
        reasons = []
        if not self.exact_known:
            reasons.append("digests are keyed and the secret was not given, so exact copies are not told")
        if self.skipped:
            reasons.append(f"rows that could not be read: {len(self.skipped)}")
        if self.no_text:
            reasons.append(f"examples whose text cannot be read here: {self.no_text}")
        if self.estimates:
            reasons.append(f"examples that may be near a sealed one: {self.estimates}")
        if not self.can_read and not self.info.has_signatures:
            reasons.append("only digests are published, so near copies are not told")
        elif not self.can_read and not self.accepts_estimates:
            reasons.append("the sealed texts cannot be read here, so near copies are estimated only")
        return tuple(reasons)

    @property
    def exit_code(self) -> ExitCode:
        if self.blocking:
            return ExitCode.FOUND
        return ExitCode.UNKNOWN if self.unknown else ExitCode.CLEAN

    def sentence(self) -> str | None:
        """What a commit says of a version that could not be read; None where nothing was found by its signatures."""
        found = []
        if self.exact:
            found.append(f"{self.exact:,} exact {'copy' if self.exact == 1 else 'copies'} of sealed examples")
        if self.estimates:
            found.append(f"{self.estimates:,} that may be near one (unverified)")
        if not found:
            return None
        command = f"heldout signatures check {self.subject} --against {self.against}"
        return f"{self.subject}: by the published signatures of {self.against}: {', '.join(found)}; {command}"
