"""Signed versions: by whom is settled by the branch that was agreed on, never by the change to be checked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from story.conftest import copy
from support.cli import Ran, heldout
from support.story import Team, rows
from tampering.conftest import TEST, TRAIN, V1
from tampering.test_server import push_past_hooks, serve

NEW = "support@v1.1.0"
SIGNERS = ".allowed_signers"


def key(team: Team, name: str) -> Path:
    """A new key pair of SSH, and how a line of the allowed signers names it."""
    file = team.path.parent / f"{name}.key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)
    return file


def allowed(file: Path, who: str = "test@example.org") -> str:
    return f'{who} namespaces="git" {file.with_suffix(".key.pub").read_text()}'


def sign(team: Team, file: Path, tag: str, *arguments: str) -> None:
    team.git("-c", "gpg.format=ssh", "-c", f"user.signingkey={file}", "tag", "-s", "-m", "signed", tag, *arguments)


@pytest.fixture(scope="module")
def agreed_template(frozen_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """main names one allowed key; a later state of the dataset waits to be frozen."""
    base = tmp_path_factory.mktemp("agreed")
    team = copy(frozen_template, base)
    team.add(SIGNERS, allowed(key(team, "maintainer")))
    team.commit("Who may sign")
    team.dataset("support", train={**TRAIN, **rows("u", 2)}, test=TEST)
    team.save("More training data")
    team.push_data()
    assert team.push("main").code == 0
    team.dataset("support", train={**TRAIN, **rows("u", 3)}, test=TEST)
    team.save("Even more")
    return base


@pytest.fixture
def agreed(agreed_template: Path, tmp_path: Path) -> Team:
    return copy(agreed_template, tmp_path)


def maintainer(team: Team) -> Path:
    file = team.path.parent / "maintainer.key"
    file.chmod(0o600)
    return file


def signed(team: Team, *options: str) -> Ran:
    return heldout(team.path, "verify", "--json", "--require-signed", *options)


def unsigned(ran: Ran) -> dict[str, tuple[str, str]]:
    """Level and reason by version."""
    return {
        item["place"]: (item["level"], item["text"]) for item in ran.json["problems"] if item["slug"] == "not-signed"
    }


def test_signed_by_an_allowed_key(agreed: Team) -> None:
    sign(agreed, maintainer(agreed), NEW)
    ran = signed(agreed)
    assert ran.code == 0, ran.out
    # the first version was frozen before anybody signed: told, and no pull request's fault
    assert unsigned(ran) == {V1: ("reported", "is not signed")}
    assert unsigned(signed(agreed, "--all")) == {V1: ("failed", "is not signed")}


def test_unsigned_lightweight_and_foreign_keys(agreed: Team) -> None:
    agreed.git("tag", "-a", NEW, "-m", "no signature")
    agreed.git("tag", "support@v1.2.0")
    sign(agreed, key(agreed, "stranger"), "support@v1.3.0")
    ran = signed(agreed)
    assert ran.code == 1
    found = unsigned(ran)
    del found[V1]
    assert found == {
        NEW: ("failed", "is not signed"),
        "support@v1.2.0": ("failed", "is a lightweight tag, which nobody can sign"),
        "support@v1.3.0": ("failed", "is signed by nobody who is allowed to"),
    }
    assert heldout(agreed.path, "verify").code == 0, "signatures are asked for only when asked"


def test_a_change_cannot_allow_its_own_author(agreed: Team) -> None:
    stranger = key(agreed, "stranger")
    agreed.add(SIGNERS, allowed(stranger))
    agreed.commit("Me too")
    agreed.git("config", "gpg.ssh.allowedSignersFile", SIGNERS)
    sign(agreed, stranger, NEW)
    assert unsigned(signed(agreed))[NEW] == ("failed", "is signed by nobody who is allowed to")
    assert unsigned(signed(agreed, "--base", "origin/main"))[NEW][0] == "failed"


def test_a_signature_is_of_the_name_too(agreed: Team) -> None:
    """The object is genuine, and speaks of another version."""
    sign(agreed, maintainer(agreed), NEW)
    agreed.git("update-ref", "refs/tags/support@v2.0.0", agreed.git("rev-parse", NEW))
    ran = signed(agreed)
    assert ran.code == 1
    assert ("support@v2.0.0", "version-misnamed") in {(item["place"], item["slug"]) for item in ran.json["problems"]}


def test_an_edited_signed_tag(agreed: Team) -> None:
    sign(agreed, maintainer(agreed), NEW)
    text = agreed.git("cat-file", "tag", NEW)
    edited = text.replace(agreed.git("rev-parse", "HEAD"), agreed.git("rev-parse", "HEAD^"), 1)
    agreed.git("update-ref", f"refs/tags/{NEW}", agreed.git("mktag", stdin=edited + "\n"))
    assert unsigned(signed(agreed, "--base", "HEAD~2"))[NEW] == ("failed", "is signed by nobody who is allowed to")


def test_a_file_outside_the_repository_is_this_machines(agreed: Team, tmp_path: Path) -> None:
    stranger = key(agreed, "stranger")
    file = tmp_path / "signers"
    file.write_text(allowed(stranger))
    agreed.git("config", "gpg.ssh.allowedSignersFile", str(file))
    sign(agreed, stranger, NEW)
    assert signed(agreed).code == 0


def test_nobody_is_known(frozen: Team) -> None:
    ran = signed(frozen)
    assert ran.code == 2
    assert ran.json["error"] == "no-allowed-signers"
    assert heldout(frozen.path, "verify", "--allowed-signers", "nowhere").code == 2


def test_a_server_asks_for_signatures(agreed: Team) -> None:
    serve(agreed, "--data", "../store", "--require-signed")
    agreed.git("tag", "-a", NEW, "-m", "no signature")
    refused = push_past_hooks(agreed, "main", NEW)
    assert refused.code != 0
    assert f"{NEW}: is not signed [not-signed]" in refused.err
    # a push that brings its own signers is judged by those that were there
    stranger = key(agreed, "stranger")
    agreed.add(SIGNERS, allowed(stranger))
    agreed.commit("Me too")
    sign(agreed, stranger, NEW, "-f")
    assert "is signed by nobody who is allowed to" in push_past_hooks(agreed, "main", NEW).err
    sign(agreed, maintainer(agreed), NEW, "-f")
    arrived = push_past_hooks(agreed, "main", NEW)
    assert arrived.code == 0, str(arrived)
