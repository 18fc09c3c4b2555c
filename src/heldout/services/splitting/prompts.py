"""Held-out examples in a project's prompt files, at a commit or for a whole tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from heldout.domain.canonical import digest
from heldout.domain.example import Example
from heldout.domain.members import DERIVED_KEY_LENGTH
from heldout.domain.splitting.prompt_policy import PromptCheck, PromptExcerpt, PromptPolicy
from heldout.domain.splitting.prompt_words import excerpts_of, placed_excerpts
from heldout.domain.text import text_of
from heldout.services.reading import examples
from heldout.services.sources import StoredData
from heldout.services.workspace import Workspace
from heldout.storage.catalog import DatasetState
from heldout.storage.defect_log import ignored_folder
from heldout.storage.git.trees import GitTree
from heldout.storage.settings_file import FILE as SETTINGS
from heldout.storage.splitting.excerpt_index import ExcerptIndex, keep_index, kept_index
from heldout.storage.splitting.prompt_files import parse_prompt

Places = Mapping[str, Sequence[tuple[str, int | None]]]
"""Excerpts that prompts could hold, and where they stand: (file, line)."""


def check_prompts(
    workspace: Workspace,
    tree: GitTree,
    states: Iterable[DatasetState],
    policy: PromptPolicy,
    changed: Collection[str] | None = None,
) -> PromptCheck:
    """Look for the holdouts of a tree's datasets in its prompt files; where `changed` paths are given, only for what
    these can have brought: changed prompts, and all prompts where a dataset or the settings changed.

    Never fetches. The rule is `heldout.domain.splitting.prompt_words`, over any row's input.
    """
    paths = [path for path in tree.paths() if policy.matches(path)]
    anew = None if changed is None or SETTINGS in changed else set(changed)
    every = _places(tree, paths)
    edited = every if anew is None else _places(tree, [path for path in paths if path in anew])
    found: list[PromptExcerpt] = []
    not_here = []
    for state in states:
        touched = anew is None or any(path.startswith(f"{state.folder}/") for path in anew)
        places = every if touched else edited
        if not places:
            continue
        index = _index(workspace, state)
        if index is None:
            not_here.append(state.name)
        elif hits := {excerpt for excerpt in places if excerpt in index}:
            if StoredData(state, workspace.store).missing():
                not_here.append(state.name)  # an index was kept: something stands there, and nobody can tell what
            else:
                found += _excerpts(workspace, state, places, hits)
    check = PromptCheck(tuple(sorted(set(found), key=_order)), tuple(not_here))
    return check.decided(workspace.knowledge().reviews, block=policy.block) if found else check


def _order(found: PromptExcerpt) -> tuple[object, ...]:
    return (found.dataset, found.prompt, found.line or 0, found.split, found.key)


def _places(tree: GitTree, paths: Sequence[str]) -> Places:
    """The first place of each excerpt in each file."""
    places: defaultdict[str, dict[str, int | None]] = defaultdict(dict)
    for path, data in tree.read_many(paths).items():
        prompt = parse_prompt(data, path)
        for text in prompt.texts:
            for excerpt, line in placed_excerpts(text):
                places[excerpt].setdefault(path, line if prompt.whole else None)
    return {excerpt: list(files.items()) for excerpt, files in places.items()}


def _index(workspace: Workspace, state: DatasetState) -> ExcerptIndex | None:
    """None where the data is not here."""
    here = ignored_folder(workspace.git)
    if here is not None and (kept := kept_index(workspace.git.top, state.source)) is not None:
        return kept
    if StoredData(state, workspace.store).missing():
        return None
    index = ExcerptIndex.of(excerpt for example in _held_out(workspace, state) for excerpt in _excerpts_of(example))
    if here is not None:
        keep_index(workspace.git.top, state.source, index)
    return index


def _excerpts(
    workspace: Workspace, state: DatasetState, places: Places, hits: Collection[str]
) -> Iterator[PromptExcerpt]:
    """One for each example and file: at the first of its excerpts that stands there."""
    for example in _held_out(workspace, state):
        told: set[str] = set()
        for excerpt in _excerpts_of(example):
            for path, line in places[excerpt] if excerpt in hits else ():
                if path not in told:
                    told.add(path)
                    yield PromptExcerpt(state.name, example.split, _key(example), path, line, digest(example.input))


def _held_out(workspace: Workspace, state: DatasetState) -> Iterator[Example]:
    skip = (lambda _: None) if state.spec.on_bad_row == "skip" else None
    for _, example in examples(state.spec, StoredData(state, workspace.store), skip):
        if example.has_input and state.spec.is_holdout(example.split):
            yield example


def _excerpts_of(example: Example) -> Iterator[str]:
    return excerpts_of(text_of(example.input))


def _key(example: Example) -> str:
    """Equal inputs of a split without keys share the name of the first."""
    return example.key or digest(example.input).removeprefix("sha256:")[:DERIVED_KEY_LENGTH]
