"""Members: what a version of a dataset holds, known by digests alone."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from heldout.domain.canonical import canonical_json, digest
from heldout.domain.example import Example

DERIVED_KEY_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Member:
    """One example of one version. `input`, `expected` and `example` are digests; `expected` is "" where there is none.

    `derived` says that no person gave the key; it then follows from the input, and a derived key never makes a
    `moved` finding.
    """

    split: str
    key: str
    input: str
    example: str
    expected: str = ""
    derived: bool = False


def member_of(example: Example) -> Member:
    """The member of a row, its key still empty where it has to be derived.

    Where the input is kept outside, its digest is the payload's: equal inputs are still found, unread.
    """
    return Member(
        split=example.split,
        key=example.key or "",
        input=digest(example.input) if example.has_input else str(example.payload),
        example=digest(example.content()),
        expected="" if example.expected is None else digest(example.expected),
        derived=example.key is None,
    )


def with_derived_keys(members: Sequence[Member]) -> tuple[Member, ...]:
    """Fill in missing keys: 16 hex of the input digest, repeats in a split numbered in the order of example digests.

    So neither the order of rows nor their distribution over shards changes a key. A key that a person gave to another
    row of the split is passed over.
    """
    given = {(member.split, member.key) for member in members if not member.derived}
    groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for position, member in enumerate(members):
        if member.derived:
            groups[member.split, member.input.removeprefix("sha256:")[:DERIVED_KEY_LENGTH]].append(position)
    result = list(members)
    for (split, stem), positions in groups.items():
        number = 1
        for position in sorted(positions, key=lambda at: members[at].example):
            while (split, key := stem if number == 1 else f"{stem}-{number}") in given:
                number += 1
            result[position] = _with_key(members[position], key)
            number += 1
    return tuple(result)


def _with_key(member: Member, key: str) -> Member:
    """`dataclasses.replace` does the same at five times the cost, and every row of a set without keys passes here."""
    return Member(member.split, key, member.input, member.example, member.expected, member.derived)


def content_digest(members: Iterable[Member]) -> str:
    """Digest of the (split, key, example digest) triples, sorted: what a version holds, however it is stored.

    sha256 over the JCS text of each triple and a line feed, so that it can be computed while streaming sorted rows.
    """
    state = hashlib.sha256()
    for triple in sorted((member.split, member.key, member.example) for member in members):
        state.update(canonical_json(list(triple)))
        state.update(b"\n")
    return "sha256:" + state.hexdigest()
