"""heldout.yaml: every setting has a default, and nothing in it is ignored."""

from __future__ import annotations

from pathlib import Path

import pytest

from heldout.domain.method import DEFAULT_METHOD
from heldout.domain.settings import Settings
from heldout.errors import ConfigError
from heldout.storage.settings_file import parse_settings, read_settings
from heldout.storage.trees import FolderTree

DIGEST = "sha256:" + "0a" * 32


def test_a_project_without_the_file_has_the_defaults(tmp_path: Path) -> None:
    """As docs/formats.md lists them."""
    settings = read_settings(FolderTree(tmp_path))
    assert settings == Settings()
    assert settings.protected_branches == ("main", "master")
    assert settings.scan_on_commit
    assert settings.accept_methods == ()


@pytest.mark.parametrize("text", ["", "# nothing\n", "format: heldout/project@1\n", "scan: {}\n"])
def test_an_empty_file_is_no_file(text: str) -> None:
    assert parse_settings(text.encode()) == Settings()


@pytest.mark.req("A31")
def test_every_setting() -> None:
    text = f"""\
format: heldout/project@1
accept_methods: ["{DIGEST}"]
protected_branches: [main, "release/1"]
scan:
  on_commit: false
"""
    settings = parse_settings(text.encode())
    assert settings == Settings(
        accept_methods=(DIGEST,), protected_branches=("main", "release/1"), scan_on_commit=False
    )
    assert settings.accepts(DIGEST)
    assert settings.accepts(DEFAULT_METHOD.digest)
    assert not settings.accepts(DIGEST.replace("0", "1"))


def test_no_branch_may_be_protected() -> None:
    assert parse_settings(b"protected_branches: []\n").protected_branches == ()


@pytest.mark.parametrize(
    ("text", "slug", "field"),
    [
        ("format: heldout/project@2\n", "unknown-format", "format"),
        ("format: heldout/dataset@1\n", "unknown-format", "format"),
        ("protected_branch: [main]\n", "unknown-key", "protected_branch"),
        ("scan: {on_comit: true}\n", "unknown-key", "scan.on_comit"),
        ("scan: yes\n", "wrong-type", "scan"),
        ("scan:\n", "wrong-type", "scan"),
        ("scan: {on_commit: no}\n", "wrong-type", "scan.on_commit"),  # a text in YAML 1.2, as decision A49 keeps it
        ("protected_branches: main\n", "wrong-type", "protected_branches"),
        ("protected_branches: [1]\n", "wrong-type", "protected_branches"),
        ("accept_methods: [minhash_lsh_v1]\n", "wrong-type", "accept_methods"),
        ("accept_methods: sha256:00\n", "wrong-type", "accept_methods"),
        ("- main\n", "wrong-type", None),
        ("protected_branches: [main]\nprotected_branches: []\n", "duplicate-key", None),
    ],
)
def test_what_is_wrong_is_refused_with_its_field(text: str, slug: str, field: str | None) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_settings(text.encode())
    assert (caught.value.slug, caught.value.field, caught.value.file) == (slug, field, "heldout.yaml")


def test_a_slip_gets_a_suggestion() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_settings(b"protected_branch: [main]\n")
    assert caught.value.hint == "did you mean 'protected_branches'?"
