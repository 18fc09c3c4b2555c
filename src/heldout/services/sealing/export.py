"""`heldout signatures export`: what may be known of a sealed holdout where its texts may not be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from heldout.domain.exposing.exposure import How
from heldout.domain.method import Method
from heldout.domain.sealing.keyed import LEAST_BYTES, Secret
from heldout.domain.sealing.sealed import SignatureInfo
from heldout.errors import DataError, RepositoryError, UsageError
from heldout.matching.published import PLANES, distinct_shingles, publish
from heldout.matching.texts import normalise_batch
from heldout.services.exposing.exports import record_export
from heldout.services.matching.near_method import near_parameters
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import Reading
from heldout.services.scanner import Scanner
from heldout.services.workspace import Located, Workspace
from heldout.storage.catalog import FILE as DATASET_FILE
from heldout.storage.dataset_file import parse_dataset
from heldout.storage.new_files import write_new
from heldout.storage.signature_file import FILE, Published, render_signatures
from heldout.storage.working_files import require_own_place, write_data_file, write_own_file

_BLOCK: Final = 1 << 14  # texts signed at a time


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """`output` None stands for the dataset's own file, which DVC then tracks. `note` says what for, in the log."""

    subject: str
    output: Path | None = None
    all_splits: bool = False
    digests_only: bool = False
    secret: Secret | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written, and where. `declared` says that dataset.yaml was given the line that names it."""

    subject: str
    path: str
    info: SignatureInfo
    size: int
    tracked: bool = False
    declared: bool = False
    changed: bool = True


def read_secret(path: Path, workspace: Workspace | None = None) -> Secret:
    """A file's bytes without the line end.

    Raises UsageError: no-such-file, weak-secret, or secret-in-git for one that Git would hand to everybody.
    """
    try:
        value = path.read_bytes().rstrip(b"\r\n")
    except OSError as error:
        message = f"--secret-file {path}: {error.strerror or error}"
        raise UsageError("no-such-file", message, hint="openssl rand -hex 32 > secret") from None
    if len(value) < LEAST_BYTES:
        message = f"--secret-file {path}: {len(value)} bytes are too few: whoever tries enough of them finds it"
        raise UsageError("weak-secret", message, hint="openssl rand -hex 32 > secret")
    if workspace is not None and workspace.git.line("ls-files", "--error-unmatch", "--", str(path.absolute())):
        message = f"--secret-file {path}: Git tracks this file, so everybody who can clone has it"
        raise UsageError("secret-in-git", message, hint="make a new secret, and keep it outside the repository")
    return Secret(value)


def export(workspace: Workspace, request: ExportRequest, progress: Progress = SILENT) -> Exported:
    """Write the signatures of a subject's held-out examples. Everything is read before anything is written.

    Raises MissingDataError where the data cannot be read here, DataError (slug signatures-incomplete) where a held-out
    text is in no store, UsageError (slug holdout-absent) where nothing is held out.
    """
    located = workspace.find(request.subject)
    if located.commit is None and (edited := workspace.store.edited(located.state.outputs)):
        message = f"{edited[0].path} was edited since DVC saw it: its signatures would be those of no known content"
        raise RepositoryError("uncommitted-changes", message, hint=f"dvc add {edited[0].path}")
    method = workspace.settings.method
    reading = Scanner(workspace, fetch=True, progress=progress).reading(located.state, located.commit)
    progress.stage(f"signing {located.state.name}")
    published = published_of(reading, method, request)
    members = ((item.split, item.key) for item in reading.members)
    record_export(workspace, request.subject, members, How.EXPORT, request.note, progress)
    data = render_signatures(published, method)
    if request.output is not None:
        changed = _differs(request.output, data)
        if changed:
            write_new(request.output, data)
        return Exported(request.subject, str(request.output), published.info, len(data), changed=changed)
    return _tracked(workspace, located, Exported(request.subject, "", published.info, len(data)), data)


def published_of(reading: Reading, method: Method, request: ExportRequest) -> Published:
    """A function of the content, the method and what was asked for."""
    spec = reading.spec
    chosen = [item for item in reading.members if request.all_splits or spec.is_holdout(item.split)]
    if not any(spec.is_holdout(item.split) for item in chosen):
        hint = "say which splits hold out under `holdout` in its dataset.yaml"
        raise UsageError("holdout-absent", f"{spec.name} holds no example in a holdout split", hint=hint)
    secret = request.secret
    rows = sorted((item.split, secret.key(item.key, item.input) if secret else item.key, item) for item in chosen)
    inputs = sorted({item.input for item in chosen})
    marks, shingles = _signed(reading, inputs, method, request)
    places = {name: number for number, name in enumerate(inputs)}
    order = np.fromiter((places[item.input] for _, _, item in rows), np.int64, len(rows))
    info = SignatureInfo(
        spec.name, reading.source, reading.content, method.id, method.digest,
        tuple(sorted({item.split for item in chosen if spec.is_holdout(item.split)})),
        dict(sorted(Counter(item.split for item in chosen).items())),
        secret.id if secret else None, not request.digests_only,
    )  # fmt: skip
    keys = [key for _, key, _ in rows]
    digests = [secret.keyed(item.input) if secret else item.input for _, _, item in rows]
    return Published(info, [split for split, _, _ in rows], keys, digests, marks[order], shingles[order])


def _signed(
    reading: Reading, inputs: Sequence[str], method: Method, request: ExportRequest
) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.uint64]], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Signatures and numbers of shingles of distinct inputs."""
    marks = np.zeros((len(inputs), PLANES), np.uint64)
    shingles = np.zeros(len(inputs), np.int64)
    if request.digests_only:
        return marks, shingles
    texts = reading.texts
    lacking = sum(item not in texts for item in inputs)
    if lacking:
        message = f"{lacking:,} held-out inputs are in no store, so they cannot be signed"
        hint = "add them to the store that `payloads` names, or publish digests: --digests-only"
        raise DataError("signatures-incomplete", message, file=f"datasets/{reading.spec.name}", hint=hint)
    for low in range(0, len(inputs), _BLOCK):
        block = normalise_batch([texts[item] for item in inputs[low : low + _BLOCK]])
        marks[low : low + _BLOCK] = publish(block, near_parameters(method))
        shingles[low : low + _BLOCK] = distinct_shingles(block)
    return marks, shingles


def _tracked(workspace: Workspace, located: Located, made: Exported, data: bytes) -> Exported:
    """In the dataset's folder, tracked by DVC and named in dataset.yaml."""
    if workspace.git.bare:
        raise RepositoryError("no-working-copy", "a bare repository has no working copy", hint="-o FILE")
    spec = workspace.working_copy.spec(located.state.name)
    path = located.state.repo_path(spec.signatures or FILE)
    changed = _differs(require_own_place(workspace.git.top, path, itself=False), data)
    require_own_place(workspace.git.top, f"{path}.dvc")
    if changed:
        write_data_file(workspace.git.top, path, data)
    workspace.store.add([path])
    declared = spec.signatures is None
    if declared:
        _declare(workspace.git.top, located)
    return replace(made, path=path, tracked=True, declared=declared, changed=changed)


def _declare(top: Path, located: Located) -> None:
    """One line more at the end of dataset.yaml. Raises UsageError where that would not be one more key."""
    name = f"{located.state.folder}/{DATASET_FILE}"
    before = require_own_place(top, name).read_bytes()
    after = before + (b"" if before.endswith(b"\n") else b"\n") + f"signatures: {FILE}\n".encode()
    spec = parse_dataset(before, name)
    try:
        sound = parse_dataset(after, name) == replace(spec, signatures=FILE)
    except Exception:
        sound = False
    if not sound:
        message = f"{name} has no room for one more line"
        raise UsageError("bad-value", message, hint=f"add the line `signatures: {FILE}` to it, and run this again")
    write_own_file(top, name, after)


def _differs(file: Path, data: bytes) -> bool:
    return not file.is_file() or file.read_bytes() != data
