"""Every pair of the truth files, which two exact algorithms without MinHash computed, and no other."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from support.data import prepared, truth
from support.pools import Member, Pool

from heldout.matching.containment import POSITIONS, containments
from heldout.matching.minhash import signatures
from heldout.matching.near import NearParameters, near_pairs

SINGLE = ["banking77", "clinc150", "mbpp", "mbpp_sanitized", "gsm8k", "mgsm", "snips2017", "humaneval"]
JOINT = [
    "banking77+clinc150",
    "gsm8k+mgsm",
    "mbpp+mbpp_sanitized",
    "mbpp+humaneval",
    "humaneval+mbpp_sanitized",
    "snips2017+clinc150",
]


@cache
def pool_of(name: str) -> Pool:
    return Pool({part: prepared(part) for part in name.split("+")})


def member(side: dict[str, str]) -> Member:
    return side["ds"], side["split"], side["id"]


def wanted(name: str, left: Member, right: Member) -> bool:
    """A file of one set lists all its pairs, a file of two sets those between them."""
    return "+" not in name or left[0] != right[0]


def rows(name: str, kind: str) -> list[dict[str, Any]]:
    return [row for row in truth(name) if row["kind"] == kind]


@pytest.mark.req("B33", "B34", "B35", "A19", "A20", "A21")
@pytest.mark.parametrize("name", SINGLE + JOINT)
def test_near_pairs(name: str) -> None:
    pool = pool_of(name)
    found = near_pairs(pool.texts, signatures(pool.texts), NearParameters(), pool.classes)
    assert found.capped_buckets == 0
    columns = (found.a.tolist(), found.b.tolist(), found.intersection.tolist(), found.union.tolist())
    ours = {
        (frozenset((left, right)), inter, union)
        for a, b, inter, union in zip(*columns, strict=True)
        for left, right in pool.expand(a, b)
        if wanted(name, left, right)
    }
    expected = {
        (frozenset((member(row["a"]), member(row["b"]))), row["inter"], row["union"]) for row in rows(name, "near")
    }
    assert ours == expected


@pytest.mark.req("B29")
@pytest.mark.parametrize("name", SINGLE + JOINT)
def test_exact_pairs_are_shared_inputs(name: str) -> None:
    ours = {
        frozenset((left, right))
        for group in pool_of(name).members
        for left in group
        for right in group
        if left < right and wanted(name, left, right)
    }
    assert ours == {frozenset((member(row["a"]), member(row["b"]))) for row in rows(name, "exact")}


@pytest.mark.req("A25")
@pytest.mark.parametrize("name", SINGLE + JOINT)
def test_containments(name: str) -> None:
    pool = pool_of(name)
    found = containments(pool.texts, 16, pool.classes, 1024)
    assert found.capped == 0
    ours = {
        (short, long, POSITIONS[position])
        for a, b, position in zip(found.short.tolist(), found.long.tolist(), found.position.tolist(), strict=True)
        for short, long in pool.expand(a, b)
        if short[:2] != long[:2] and wanted(name, short, long)
    }
    expected = {(member(row["short"]), member(row["long"]), row["how"]) for row in rows(name, "contain")}
    assert ours == expected
