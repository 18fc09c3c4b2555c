"""`heldout signatures check`: training data against a sealed holdout, by what was published of it.

Advice, not a record: what a record says must not depend on who may read the texts, so records keep needing them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from heldout.domain.coverage import Version
from heldout.domain.method import DEFAULT_METHOD, Method
from heldout.domain.sealing.keyed import Secret
from heldout.domain.sealing.sealed import SealedCheck
from heldout.errors import DataError, HeldoutError, MissingDataError, UsageError
from heldout.services.checking.files import CheckRequest
from heldout.services.contents import Contents, read_contents
from heldout.services.corpora.holdouts import held_out
from heldout.services.progress import SILENT, Progress
from heldout.services.reading import Reading, read_version
from heldout.services.scanner import Scanner
from heldout.services.sealing.export import ExportRequest, published_of
from heldout.services.sealing.matching import Counts, Sealed
from heldout.services.sealing.rows import Subject, SubjectRow, of_dataset, of_files
from heldout.services.sources import StoredData
from heldout.services.workspace import Located, Workspace
from heldout.storage.catalog import Catalog, DatasetState
from heldout.storage.signature_file import Published, parse_signatures

_SUFFIX = ".parquet"


@dataclass(frozen=True, slots=True)
class SealedRequest:
    """`files` None: `subject` names a dataset. `against` is NAME, NAME@VERSION, or the path of a file."""

    against: str
    subject: str = ""
    files: CheckRequest | None = None
    secret: Secret | None = None


def is_file(against: str) -> bool:
    return against.endswith(_SUFFIX)


def check(workspace: Workspace | None, request: SealedRequest, progress: Progress = SILENT) -> SealedCheck:
    """Compare, reading everything here once; fetches the signatures where they are missing, and never a sealed text.

    Raises UsageError (unsealed, wrong-secret), DataError (bad-signatures, signatures-method, signatures-stale,
    signatures-wrong).
    """
    method = DEFAULT_METHOD if workspace is None else workspace.settings.method
    if is_file(request.against):
        sealed = Sealed(_from_file(request.against, method), method, request.secret)
    else:
        assert workspace is not None
        sealed = _from_repository(workspace, request, method, progress)
    _require_secret(sealed.published, request)
    if request.files is not None:
        subject = of_files(request.files)
    else:
        assert workspace is not None
        subject = of_dataset(request.subject, read_contents(workspace, workspace.find(request.subject), progress))
    accepts = workspace is not None and workspace.settings.accept_estimates
    return compared(sealed, subject, request.against, accepts=accepts, progress=progress)


def compared(
    sealed: Sealed, subject: Subject, against: str, *, accepts: bool, progress: Progress = SILENT
) -> SealedCheck:
    progress.stage(f"comparing with {against}")
    counts = Counts()
    matches = tuple(sealed.matches(_counted(subject, progress), subject.dataset, counts))
    return SealedCheck(
        subject.name,
        against,
        sealed.published.info,
        matches,
        counts.compared,
        counts.no_text,
        can_read=sealed.holdouts is not None,
        exact_known=sealed.exact_known,
        accepts_estimates=accepts,
        skipped=tuple(subject.skipped),
        reasons=tuple(subject.reasons),
    )


def _counted(subject: Subject, progress: Progress) -> Iterator[SubjectRow]:
    for row in subject.rows:
        progress.advance()
        yield row


def _require_secret(published: Published, request: SealedRequest) -> None:
    wanted, secret = published.info.key_id, request.secret
    if secret is not None and wanted is not None and secret.id != wanted:
        message = f"the digests are keyed by the secret {wanted}, the one given is {secret.id}"
        raise UsageError("wrong-secret", message, hint="ask whoever published them for the file with their secret")


def _from_file(path: str, method: Method) -> Published:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise DataError("no-such-file", error.strerror or str(error), file=path, hint="check the path") from None
    return parse_signatures(data, path, method)


def _from_repository(workspace: Workspace, request: SealedRequest, method: Method, progress: Progress) -> Sealed:
    located = workspace.find(request.against)
    published = find_published(workspace, located, progress)
    reading = _readable(workspace, located, progress)
    if reading is None:
        return Sealed(published, method, request.secret)
    _require_true(published, reading, method, request)
    return Sealed(published, method, request.secret, held_out([reading]))


def find_published(
    workspace: Workspace,
    located: Located,
    progress: Progress = SILENT,
    *,
    fetch: bool = True,
    trees: Iterable[Catalog] = (),
) -> Published:
    """The signatures of a state: those that it names itself, or that were published later, of the same content."""
    name, stale = located.state.name, None
    for commit, catalog in _catalogs(workspace, located, trees):
        if not catalog.has(name) or (output := catalog.signatures(catalog.spec(name))) is None:
            continue
        if fetch:
            workspace.store.fetch([output], rev=commit, report=progress.note)
        with workspace.store.open(output) as stream:
            published = parse_signatures(stream.read(), output.path, workspace.settings.method)
        if (published.info.dataset, published.info.source) == (name, located.state.source):
            return published
        stale = DataError(
            "signatures-stale",
            f"they were made of {published.info.dataset} with the source {published.info.source[:19]}, and "
            f"{located.subject} has {located.state.source[:19]}",
            file=output.path,
            hint=f"heldout signatures export {located.subject}, where its texts can be read; then commit and dvc push",
        )
    raise stale or UsageError(
        "unsealed",
        f"{located.subject} has no published signatures: `signatures` is not in its dataset.yaml",
        hint=f"heldout signatures export {located.subject}, where its texts can be read",
    )


def _catalogs(workspace: Workspace, located: Located, trees: Iterable[Catalog]) -> Iterator[tuple[str | None, Catalog]]:
    if located.commit is not None:
        yield located.commit, workspace.catalog(located.commit)
    yield from ((None, tree) for tree in trees)
    head = workspace.git.head()
    if not workspace.git.bare:
        yield None, workspace.working_copy
    if head is not None and head != located.commit:
        yield head, workspace.catalog(head)


def _readable(workspace: Workspace, located: Located, progress: Progress) -> Reading | None:
    """The sealed version, where all of it is on this machine (decision A14); nothing is fetched."""
    try:
        reading = Scanner(workspace, fetch=False, progress=progress).reading(located.state, located.commit)
    except MissingDataError:
        return None
    return None if reading.payload_missing else reading


def _require_true(published: Published, reading: Reading, method: Method, request: SealedRequest) -> None:
    """Whoever can read the texts can tell whether the signatures are theirs."""
    info = published.info
    if info.key_id is not None and request.secret is None:
        return
    wanted = ExportRequest(
        request.against,
        all_splits=not set(info.splits) <= set(info.holdout),
        digests_only=not info.has_signatures,
        secret=request.secret if info.key_id is not None else None,
    )
    true = published_of(reading, method, wanted)
    same = (published.info, [*published.splits], [*published.keys], [*published.inputs]) == (
        true.info, [*true.splits], [*true.keys], [*true.inputs],
    )  # fmt: skip
    if not same or (published.marks != true.marks).any() or (published.shingles != true.shingles).any():
        raise DataError(
            "signatures-wrong",
            f"they are not those of {request.against}, whose texts can be read here",
            file=f"datasets/{info.dataset}",
            hint=f"heldout signatures export {request.against}; then commit and dvc push",
        )


def hook_notes(
    workspace: Workspace, states: Sequence[DatasetState], left_out: Iterable[Version], tree: Catalog
) -> Iterator[str]:
    """What can be told at commit of versions that could not be read; nothing is fetched, and nothing is refused."""
    for version in left_out:
        name = str(version.name)
        try:
            located = workspace.find(name)
            sealed = Sealed(find_published(workspace, located, fetch=False, trees=[tree]), workspace.settings.method)
        except MissingDataError as error:
            yield f"the published signatures of {name} are not here: {error.hint}"
            continue
        except UsageError:
            continue  # it has none; the scan has said already that it could not be compared
        except HeldoutError as error:
            yield f"the published signatures of {name} are of no use: {error}"
            continue
        for state in states:
            if state.source != located.state.source and (said := _staged(workspace, state, sealed, name)):
                yield said


def _staged(workspace: Workspace, state: DatasetState, sealed: Sealed, name: str) -> str | None:
    data = StoredData(state, workspace.store)
    contents = Contents(read_version(state.spec, state.source, data, keep_texts=False), data)
    return compared(sealed, of_dataset(state.name, contents), name, accepts=False).sentence()
