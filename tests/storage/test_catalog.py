"""The datasets of a tree, told from what Git alone holds."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from heldout.errors import HeldoutError
from heldout.storage.catalog import Catalog, DatasetState
from heldout.storage.trees import FolderTree

MD5 = "60b725f10c9c85c70d97880dfe8191b3"
SPEC = """\
format: heldout/dataset@1
name: {name}
data:
  - {{path: train.csv, split: train}}
  - {{path: test.csv, split: test}}
fields: {{input: text}}
holdout: [test]
"""


def pointer(md5: str, size: int, path: str) -> str:
    return f"outs:\n- md5: {md5}\n  size: {size}\n  hash: md5\n  path: {path}\n"


class Tree:
    """A folder that is filled file by file."""

    def __init__(self, top: Path) -> None:
        self.top = top

    def write(self, path: str, text: str) -> None:
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def dataset(self, name: str, *, train: str = MD5) -> None:
        self.write(f"datasets/{name}/dataset.yaml", SPEC.format(name=name))
        self.write(f"datasets/{name}/train.csv.dvc", pointer(train, 2, "train.csv"))
        self.write(f"datasets/{name}/test.csv.dvc", pointer("b" * 32, 3, "test.csv"))

    @property
    def catalog(self) -> Catalog:
        return Catalog(FolderTree(self.top))

    def state(self, name: str) -> DatasetState:
        return self.catalog.state(name)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def slug_of(tree: Tree, name: str) -> str:
    with pytest.raises(HeldoutError) as caught:
        tree.state(name)
    return caught.value.slug


def test_names_are_folders_below_datasets_however_deep(tree: Tree) -> None:
    for name in ("support", "team/intents", "team/intents/short"):
        tree.dataset(name)
    tree.write("dataset.yaml", "not ours")
    tree.write("datasets/dataset.yaml", "a dataset needs a name")
    tree.write("other/datasets/x/dataset.yaml", "not ours")
    tree.write("datasets/empty/readme.md", "")
    assert tree.catalog.names == ("support", "team/intents", "team/intents/short")
    assert tree.catalog.has("team/intents")
    assert not tree.catalog.has("team")


def test_what_lies_in_a_datasets_own_folders_is_no_dataset(tree: Tree) -> None:
    tree.dataset("support")
    for inside in ("scans/0123456789abcdef", "reviews", "slices"):
        tree.write(f"datasets/support/{inside}/dataset.yaml", "anything")
    assert tree.catalog.names == ("support",)


def test_the_source_digest_is_over_meaning_and_pointers_by_hand(tree: Tree) -> None:
    tree.dataset("support")
    state = tree.state("support")
    data = [{"path": "train.csv", "split": "train"}, {"path": "test.csv", "split": "test"}]
    meaning = {
        "data": data,
        "fields": {"input": "text"},
        "holdout": ["test"],
        "name": "support",
        "on_bad_row": "refuse",
        "reader": 1,
    }
    outputs = [["test.csv", "b" * 32, 3], ["train.csv", MD5, 2]]
    text = json.dumps({"meaning": meaning, "outputs": outputs}, sort_keys=True, separators=(",", ":"))
    assert state.source == "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    assert [output.path for output in state.outputs] == ["datasets/support/test.csv", "datasets/support/train.csv"]
    assert state.repo_path("train.csv") == "datasets/support/train.csv"


def test_new_data_is_another_source_and_new_words_are_not(tree: Tree) -> None:
    tree.dataset("support")
    before = tree.state("support").source
    spec = tree.top / "datasets/support/dataset.yaml"
    spec.write_text("# a remark\n" + spec.read_text() + "description: for people\nrole: evaluation\n")
    assert tree.state("support").source == before
    tree.write("datasets/support/readme.md", "other files do not matter")
    assert tree.state("support").source == before
    tree.dataset("support", train="a" * 32)
    assert tree.state("support").source != before


def test_two_datasets_of_the_same_files_are_two_sources(tree: Tree) -> None:
    tree.dataset("one")
    tree.dataset("two")
    assert tree.state("one").source != tree.state("two").source


def test_a_dataset_that_is_not_here_is_named_with_those_that_are(tree: Tree) -> None:
    tree.dataset("support")
    with pytest.raises(HeldoutError) as caught:
        tree.state("suport")
    assert caught.value.slug == "unknown-dataset"
    assert "support" in str(caught.value.hint)


def test_a_name_has_to_be_its_folder(tree: Tree) -> None:
    tree.dataset("support")
    (tree.top / "datasets/support").rename(tree.top / "datasets/copy")
    assert slug_of(tree, "copy") == "dataset-name-mismatch"


def test_names_that_differ_in_case_only_are_refused(tree: Tree) -> None:
    tree.dataset("support")
    tree.dataset("Support")
    assert {slug_of(tree, "support"), slug_of(tree, "Support")} == {"dataset-name-taken"}


def test_a_file_that_dvc_does_not_track_is_refused(tree: Tree) -> None:
    tree.dataset("support")
    (tree.top / "datasets/support/test.csv.dvc").unlink()
    assert slug_of(tree, "support") == "not-tracked"
