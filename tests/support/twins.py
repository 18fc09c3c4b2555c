"""The same commands in two copies of one repository, with our hooks and without any: what differs is our doing.

The copy without hooks says what Git alone would have made of the user's work, so no expectation is written by hand.
Only scan records, and the commits that hold nothing else, may differ.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from support.git import Repo
from support.story import Split, Team, csv

from heldout.services.hooking.install import install
from heldout.services.knowledge import knowledge_of
from heldout.services.recording import FOLLOW_UP_SUBJECT
from heldout.services.workspace import Workspace

SCANS = re.compile(r"datasets/.+/scans(/|$)")
ABSENCE_SAID = ("records are missing", "records were not committed", "was not scanned", "nothing was checked")


class QuickTeam(Team):
    """Its data enters the DVC cache by hand, byte for byte where `dvc add` would put it."""

    def track(self, *paths: str) -> None:
        for path in paths:
            self.point(path, self.path / path)
        self.git("add", "--all", "--sparse", "datasets")

    def point(self, path: str, data: Path) -> None:
        content = data.read_bytes()
        md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
        cached = self.cache / md5[:2] / md5[2:]
        cached.parent.mkdir(parents=True, exist_ok=True)
        cached.write_bytes(content)
        name = path.rpartition("/")[2]
        self.write(f"{path}.dvc", f"outs:\n- md5: {md5}\n  size: {len(content)}\n  hash: md5\n  path: {name}\n")
        ignore = self.path / path.rpartition("/")[0] / ".gitignore"
        lines = set(ignore.read_text().splitlines() if ignore.exists() else ()) | {f"/{name}"}
        ignore.write_text("".join(f"{line}\n" for line in sorted(lines)))

    @property
    def cache(self) -> Path:
        return Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir")).parent / ".dvc/cache/files/md5"


@dataclass(frozen=True)
class View:
    """What belongs to the user: the index, the status, the files on disk, HEAD's files, the subjects of history."""

    status: list[str]
    index: list[str]
    disk: Mapping[str, bytes]
    files: list[str]
    subjects: list[str]
    stashes: list[str]


@dataclass
class Twins:
    """`ours` has the hooks, `bare` none. Every command is given to both and has to end in the same way."""

    ours: QuickTeam
    plain: QuickTeam
    said: str = field(default="")

    @classmethod
    def copied(cls, template: Path, base: Path, python: str = sys.executable) -> Twins:
        shutil.copytree(template, base / "ours", symlinks=True)
        shutil.copytree(template, base / "plain", symlinks=True)
        twins = cls(QuickTeam(base / "ours/work"), QuickTeam(base / "plain/work"))
        install(twins.ours.door, python)
        return twins

    @property
    def both(self) -> tuple[QuickTeam, QuickTeam]:
        return (self.ours, self.plain)

    def at(self, path: str) -> Twins:
        """The same for another working tree beside or below: a linked one, a clone, a submodule."""
        return Twins(*(QuickTeam((team.path / path).resolve()) for team in self.both))

    def git(self, *arguments: str, stdin: str = "", env: dict[str, str] | None = None, ends: int | None = 0) -> str:
        """The output of `git` with our hooks (both streams). `ends` None: however, but both alike."""
        codes, outputs = [], []
        for team in self.both:
            done = team.run(*arguments, stdin=stdin, env=env)
            codes.append(done.returncode)
            outputs.append(done.stdout + done.stderr)
        assert codes[0] == codes[1], f"git {' '.join(arguments)} ends with {codes}:\n{outputs[0]}\n---\n{outputs[1]}"
        assert ends is None or codes[0] == ends, f"git {' '.join(arguments)}: {codes[0]}\n{outputs[0]}"
        self.said += outputs[0]
        return outputs[0]

    def write(self, path: str, content: str | bytes) -> None:
        for team in self.both:
            team.write(path, content)

    def dataset(self, name: str, *, stage: bool = True, **splits: Split) -> None:
        for team in self.both:
            team.dataset(name, **splits)
            if not stage:
                team.git("reset", "-q")

    def edit(self, path: str, examples: Split) -> None:
        """Change a data file and its pointer, and stage nothing."""
        for team in self.both:
            team.point(path, team.write(path, csv(examples)))

    def untouched(self, *, recorded: bool | None = True, left_staged: bool = False) -> None:
        """The user's work is what Git alone makes of it, the repository is sound, and every record is whole.

        recorded: True, HEAD's datasets have their records; False, they lack some and that was said; None, no matter.
        """
        theirs, mine = view(self.plain), view(self.ours)
        if left_staged:
            mine.status[:] = [row for row in mine.status if not SCANS.search(row[3:])]
        assert mine.status == theirs.status
        assert mine.index == theirs.index
        assert mine.disk == theirs.disk
        assert mine.files == theirs.files
        assert mine.subjects == theirs.subjects
        assert mine.stashes == theirs.stashes
        sound(self.ours)
        if recorded is not None:
            missing = lacking(self.ours)
            assert bool(missing) is not recorded, f"{missing}\n{self.said}"
            assert recorded or any(words in self.said for words in ABSENCE_SAID), self.said


def view(team: Repo) -> View:
    """Scan records, and the commits that hold nothing else, are left out; in the status they stay: none is dirty."""
    index = [row for row in _rows(team, "ls-files", "-s", "-z") if not SCANS.match(row.partition("\t")[2])]
    files = [row for row in _rows(team, "ls-tree", "-r", "-z", "HEAD") if not SCANS.match(row.partition("\t")[2])]
    subjects = team.run("log", "--format=%s").stdout.splitlines()
    return View(
        _rows(team, "status", "--porcelain", "-z", "--untracked-files=all"),
        index,
        disk(team.path),
        files,
        [subject for subject in subjects if subject != FOLLOW_UP_SUBJECT],
        team.run("stash", "list", "--format=%gs").stdout.splitlines(),
    )


def _rows(team: Repo, *arguments: str) -> list[str]:
    return [row for row in team.run(*arguments).stdout.split("\0") if row]


def disk(top: Path) -> dict[str, bytes]:
    """Every file below a working tree that is neither Git's nor DVC's nor ours."""
    found = {}
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name not in (".git", ".heldout") and not _is_dvcs(folder, name)]
        for name in names:
            file = Path(folder) / name
            path = file.relative_to(top).as_posix()
            if name != ".git" and not SCANS.match(path):
                found[path] = os.readlink(file).encode() if file.is_symlink() else file.read_bytes()
    return found


def _is_dvcs(folder: str, name: str) -> bool:
    return folder.endswith(".dvc") and name in ("cache", "tmp")


def sound(team: Repo) -> None:
    """No lock, index, folder or file of ours was left behind, Git's store is whole, and so is every record."""
    common = Path(team.git("rev-parse", "--path-format=absolute", "--git-common-dir"))
    names = [path.relative_to(common).as_posix() for path in common.rglob("*") if "objects" not in path.parts]
    stray = [name for name in names if name.endswith(".lock") or re.search(r"(^|/)(heldout-|tmp_|next-index)", name)]
    assert stray == []
    if team.git("rev-parse", "--is-bare-repository") == "false":
        aside = [path for path in team.path.rglob("*") if re.search(r"scans/.*(\.tmp|\.part|heldout-)", str(path))]
        assert aside == []
    checked = team.run("fsck", "--no-dangling", "--no-progress")
    assert (checked.returncode, checked.stdout) == (0, ""), checked.stdout + checked.stderr
    if team.run("rev-parse", "-q", "--verify", "HEAD").returncode == 0:
        whole_records(team, "HEAD")
    whole_records(team, "")


def whole_records(team: Repo, treeish: str) -> None:
    """In a commit, or (empty treeish) the index: each record has its findings, and they are those it names."""
    rows = _rows(team, "ls-tree", "-r", "-z", treeish) if treeish else _rows(team, "ls-files", "-s", "-z")
    place = 2 if treeish else 1  # mode, type, id; mode, id, stage
    oids = {path: head.split(" ")[place] for head, _, path in (row.partition("\t") for row in rows)}
    records = {path: oid for path, oid in oids.items() if SCANS.match(path)}
    blobs = team.door.read_blobs(records.values())
    for path, oid in records.items():
        folder = path.rpartition("/")[0]
        assert {f"{folder}/scan.yaml", f"{folder}/findings.jsonl"} <= records.keys(), (
            f"{treeish}: half a record: {path}"
        )
        if path.endswith("/scan.yaml"):
            findings = blobs[records[f"{folder}/findings.jsonl"]]
            assert f"sha256:{hashlib.sha256(findings).hexdigest()}".encode() in blobs[oid]


def lacking(team: Repo, commit: str = "HEAD") -> list[str]:
    """Datasets of a commit whose content has no record in that commit."""
    workspace = Workspace(team.door)
    tree = workspace.tree(commit)
    recorded = knowledge_of(workspace.git, (), [tree], workspace.settings)
    catalog = workspace.catalog(workspace.git.require_commit(commit))
    return [name for name in catalog.names if not recorded.scans_of(catalog.state(name).source)]
