"""A repository may hold symbolic links that lead out of it: nothing of ours is written through one."""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.cli import Ran, heldout, snapshot
from support.dvc import dvc_repository
from support.git import Repo
from support.story import csv, nearly, rows, sentence
from support.twins import QuickTeam

TRAIN = {**rows("t", 6), "leak": nearly("h0")}
TEST = rows("h", 3)
V1 = "support@v1.0.0"
SLICE = "datasets/support/slices/short.yaml"


@pytest.fixture(scope="session")
def linked_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`support` with a near duplicate in a version, a held-out edit after it, and a slice."""
    base = tmp_path_factory.mktemp("links")
    Repo.create_bare(base / "origin.git")
    team = QuickTeam(dvc_repository(base / "work"))
    team.write(".gitattributes", "datasets/**/scans/** -text\ncorpora/**/scans/** -text\n")
    team.write(".gitignore", "/.heldout/\n")
    team.write("dvc.yaml", "artifacts: {}\n")
    team.git("add", "--all")
    team.install()
    team.dataset("support", train=TRAIN, test=TEST)
    team.save("Add support")
    team.git("tag", "-a", V1, "-m", "first")
    team.git("remote", "add", "origin", "../origin.git")
    team.bypass("push", "-q", "-u", "origin", "main")
    team.dataset("support", train=TRAIN, test={**TEST, "h1": sentence("other")})
    team.save("Edit h1")
    assert heldout(team.path, "slice", "new", "support", "short", "--where", "split eq train").code == 0
    for name in ("more.csv", "crawl.jsonl"):
        (base / name).write_text(csv(rows("m", 4)) if name == "more.csv" else '{"text": "one two"}\n')
    team.git("add", "--all", "datasets")
    team.save("Slice")
    shutil.rmtree(team.path / ".heldout", ignore_errors=True)
    return base


@dataclass(frozen=True)
class Trap:
    """A clone in which `link` leads to a folder or file beside it."""

    team: QuickTeam
    outside: Path

    def set(self, link: str, *, folder: bool, tracked: bool = True) -> None:
        place = self.team.path / link
        if os.path.lexists(place):
            shutil.rmtree(place) if place.is_dir() else place.unlink()
        target = self.outside if folder else self.outside / "file"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(os.path.relpath(target, place.parent))
        if tracked:
            self.team.git("add", "--all", "--force", "--", link)
            self.team.bypass("commit", "-q", "-m", "Trap")

    def run(self, *arguments: str) -> Ran:
        return heldout(self.team.path, *arguments)

    def untouched(self) -> bool:
        return snapshot(self.outside) == {"file": b"theirs\n", "folder/file": b"theirs\n"}


@pytest.fixture
def trap(linked_template: Path, tmp_path: Path) -> Trap:
    shutil.copytree(linked_template, tmp_path / "clone", symlinks=True)
    outside = tmp_path / "outside"
    (outside / "folder").mkdir(parents=True)
    for name in ("file", "folder/file"):
        (outside / name).write_text("theirs\n")
    return Trap(QuickTeam(tmp_path / "clone/work"), outside)


FOLDERS = {
    "decision": ("datasets/support/reviews", "review accept LEAK --reason known"),
    "committed decision": ("datasets/support/reviews", "review accept LEAK --reason known --commit"),
    "approval": ("datasets/support/reviews", "changes approve support --reason right --base origin/main"),
    "slice": ("datasets/support/slices", "slice new support long --where 'split eq test'"),
    "record": ("datasets/support/scans", "scan support@HEAD"),
    "committed record": ("datasets/support/scans", "scan support@HEAD --commit"),
    "exposure's check": ("datasets/support/scans", "expose support --how prompt --note shown"),
    "committed exposure": ("datasets/support/scans", "expose support --how prompt --note shown --commit"),
    "corpus": ("corpora", "corpus scan ../crawl.jsonl --against " + V1),
    "committed corpus": ("corpora", f"corpus scan ../crawl.jsonl --against {V1} --commit"),
    "retirement": ("datasets/support/reviews", "retire " + V1 + " --reason old"),
    "new dataset": ("datasets/fresh", "add fresh ../more.csv=test --yes"),
    "scratch": (".heldout", "add fresh ../more.csv=test --yes"),
}
FILES = {
    "log": ("datasets/support/exposures.jsonl", "expose support --how prompt --note shown"),
    "canary": ("datasets/support/canary.yaml", "canary new support"),
    "lock": ("datasets/support/split.lock", "split lock support"),
    "artifacts": ("dvc.yaml", "export support --as dvc-artifacts --write"),
    "attributes": (".gitattributes", "init"),
    "ignored": (".gitignore", "init"),
}


@pytest.mark.parametrize(("link", "command"), FOLDERS.values(), ids=FOLDERS)
def test_a_folder_that_is_a_link(trap: Trap, link: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if command.startswith("changes approve"):  # never one's own
        monkeypatch.setenv("GIT_COMMITTER_EMAIL", "bob@example.org")
    _refused(trap, link, command, folder=True)


@pytest.mark.parametrize(("link", "command"), FILES.values(), ids=FILES)
def test_a_file_that_is_a_link(trap: Trap, link: str, command: str) -> None:
    _refused(trap, link, command, folder=False)


def _refused(trap: Trap, link: str, command: str, *, folder: bool) -> None:
    listed = trap.run("findings", V1, "--json").json["findings"]
    leak = next(item["id"] for item in listed)
    trap.set(link, folder=folder)
    before, head = trap.team.status(), trap.team.head()
    ran = trap.run(*shlex.split(command.replace("LEAK", leak)))
    assert ran.code == 2, ran
    assert "symbolic-link" in ran.err
    assert link in ran.err
    assert trap.untouched()
    assert (trap.team.status(), trap.team.head()) == (before, head)


@pytest.mark.parametrize("link", [".heldout", ".heldout/cache", ".heldout/log", ".heldout/.gitignore"])
def test_a_cache_that_leads_out_is_no_cache(trap: Trap, link: str) -> None:
    trap.set(link, folder="." not in link[1:])
    assert trap.run("scan", "support@HEAD").code == 1
    assert trap.run("corpus", "scan", "../crawl.jsonl", "--against", V1).code == 0
    assert trap.untouched()


@pytest.mark.parametrize("link", ["datasets/support/scans", "datasets/support/slices", ".heldout"])
def test_a_commit_goes_through_and_says_what_is_missing(trap: Trap, link: str) -> None:
    trap.set(link, folder=True)
    trap.team.dataset("support", train={**TRAIN, "t9": sentence("t9")}, test=TEST)
    said = trap.team.save("Add t9")
    assert "Traceback" not in said
    assert "defect" not in said
    assert trap.untouched()
    lacking = f"heldout: support was not scanned: {link} is a symbolic link"
    assert (lacking in said) is (link == "datasets/support/scans")
    assert trap.team.answer("support@HEAD")["verdict"] == ("unknown" if lacking in said else "contaminated")


def test_a_folder_replaced_by_a_link_on_disk_alone(trap: Trap) -> None:
    """The index still has the slice: a commit records its definition, and the copy behind the link stays as it is."""
    slices = trap.team.path / "datasets/support/slices"
    text = (slices / "short.yaml").read_text().replace("train", "test", 1)
    (trap.outside / "short.yaml").write_text(text)
    trap.team.write("datasets/support/slices/short.yaml", text)
    trap.team.git("add", "datasets/support/slices")
    trap.set("datasets/support/slices", folder=True, tracked=False)
    trap.team.save("Change the slice")
    assert "number: 2" in trap.team.show("HEAD:datasets/support/slices/short.yaml")
    assert (trap.outside / "short.yaml").read_text() == text


def test_what_a_person_sets_up_goes_on_working(trap: Trap) -> None:
    """The repository behind a link, a cache on another disk, data as links into DVC's cache, and files written where
    somebody says."""
    behind = trap.outside.parent / "behind"
    behind.symlink_to(trap.team.path, target_is_directory=True)
    team = QuickTeam(behind)
    trap.set(".heldout", folder=True, tracked=False)
    data = team.path / "datasets/support/train.csv"
    kept = trap.outside.parent / "object"
    data.rename(kept)
    data.symlink_to(kept)
    for command in (
        "scan support@HEAD --commit",
        "add support ../more.csv=train --yes",
        "add support datasets/support/train.csv",
        "canary new support",
        f"export {V1} --as hf-card -o {trap.outside}/card.md",
    ):
        ran = heldout(team.path, *shlex.split(command))
        assert ran.code in (0, 1), ran
    assert (trap.outside / "card.md").is_file()
    assert (trap.outside / "cache").is_dir()


def test_a_cache_that_came_with_the_repository_is_not_believed(trap: Trap) -> None:
    """Its checksums have no key: whoever commits it can say there that nothing is alike."""
    team = trap.team
    alone = trap.run("scan", "support@HEAD", "--json")
    kept = [path for path in (team.path / ".heldout/cache").rglob("*") if path.is_file() and path.name != ".gitignore"]
    assert kept
    for path in kept:
        path.write_bytes(b"nothing is alike")
    damaged = trap.run("scan", "support@HEAD", "--json")
    assert "damaged" in damaged.err  # of this machine's own: said, and made again
    for path in kept:
        path.write_bytes(b"nothing is alike")
    team.git("add", "--all", "--force", "--", ".heldout")
    team.bypass("commit", "-q", "-m", "Bring a cache")
    before = snapshot(team.path / ".heldout")
    foreign = trap.run("scan", "support@HEAD", "--json")
    assert (foreign.code, foreign.json, foreign.err) == (alone.code, alone.json, alone.err)
    assert snapshot(team.path / ".heldout") == before
