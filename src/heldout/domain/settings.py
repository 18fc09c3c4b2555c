"""Project settings: heldout.yaml. Every setting has a default, and a project without the file has all of them."""

from __future__ import annotations

from dataclasses import dataclass

from heldout.domain.method import DEFAULT_METHOD, Method


@dataclass(frozen=True, slots=True)
class Settings:
    """`accept_methods` are digests of methods whose records still count while a project changes method; contaminated
    under any of them is contaminated. `protected_branches` are those that a contaminated dataset may not be pushed to.
    """

    method: Method = DEFAULT_METHOD
    accept_methods: tuple[str, ...] = ()
    protected_branches: tuple[str, ...] = ("main", "master")
    scan_on_commit: bool = True

    def accepts(self, method_digest: str) -> bool:
        return method_digest == self.method.digest or method_digest in self.accept_methods
