"""Bring files under Heldout: read all of them first, then copy, track with DVC and describe them.

`plan` decides and reads and writes nothing; `carry_out` writes. Between the two a person may still say no.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from heldout.domain.dataset import DataFile, DatasetSpec
from heldout.domain.intake import Arrival, Arrived, Intake
from heldout.domain.names import name_problem
from heldout.errors import ConfigError, DataError, HeldoutError, RepositoryError, UsageError
from heldout.services.checking.given_files import Given, GivenFiles, locate
from heldout.services.placing import Move, placed, same_bytes
from heldout.services.progress import SILENT, Progress
from heldout.services.proposing import Asked, Draft, draft, first_rows, with_split
from heldout.services.reading import Reading, declared_splits, read_version
from heldout.services.workspace import Workspace
from heldout.storage.catalog import FILE, ROOT, Catalog
from heldout.storage.dataset_file import append_data, parse_dataset, render_dataset
from heldout.storage.pointers import Output, Pointers
from heldout.storage.trees import FolderTree
from heldout.storage.working_files import FOLDER, local_folder, require_own_place, write_own_file


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asked for. `files` are (path as given, split or None); `reading` says how new files are read, its
    path apart."""

    name: str
    files: tuple[tuple[str, str | None], ...]
    reading: DataFile
    asked: Asked
    holdout: tuple[str, ...] = ()
    on_bad_row: str | None = None
    description: str | None = None

    def describes(self) -> bool:
        """Whether it says anything that a dataset.yaml says once for the whole dataset."""
        return bool(self.asked != Asked() or self.holdout or self.on_bad_row or self.description)


class Adviser(Protocol):
    """A person at a terminal, or nobody."""

    def input_column(self, reasons: Sequence[str], columns: Sequence[str]) -> str | None: ...

    def holdout(self, by_split: Mapping[str, int]) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Plan:
    """`moves` are the copies to make, `track` the paths DVC is given, `yaml` the bytes of dataset.yaml or None where
    it stays as it is, `read` the files that all this was read from."""

    intake: Intake
    moves: tuple[Move, ...]
    track: tuple[str, ...]
    yaml: bytes | None
    read: GivenFiles


@dataclass(frozen=True, slots=True)
class _Job:
    """A request in its repository: the folder it is about and the files it names."""

    workspace: Workspace
    request: Request
    given: tuple[Given, ...]
    progress: Progress
    data: GivenFiles = field(init=False)

    def __post_init__(self) -> None:
        places = {item.target: (item.place, item.shown) for item in self.given}
        object.__setattr__(self, "data", GivenFiles(places, self.folder, f"{ROOT}/{self.request.name}"))

    @property
    def folder(self) -> Path:
        return self.workspace.git.top / ROOT / self.request.name

    def read(self, spec: DatasetSpec) -> Reading:
        # What is kept outside is known by its digest: nothing here needs to read it.
        return read_version(replace(spec, payloads=None), "", self.data, keep_texts=False, progress=self.progress)

    def sample(self, item: DataFile, *, skip: bool) -> list:  # type: ignore[type-arg]
        return first_rows(self.data, item, (lambda _: None) if skip else None)


def plan(workspace: Workspace, request: Request, adviser: Adviser, progress: Progress = SILENT) -> Plan:
    """Decide what `request` means and read every row by it. Writes nothing.

    Raises DataError for a file or row that cannot be read, ConfigError for a broken dataset.yaml, UsageError (slugs
    bad-name, ambiguous-input, holdout-absent, dataset-exists, file-exists) for what cannot be done as asked,
    RepositoryError (slug not-initialised) without DVC.
    """
    _check_repository(workspace)
    _check_name(workspace.working_copy, request.name)
    folder = workspace.git.top / ROOT / request.name
    job = _Job(workspace, request, locate(request.files, folder), progress)
    if workspace.working_copy.has(request.name):
        return _plan_update(job)
    return _plan_new(job, adviser)


def carry_out(workspace: Workspace, made: Plan, progress: Progress = SILENT) -> str:
    """Copy, track and describe, or leave everything as it was; returns the source digest of the working copy.

    Raises DataError (slug changed-while-reading) when a file is not what was read any more, ConfigError (slug
    symbolic-link) where a folder on the way is a link.
    """
    top, described = workspace.git.top, f"{ROOT}/{made.intake.spec.name}/{FILE}"
    written = _written(workspace, made, described)
    progress.note(f"tracking {len(made.track)} file{'s' * (len(made.track) != 1)} with DVC")
    made.read.require_unchanged()
    with placed(top, made.moves, written):
        made.read.require_unchanged()  # the copies are of what was read
        workspace.store.add(made.track)
        if made.yaml is not None:
            write_own_file(top, described, made.yaml)
        return Catalog(FolderTree(top)).state(made.intake.spec.name).source


def _written(workspace: Workspace, made: Plan, described: str) -> list[Path]:
    """The small files that change beside the data, each in its place, as the data is: DVC may keep that as a link."""
    top = workspace.git.top
    if local_folder(workspace.git) is None:
        require_own_place(top, f"{FOLDER}/tmp")
    for move in made.moves:
        require_own_place(top, move.target.relative_to(top).as_posix(), itself=False)
    beside = [(f"{path}.dvc", f"{posixpath.dirname(path)}/.gitignore") for path in made.track]
    return [require_own_place(top, path) for path in (described, *(path for pair in beside for path in pair))]


# --- planning --------------------------------------------------------------------------------------------------------


def _check_repository(workspace: Workspace) -> None:
    if workspace.git.bare:
        raise RepositoryError("no-working-copy", "a bare repository has no working copy", hint="use a clone of it")
    if not workspace.store.is_initialised:
        raise RepositoryError("not-initialised", "this repository is not set up yet", hint="heldout init")


def _check_name(catalog: Catalog, name: str) -> None:
    problem = name_problem(name)
    if problem is None and name not in catalog.names:
        alike = next((other for other in catalog.names if other.lower() == name.lower()), None)
        problem = f"the dataset {alike!r} differs only in case" if alike else None
    if problem:
        raise UsageError("bad-name", f"{name!r} cannot name a dataset: {problem}", hint="heldout add my-data FILE...")


def _plan_new(job: _Job, adviser: Adviser) -> Plan:
    request = job.request
    skip = request.on_bad_row == "skip"
    items = [replace(request.reading, path=item.target, split=item.split) for item in job.given]
    samples = [job.sample(item, skip=skip) for item in items]
    if not any(samples):
        shown = job.given[0].shown
        raise DataError("no-examples", "there is no row in it", file=shown, hint="leave it out, or name another file")
    found = draft(items, samples, request.asked, adviser.input_column)
    base = DatasetSpec(
        request.name, (), description=request.description or "", on_bad_row=request.on_bad_row or "refuse"
    )
    spec, reading, found = _read_draft(job, base, found)
    spec = replace(spec, holdout=_holdout(spec, reading, request.holdout, adviser))
    return _finish(job, spec, reading, found.reasons, render_dataset(spec), created=True)


def _read_draft(job: _Job, base: DatasetSpec, found: Draft) -> tuple[DatasetSpec, Reading, Draft]:
    """Read everything by a draft; a proposed key or label that not every row has is given up, aloud."""
    while True:
        spec = replace(base, data=found.items, fields=found.fields)
        try:
            return spec, job.read(spec), found
        except DataError as error:
            part = _unfit_part(error, found)
            if part is None:
                raise
            found = found.without(part, str(error))


def _unfit_part(error: DataError, found: Draft) -> str | None:
    if error.slug in ("repeated-key", "bad-key") and "key" in found.proposed:
        return "key"
    if error.slug == "missing-column":
        parts = [part for part in ("expected", "key") if getattr(found.fields, part) == error.field]
        return next((part for part in parts if part in found.proposed), None)
    return None


def _holdout(spec: DatasetSpec, reading: Reading, asked: tuple[str, ...], adviser: Adviser) -> tuple[str, ...] | None:
    """The holdout to declare; None leaves it to the default names. Never guessed."""
    wanted = asked or (() if reading.holdout_splits else adviser.holdout(reading.by_split))
    known = {*reading.by_split, *declared_splits(spec)}
    for name in wanted:
        if name not in known:
            raise UsageError(
                "holdout-absent",
                f"no example is in the split {name!r}",
                hint=f"--holdout SPLIT, one of: {', '.join(sorted(known))}",
            )
    return tuple(dict.fromkeys(wanted)) or None


def _plan_update(job: _Job) -> Plan:
    """A dataset that exists keeps its dataset.yaml; files it does not list yet are added to it."""
    request = job.request
    spec = job.workspace.working_copy.spec(request.name)
    place = f"{ROOT}/{request.name}/{FILE}"
    if request.describes():
        raise UsageError(
            "dataset-exists",
            f"{request.name} is described by {place} already, and add does not rewrite that",
            hint=f"edit {place}; heldout add {request.name} FILE... updates or adds files",
        )
    new = [item for item in job.given if _listed(spec, item.target) is None]
    by_field = spec.fields.split is not None or any(item.split is None for item in spec.data)
    entries = []
    for item in new:
        entry = replace(request.reading, path=item.target, split=item.split)
        entries.append(with_split(entry, job.sample(entry, skip=spec.on_bad_row == "skip"), by_field=by_field))
    spec = replace(spec, data=(*spec.data, *entries))
    reading = job.read(spec)
    yaml = append_data((job.folder / FILE).read_bytes(), place, spec, entries) if entries else None
    return _finish(job, spec, reading, (), yaml, created=False)


def _finish(
    job: _Job, spec: DatasetSpec, reading: Reading, reasons: tuple[str, ...], yaml: bytes | None, *, created: bool
) -> Plan:
    if yaml is not None:
        # refuses what a dataset.yaml cannot say, before it is written
        parse_dataset(yaml, f"{ROOT}/{spec.name}/{FILE}")
    folder = f"{ROOT}/{spec.name}"
    arrived, moves = [], []
    for item in job.given:
        how = _arrival(job, item)
        arrived.append(Arrived(posixpath.join(folder, item.target), item.shown, how))
        if how in (Arrival.COPIED, Arrival.UPDATED):
            moves.append(Move(item.place, job.folder / item.target))
    track = dict.fromkeys(posixpath.join(folder, _listed(spec, item.target) or item.target) for item in job.given)
    intake = Intake(
        spec=spec,
        files=tuple(arrived),
        by_split=reading.by_split,
        reasons=reasons,
        skipped=reading.skipped,
        empty_splits=reading.empty_splits,
        created=created,
        described=yaml is not None,
    )
    return Plan(intake, tuple(moves), tuple(track), yaml, job.data)


def _listed(spec: DatasetSpec, target: str) -> str | None:
    """The path of dataset.yaml that a file belongs to: itself, or a folder of shards around it."""
    return next((path for path in spec.tracked_paths() if target == path or target.startswith(f"{path}/")), None)


def _arrival(job: _Job, item: Given) -> Arrival:
    """Raises ConfigError (slug data-in-git) and UsageError (slug file-exists) where the place is taken."""
    target = job.folder / item.target
    path = f"{ROOT}/{job.request.name}/{item.target}"
    if job.workspace.git.run("ls-files", "-z", "--", path):
        raise ConfigError(
            "data-in-git",
            "Git itself tracks this data file, and would keep every version of it for ever",
            file=path,
            hint=f"git rm -r --cached {path}, then heldout add again",
        )
    if item.place == target:
        return Arrival.IN_PLACE
    if not target.exists():
        return Arrival.COPIED
    if same_bytes(item.place, target):
        return Arrival.SAME
    output = _output(job.workspace, path)
    if output is None or not job.workspace.store.is_intact(output, target):
        what = "is not tracked by DVC" if output is None else "was edited since DVC saw it"
        raise UsageError(
            "file-exists",
            f"{path} differs from {item.shown} and {what}, so overwriting it would lose it",
            hint=f"move {path} away, or heldout add {job.request.name} {path} first",
        )
    return Arrival.UPDATED


def _output(workspace: Workspace, path: str) -> Output | None:
    try:
        output = Pointers(FolderTree(workspace.git.top)).output(path)
    except HeldoutError:
        return None
    return output if output.path == path else None
