"""Pointers as DVC 3.67 wrote them, old and damaged ones, without DVC."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import pytest

from heldout.errors import ConfigError, RepositoryError
from heldout.storage.pointers import Output, Pointers

MD5 = "60b725f10c9c85c70d97880dfe8191b3"
FILE = f"outs:\n- md5: {MD5}\n  size: 2\n  hash: md5\n  path: train.csv\n"
FOLDER = "outs:\n- md5: 954c6d16d92bc0a436d29c005a2d4a10.dir\n  size: 4\n  nfiles: 2\n  hash: md5\n  path: shards\n"
LEGACY = f"outs:\n- md5: {MD5}\n  size: 2\n  path: train.csv\n"
IMPORT = (
    "md5: b223b28a407d33c8a9b6b5657ff86826\nfrozen: true\ndeps:\n- path: data/a.csv\n  repo:\n    url: ../r\n"
    f"    rev_lock: 796d34a2bd0b7062a8169844cb33cb7ab6bc034e\nouts:\n- md5: {MD5}\n  size: 2\n  hash: md5\n"
    "  path: train.csv\n"
)
LOCK = (
    "schema: '2.0'\nstages:\n  clean:\n    cmd: mkdir -p out && cp data/a.csv \n      out/b.csv\n    outs:\n"
    f"    - path: out/b.csv\n      hash: md5\n      md5: {MD5}\n      size: 2\n"
)


class Tree:
    """The files of a test; `reads` counts what was looked at."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.reads: list[str] = []

    def read(self, path: str) -> bytes | None:
        self.reads.append(path)
        content = self.files.get(path)
        return None if content is None else content.encode()

    def paths(self, prefix: str = "") -> Iterable[str]:
        return sorted(path for path in self.files if path.startswith(prefix))


def output(files: dict[str, str], path: str) -> Output:
    return Pointers(Tree(files)).output(path)


def test_pointer_beside_the_file_is_found_without_reading_any_other() -> None:
    tree = Tree({"datasets/a/train.csv.dvc": FILE, "datasets/b/train.csv.dvc": "broken: ["})
    found = Pointers(tree).output("datasets/a/train.csv")
    assert found == Output("datasets/a/train.csv", MD5, 2, False, False, "datasets/a/train.csv.dvc")
    assert tree.reads == ["datasets/a/train.csv.dvc"]


def test_file_inside_a_tracked_folder_has_the_folders_output() -> None:
    found = output({"data/shards.dvc": FOLDER}, "data/shards/deep/1.csv")
    assert (found.path, found.is_dir, found.md5[-4:]) == ("data/shards", True, ".dir")


def test_sibling_whose_name_starts_the_same_is_not_inside() -> None:
    with pytest.raises(RepositoryError) as caught:
        output({"data/shards.dvc": FOLDER}, "data/shards2/1.csv")
    assert caught.value.slug == "not-tracked"
    assert caught.value.hint == "dvc add data/shards2/1.csv"


def test_output_of_dvc_before_3_is_legacy() -> None:
    assert output({"train.csv.dvc": LEGACY}, "train.csv").legacy


def test_import_is_an_output_and_its_dependency_is_not() -> None:
    pointers = Pointers(Tree({"imp/train.csv.dvc": IMPORT}))
    assert [item.path for item in pointers.all()] == ["imp/train.csv"]


def test_pointer_may_have_another_name_and_a_working_folder() -> None:
    files = {"import/set.dvc": "wdir: ../datasets/a\n" + FILE}
    assert output(files, "datasets/a/train.csv").pointer == "import/set.dvc"


def test_pipeline_output_is_found_in_a_lock_of_another_folder() -> None:
    found = output({"pipelines/dvc.lock": LOCK}, "pipelines/out/b.csv")
    assert (found.md5, found.pointer) == (MD5, "pipelines/dvc.lock")


@pytest.mark.parametrize(
    "stages",
    [
        "stages:\n  clean:\n    cmd: x\n    wdir: ../data\n",
        "stages:\n  clean:\n    foreach: [a]\n    do:\n      cmd: x\n      wdir: ../data\n",
    ],
)
def test_working_folder_of_a_stage_moves_its_outputs(stages: str) -> None:
    name = "clean@a" if "foreach" in stages else "clean"
    files = {"p/dvc.lock": LOCK.replace("clean", name), "p/dvc.yaml": stages}
    assert output(files, "data/out/b.csv").path == "data/out/b.csv"


def test_anchors_in_dvc_yaml_do_no_harm_where_no_stage_has_a_working_folder() -> None:
    files = {"dvc.lock": LOCK, "dvc.yaml": "x: &a 1\ny: *a\n"}
    assert output(files, "out/b.csv").md5 == MD5


def test_lock_of_dvc_1_has_its_stages_at_the_top() -> None:
    lock = f"clean:\n  cmd: x\n  outs:\n  - path: out/b.csv\n    md5: {MD5}\n    size: 2\n"
    assert output({"dvc.lock": lock}, "out/b.csv").legacy


@pytest.mark.parametrize(
    "content",
    [
        "outs: [\n",
        "- 1\n",
        "outs: 3\n",
        "outs:\n- md5: ../../../../etc/passwd\n  path: train.csv\n",
        f"outs:\n- md5: {MD5}\n  size: -1\n  path: train.csv\n",
        f"outs:\n- md5: {MD5}\n  size: 1\n",
        f"<<<<<<< HEAD\nouts:\n- md5: {MD5}\n=======\n",
    ],
)
def test_damaged_pointer_is_refused_with_its_name(content: str) -> None:
    with pytest.raises(ConfigError) as caught:
        output({"train.csv.dvc": content}, "train.csv")
    assert caught.value.slug == "pointer-malformed"
    assert caught.value.file == "train.csv.dvc"


@pytest.mark.parametrize("path", ["../x.csv", "/etc/passwd", "a/../../x.csv", "."])
def test_output_outside_the_repository_tracks_nothing(path: str) -> None:
    assert Pointers(Tree({"x.dvc": FILE.replace("train.csv", path)})).all() == ()


def test_damaged_pointer_elsewhere_does_not_hide_a_good_one() -> None:
    files = {"a/bad.dvc": "outs: [", "p/dvc.lock": LOCK}
    assert output(files, "p/out/b.csv").path == "p/out/b.csv"


def test_output_without_a_digest_yet_is_no_output() -> None:
    assert Pointers(Tree({"x.csv.dvc": "outs:\n- path: x.csv\n  etag: '123'\n"})).all() == ()


def test_digest_in_the_fixture_is_the_md5_of_the_bytes_dvc_was_given() -> None:
    assert hashlib.md5(b"a\n").hexdigest() == MD5
