"""Where in the checked-out repository an answer points: the committed line that says it, or the pointer of its data.

A report is read beside files that a reader can open: the line of a record's findings.jsonl where HEAD has that record,
else the .dvc file of the data. Records of other branches and tags are named by their own path.
"""

from __future__ import annotations

import re
from functools import cached_property

from heldout.domain.finding import Finding, Side
from heldout.domain.kind import CORPUS, EXPOSURE, LOCK, PROMPT, is_no_dataset
from heldout.domain.names import split_tag
from heldout.domain.reporting import Location
from heldout.services.workspace import Workspace, readable_state
from heldout.storage.catalog import FILE, ROOT
from heldout.storage.git.trees import GitTree
from heldout.storage.people.exposure_log import log_path
from heldout.storage.records import FINDINGS_FILE
from heldout.storage.settings_file import FILE as SETTINGS
from heldout.storage.splitting.lock_file import FILE as LOCK_FILE

_LINE = re.compile(r"(.+):([1-9][0-9]*)", re.DOTALL)


class Places:
    """Locations of one repository; `subject` is the source whose own record is preferred."""

    def __init__(self, workspace: Workspace, subject: str | None = None) -> None:
        self._workspace = workspace
        self._subject = subject

    def finding(self, finding: Finding) -> Location:
        """The line of a record that HEAD has, else the data's pointer. What is found by a corpus, a log, a lock or a
        prompt points into that one's file."""
        for held, other in ((finding.a, finding.b), (finding.b, finding.a)):
            if is_no_dataset(other.dataset):
                return self._elsewhere(held, other)
        number = self._lines.get(int(finding.id, 16))
        if number is None:
            return self.data(finding.a.dataset, finding.a.split)
        scan, line = divmod(number, _MOST)
        path, at_head = self._files[scan]
        if at_head or (pointer := self._pointer(finding.a.dataset, finding.a.split)) is None:
            return Location(path, line)
        return Location(pointer, 1)

    def _elsewhere(self, held: Side, other: Side) -> Location:
        if other.dataset == EXPOSURE:
            return Location(log_path(held.dataset), int(other.key.removeprefix("line ")))
        if other.dataset == LOCK:
            return Location(f"{ROOT}/{held.dataset}/{LOCK_FILE}", 1)
        if other.dataset == PROMPT:
            return self.problem(other.key)
        return self._corpus_lines.get((other.dataset, held.identity())) or self.data(held.dataset, held.split)

    def data(self, dataset: str, split: str | None = None) -> Location:
        """The pointer of a dataset's data, of the file that is the split where one is; else its description."""
        pointer = self._pointer(dataset, split)
        return Location(pointer or f"{ROOT}/{dataset}/{FILE}", 1)

    def top(self) -> Location:
        """Of what is about all datasets."""
        names = self._workspace.catalog("HEAD").names if self._head is not None else ()
        return Location(f"{ROOT}/{names[0]}/{FILE}" if names else SETTINGS, 1)

    def problem(self, place: str) -> Location:
        """Of what verify names: a file, a file and line, a folder of a dataset, or a version."""
        if self._head is not None and place.startswith(f"{ROOT}/") and self._head.folder(place) is not None:
            return self.data(place.removeprefix(f"{ROOT}/"))
        if (match := _LINE.fullmatch(place)) is not None:
            return Location(match[1], int(match[2]))
        version = split_tag(place)
        return Location(place, 1) if version is None else self.data(version[0])

    @cached_property
    def _head(self) -> GitTree | None:
        head = self._workspace.git.head()
        return None if head is None else self._workspace.tree(head)

    @cached_property
    def _files(self) -> list[tuple[str, bool]]:
        """findings.jsonl of each scan in the order of `_scans`, and whether HEAD has it."""
        return [
            (f"{folder}/{FINDINGS_FILE}", self._head is not None and self._head.folder(folder) is not None)
            for folder in (scan.record.folder() for scan in self._workspace.knowledge().scans)
        ]

    @cached_property
    def _lines(self) -> dict[int, int]:
        """Scan and line of each finding's id as one number: a million of them are as many small objects as that."""
        scans = self._workspace.knowledge().scans
        order = sorted(
            range(len(scans)), key=lambda n: (not self._files[n][1], scans[n].record.source != self._subject)
        )
        found: dict[int, int] = {}
        for number in order:
            for line, finding in enumerate(scans[number].findings, 1):
                found.setdefault(int(finding.id, 16), number * _MOST + line)
        return found

    @cached_property
    def _corpus_lines(self) -> dict[tuple[str, tuple[str, ...]], Location]:
        cover = self._workspace.knowledge().corpora
        found: dict[tuple[str, tuple[str, ...]], Location] = {}
        for item in cover.evidence if cover is not None else ():
            path = f"{item.record.folder()}/{FINDINGS_FILE}"
            for line, finding in enumerate(item.findings, 1):
                found.setdefault((CORPUS + finding.corpus, finding.held.identity()), Location(path, line))
        return found

    def _pointer(self, dataset: str, split: str | None) -> str | None:
        if self._head is None:
            return None
        key = dataset, split
        if key not in self._pointers:
            self._pointers[key] = self._find_pointer(dataset, split)
        return self._pointers[key]

    @cached_property
    def _pointers(self) -> dict[tuple[str, str | None], str | None]:
        return {}

    def _find_pointer(self, dataset: str, split: str | None) -> str | None:
        assert self._head is not None
        catalog = self._workspace.catalog(self._workspace.git.require_commit("HEAD"))
        state = readable_state(catalog, dataset) if dataset in catalog.names else None
        if state is None or not state.outputs:
            return None
        held = [split] if split is not None else [*state.spec.holdout_names()]
        paths = [state.repo_path(item.path) for item in state.spec.data if item.split in held]  # or it is a rule
        return next((output.pointer for output in state.outputs if output.path in paths), state.outputs[0].pointer)


_MOST = 1 << 32  # lines of one file
