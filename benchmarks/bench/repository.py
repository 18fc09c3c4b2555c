"""A repository with many frozen versions, written straight into Git: pointers and scan records, no data behind them."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.timing import run
from heldout.domain.canonical import digest_bytes
from heldout.domain.finding import Finding, Kind, Severity, Side, counts_of
from heldout.domain.method import DEFAULT_METHOD
from heldout.domain.record import Capped, Compared, Examples, ScanRecord
from heldout.storage.catalog import Catalog
from heldout.storage.finding_lines import render_findings
from heldout.storage.records import FINDINGS_FILE, RECORD_FILE, render_record

_SPEC = """\
format: heldout/dataset@1
name: {name}
description: Questions of customers, labelled by intent.
data:
- path: train.csv
  split: train
- path: test.csv
  split: test
fields:
  input: text
  expected: category
holdout:
- test
"""


@dataclass(frozen=True)
class _Files:
    """A file tree in memory."""

    files: Mapping[str, bytes]

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def paths(self, prefix: str = "", without: frozenset[str] = frozenset()) -> list[str]:
        inside = [path for path in self.files if not prefix or path == prefix or path.startswith(prefix + "/")]
        return sorted(path for path in inside if not without.intersection(path[len(prefix) :].split("/")[:-1]))


@dataclass
class History:
    """Commits of one branch as `git fast-import` reads them: each version is a commit with its record, and a tag."""

    datasets: int
    files: dict[str, bytes] = field(default_factory=dict)
    sources: list[tuple[str, str]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    stream: list[bytes] = field(default_factory=list)

    def start(self) -> None:
        for number in range(self.datasets):
            name = _name(number)
            self.files[f"datasets/{name}/dataset.yaml"] = _SPEC.format(name=name).encode()
            self.point(name, 0)
        self.files["README.md"] = b"A project.\n"
        self.commit("Start", self.files)

    def freeze(self, number: int) -> None:
        """The next version of one dataset after the other; it was compared with everything frozen before."""
        name = _name(number % self.datasets)
        changed = self.point(name, number + 1)
        source = Catalog(_Files(self.files)).state(name).source
        record = _record(name, source, self.sources)
        changed[f"{record.folder()}/{RECORD_FILE}"] = render_record(record)
        changed[f"{record.folder()}/{FINDINGS_FILE}"] = b""
        self.sources.append((name, source))
        tag = f"{name}@v1.{number // self.datasets}.0"
        self.commit(f"Change {name}", changed)
        self.stream.append(f"tag {tag}\nfrom refs/heads/main\ntagger {_WHO}data 3\nNew\n".encode())
        self.tags.append(tag)

    def point(self, name: str, number: int) -> dict[str, bytes]:
        changed = {}
        for file in ("train.csv", "test.csv"):
            md5 = hashlib.md5(f"{name}/{file}/{number}".encode(), usedforsecurity=False).hexdigest()
            pointer = f"outs:\n- md5: {md5}\n  size: {1000 + number}\n  hash: md5\n  path: {file}\n"
            changed[f"datasets/{name}/{file}.dvc"] = pointer.encode()
        self.files.update(changed)
        return changed

    def commit(self, message: str, changed: Mapping[str, bytes]) -> None:
        lines = [f"commit refs/heads/main\ncommitter {_WHO}data {len(message)}\n{message}\n".encode()]
        for path, data in changed.items():
            lines.append(f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
        self.stream.append(b"".join(lines))


_WHO = "Bench <bench@example.org> 1767225600 +0000\n"


def _name(number: int) -> str:
    return f"support-{number}"


def _record(name: str, source: str, compared: Iterable[tuple[str, str]]) -> ScanRecord:
    return ScanRecord(
        dataset=name,
        source=source,
        content=digest_bytes(source.encode()),
        method_id=DEFAULT_METHOD.id,
        method_digest=DEFAULT_METHOD.digest,
        method_parameters=DEFAULT_METHOD.parameters(),
        examples=Examples(total=1200, scanned=1200, by_split={"train": 1000, "test": 200}),
        holdout_splits=("test",),
        holdout_members=200,
        incomplete=(),
        compared=tuple(Compared(dataset, other) for dataset, other in compared),
        counts={**{kind.value: 0 for kind in Kind}, "holdout_contamination": 0},
        capped=Capped(),
        findings_digest=digest_bytes(b""),
        findings_lines=0,
    )


def many_versions(place: Path, env: Mapping[str, str], versions: int, datasets: int) -> list[str]:
    """Make the repository; the tags in the order in which they were frozen."""
    history = History(datasets)
    history.start()
    for number in range(versions):
        history.freeze(number)
    _write(history, place, env)
    return history.tags


def many_findings(place: Path, env: Mapping[str, str], count: int) -> str:
    """One frozen version whose record has this many findings, all of which give a held-out example away; its tag."""
    history = History(1)
    history.start()
    name = _name(0)
    changed = history.point(name, 1)
    source = Catalog(_Files(history.files)).state(name).source
    found = sorted((_finding(name, source, number) for number in range(count)), key=lambda item: item.sort_key())
    data = render_findings(found, [], [source])
    record = replace(
        _record(name, source, []),
        counts=counts_of(found),
        findings_digest=digest_bytes(data),
        findings_lines=count,
    )
    changed[f"{record.folder()}/{RECORD_FILE}"] = render_record(record)
    changed[f"{record.folder()}/{FINDINGS_FILE}"] = data
    history.commit("Freeze", changed)
    history.stream.append(f"tag {name}@v1.0.0\nfrom refs/heads/main\ntagger {_WHO}data 3\nNew\n".encode())
    _write(history, place, env)
    return f"{name}@v1.0.0"


def _finding(name: str, source: str, number: int) -> Finding:
    digest = digest_bytes(str(number).encode())
    held = Side(name, "test", f"h{number}", digest, held_out_in=(source,))
    return Finding(Kind.EXACT, Severity.BLOCK, held, Side(name, "train", f"t{number}", digest, open_in=(source,)))


def _write(history: History, place: Path, env: Mapping[str, str]) -> None:
    place.mkdir(parents=True)
    run(["git", "init", "-q"], cwd=place, env=env)
    run(["git", "fast-import", "--quiet"], cwd=place, env=env, stdin=b"".join(history.stream))
    run(["git", "reset", "-q", "--hard"], cwd=place, env=env)


def install_hooks(place: Path, env: Mapping[str, str]) -> None:
    code = (
        "import sys; from pathlib import Path; from heldout.storage.git import Git; "
        "from heldout.services.hooking.install import install; install(Git.discover(Path.cwd()), sys.executable)"
    )
    run([sys.executable, "-c", code], cwd=place, env=env)
