"""What matching finds in a pool of members and texts that are at hand, as a scan would have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from heldout.domain.method import DEFAULT_METHOD
from heldout.domain.overlap import ContainmentLink, NearLink
from heldout.domain.pool import Pool
from heldout.services.matching.pool import match
from heldout.services.matching.rows import Held, PoolRows
from heldout.services.matching.texts import SignatureStore, TextStore
from heldout.storage.member_table import MemberTable, packed


@dataclass(frozen=True)
class Found:
    near: tuple[NearLink, ...]
    contained: tuple[ContainmentLink, ...]


def links_of(pool: Pool, texts: Mapping[str, str], cache: SignatureStore | None = None) -> Found:
    """Links between the pool's inputs, each by its place; `texts` maps digests of inputs to their texts."""
    store = TextStore(DEFAULT_METHOD, cache=cache)
    store.begin(None)
    held = []
    for holding in pool.holdings:
        members = tuple(holding.members)
        table = MemberTable.of(members, store.index, [member.input in texts for member in members])
        held.append(Held(holding.dataset, holding.source, table, holding.holdout))
    inputs = store.index.add(packed(list(texts)))
    store.take(inputs, list(texts.values()), np.zeros(inputs.size, np.int64))
    rows = PoolRows.of(held[0], held[1:])
    links = match(rows, store, DEFAULT_METHOD)
    place = np.arange(rows.inputs.size)
    return Found(tuple(links.near(place)), tuple(links.contained(place)))
