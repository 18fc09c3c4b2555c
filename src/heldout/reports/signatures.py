"""Signatures of sealed holdouts: what was published, and what comparing with it says. No text, on any side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from heldout.domain.kind import Kind, Severity
from heldout.domain.sealing.estimate import BITS, VALUES
from heldout.domain.sealing.sealed import SealedCheck, SealedMatch, SignatureInfo
from heldout.errors import ExitCode

_CONTAINMENT = "containment cannot be told from signatures: a sealed text inside a longer one is not found"


def export_lines(
    subject: str, path: str, info: SignatureInfo, size: int, *, tracked: bool, declared: bool, changed: bool
) -> Iterator[str]:
    what = "signatures" if info.has_signatures else "digests"
    state = "written" if changed else "nothing changed"
    yield f"{path}: {what} of {info.examples:,} examples of {subject}, {size / 1e3:,.1f} kB, no text ({state})"
    yield from _given_away(info)
    if declared:
        yield f"dataset.yaml names them now: signatures: {path.rpartition('/')[2]}"
    if tracked and (changed or declared):
        folder = path.rpartition("/")[0]
        yield f"next: git add {path}.dvc {folder}/.gitignore {folder}/dataset.yaml, git commit, dvc push {path}"


def _given_away(info: SignatureInfo) -> Iterator[str]:
    if info.key_id is not None:
        yield f"digests are keyed by the secret {info.key_id}: exact copies are told to those who have it"
    if info.has_signatures:
        yield "they let anybody test whether a guess is among these texts, or near one: docs/sealed.md"
    elif info.key_id is None:
        yield "they let anybody test whether a guess is among these texts: docs/sealed.md"


def info_json(info: SignatureInfo) -> dict[str, Any]:
    return {
        "dataset": info.dataset,
        "source": info.source,
        "content": info.content,
        "method": {"id": info.method_id, "digest": info.method_digest},
        "holdout": list(info.holdout),
        "splits": dict(info.splits),
        "key_id": info.key_id,
        "signatures": {"values": VALUES, "bits": BITS} if info.has_signatures else None,
    }


def export_json(
    subject: str, path: str, info: SignatureInfo, size: int, *, tracked: bool, declared: bool, changed: bool
) -> dict[str, Any]:
    return {
        "format": "heldout/signatures-export@1",
        "subject": subject,
        "path": path,
        "bytes": size,
        "changed": changed,
        "tracked": tracked,
        "declared": declared,
        **info_json(info),
    }


def check_lines(check: SealedCheck, limit: int) -> Iterator[str]:
    """The verdict first; then what it rests on, what was found, and what nobody can tell from this."""
    yield _verdict(check)
    by = "by their texts" if check.can_read else _by(check.info)
    held = sum(check.info.splits.get(split, 0) for split in check.info.holdout)
    yield f"compared: {check.compared + check.no_text:,} examples of {check.subject} with {held:,} sealed, {by}"
    yield from (f"read: {reason}" for reason in check.reasons)
    if check.matches:
        shown = sorted(check.matches, key=lambda match: _WORST.index(match.severity))[:limit]
        more = f"the first {len(shown):,} of {len(check.matches):,}" if len(check.matches) > len(shown) else len(shown)
        yield ""
        yield f"found: {more}"
        yield from (f"  {_line(match)}" for match in shown)
        yield ""
    yield from (f"not known: {reason}" for reason in check.unknown)
    if not check.can_read:
        yield _CONTAINMENT
    yield f"next: {_next(check)}"


_WORST = (Severity.BLOCK, Severity.REVIEW, Severity.NOTE)


def _verdict(check: SealedCheck) -> str:
    if check.blocking:
        near = check.blocking - check.exact
        kinds = [f"{number:,} {kind}" for number, kind in ((check.exact, "exact"), (near, "near")) if number]
        noun = "copy" if check.blocking == 1 else "copies"
        return f"found: {' and '.join(kinds)} {noun} of sealed examples of {check.against}"
    if check.exit_code is ExitCode.UNKNOWN:
        return f"unknown: no exact copy of a sealed example of {check.against}, and more is not known for sure"
    if check.can_read:
        return f"clean: no exact or near copy of a held-out example of {check.against}"
    return (
        f"clean as this project's policy has it (sealed.accept_estimates): no exact copy of a sealed example of "
        f"{check.against}, and no estimate reaches the threshold; near copies were not verified"
    )


def _by(info: SignatureInfo) -> str:
    digests = "keyed digest" if info.key_id else "digest"
    return f"by {digests} and by signature" if info.has_signatures else f"by {digests}"


def _line(match: SealedMatch) -> str:
    """`review  train.jsonl:40 ~ test/k2  near about 0.96 (0.86 to 0.99), unverified`."""
    here = str(match.place) if match.place else f"{match.split}/{match.key}"
    sign = {Kind.EXACT: "==", Kind.NEAR: "~"}.get(match.kind, "in")
    told = match.kind.value
    if match.estimate is not None:
        value, low, high = match.estimate.value, match.estimate.low, match.estimate.high
        told = f"near about {_down(value)} ({_down(low)} to {_up(high)}), unverified"
    elif match.similarity is not None:
        told = f"near {_down(match.similarity)}"
    elif match.inside is not None:
        told = f"containment, {'the sealed text in the one here' if match.inside.holdout_is_short else 'in it'}"
    return f"{match.severity.value:<7}{here} {sign} {match.sealed.split}/{match.sealed.key}  {told}"


def _next(check: SealedCheck) -> str:
    if check.blocking:
        return "take these examples out, and check again"
    if check.estimates:
        return "have somebody who may read the sealed texts run this command: it then verifies each of them"
    if not check.exact_known:
        return "--secret-file FILE, with the secret that the digests are keyed by"
    if check.exit_code is ExitCode.UNKNOWN:
        return "have somebody who may read the sealed texts scan this, or see sealed.accept_estimates in docs/sealed.md"
    return "heldout gate answers for versions, from records"


def _down(value: Fraction) -> str:
    return _hundredths(value.numerator * 100 // value.denominator)


def _up(value: Fraction) -> str:
    return _hundredths(-(-value.numerator * 100 // value.denominator))


def _hundredths(number: int) -> str:
    return f"{number // 100}.{number % 100:02d}"


def check_json(check: SealedCheck, limit: int | None) -> dict[str, Any]:
    return {
        "format": "heldout/signatures-check@1",
        "verdict": {ExitCode.FOUND: "found", ExitCode.CLEAN: "clean"}.get(check.exit_code, "unknown"),
        "subject": check.subject,
        "against": check.against,
        "published": info_json(check.info),
        "compared": check.compared,
        "no_text": check.no_text,
        "verified_by_texts": check.can_read,
        "exact_known": check.exact_known,
        "containment_known": check.can_read,
        "accepts_estimates": check.accepts_estimates,
        "unknown": list(check.unknown),
        "counts": {
            "exact": check.exact,
            "near": check.blocking - check.exact,
            "estimates": check.estimates,
            "all": len(check.matches),
        },
        "skipped": list(check.skipped),
        "matches": [_match_json(match) for match in check.matches[:limit]],
    }


def _match_json(match: SealedMatch) -> dict[str, Any]:
    here: Mapping[str, Any] = {"split": match.split, "key": match.key}
    if match.place is not None:
        here = {"file": match.place.file, "row" if match.place.in_rows else "line": match.place.number}
    told: dict[str, Any] = {}
    if match.estimate is not None:
        told["estimate"] = {
            "matches": match.estimate.matches,
            "of": VALUES,
            "value": f"{match.estimate.value.numerator}/{match.estimate.value.denominator}",
            "low": float(match.estimate.low),
            "high": float(match.estimate.high),
            "confidence": 0.95,
        }
    if match.similarity is not None:
        told["similarity"] = f"{match.similarity.numerator}/{match.similarity.denominator}"
    if match.inside is not None:
        told["containment"] = {
            "short": "sealed" if match.inside.holdout_is_short else "here",
            "position": match.inside.position,
            "offset": match.inside.offset,
            "word_aligned": match.inside.word_aligned,
        }
    return {
        "kind": match.kind.value,
        "severity": match.severity.value,
        "verified": match.verified,
        "here": {**here, "input": match.input},
        "sealed": {"split": match.sealed.split, "key": match.sealed.key, "held_out": match.sealed.is_held},
        **told,
    }
