"""Digests keyed by a project's secret (decision A33): who lacks the secret cannot test a guess by digest."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from heldout.domain.canonical import DIGEST_PREFIX
from heldout.domain.members import DERIVED_KEY_LENGTH

PREFIX: Final = "hmac-sha256:"
LEAST_BYTES: Final = 16
"""A shorter secret could be found by trying: its id is published."""


@dataclass(frozen=True, slots=True)
class Secret:
    """HMAC-SHA256 (RFC 2104) over input digests. `id` names the secret without giving it away."""

    value: bytes = field(repr=False)

    @property
    def id(self) -> str:
        return hmac.digest(self.value, b"heldout: which secret", "sha256").hex()[:16]

    def keyed(self, digest: str) -> str:
        """The keyed form of "sha256:...": "hmac-sha256:" and 64 hex digits."""
        return PREFIX + hmac.digest(self.value, digest.encode("ascii"), sha256).hex()

    def key(self, key: str, digest: str) -> str:
        """A key as it may be published: one derived from the input would give its digest away, so it is keyed too."""
        stem = digest.removeprefix(DIGEST_PREFIX)[:DERIVED_KEY_LENGTH]
        if not key.startswith(stem):
            return key
        return self.keyed(digest).removeprefix(PREFIX)[:DERIVED_KEY_LENGTH] + key[len(stem) :]
