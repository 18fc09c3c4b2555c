"""Pictures of a real repository: their numbers against those of other commands, their forms against who reads them."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest
from lxml import etree
from support.cli import heldout
from support.git import Repo

DATA = Path(__file__).resolve().parents[1] / "data/vega-lite/vega-lite-schema-5.23.0.json.gz"
NAMES = ("overlap", "similarity", "slices", "versions")
SVG = "{http://www.w3.org/2000/svg}"


def sentence(number: int) -> str:
    """Twelve words of its own: no two of these are near copies."""
    return " ".join(f"word{number * 12 + place}" for place in range(12))


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """`support` repeats 2 held-out texts in training; `billing`, frozen later, trains on 3 others of them."""
    repo = Repo.create(tmp_path_factory.mktemp("pictures") / "repo")
    assert heldout(repo.path, "init").code == 0
    train, test = [sentence(n) for n in range(6)], [sentence(n) for n in range(4, 10)]
    write(repo, "train.csv", train)
    write(repo, "test.csv", test)
    add(repo, "support", "raw/train.csv", "raw/test.csv")
    repo.bypass("tag", "-m", "first", "support@v1.0.0")
    write(repo, "other.csv", [*test[3:], "something else entirely, about the weather"])
    write(repo, "own.csv", ["nobody has ever asked that <before> & since"])
    add(repo, "billing", "raw/other.csv=train", "raw/own.csv=test")
    repo.bypass("tag", "-m", "first", "billing@v0.1.0")
    assert heldout(repo.path, "scan", "--all", "--commit").code in (0, 1)
    ran = heldout(repo.path, "slice", "new", "support", "long", "-w", "metadata.size eq long")
    assert ran.code == 0, ran.err
    return repo


def write(repo: Repo, name: str, texts: list[str]) -> None:
    rows = [f'"{text}",{"long" if number % 3 else ""}' for number, text in enumerate(texts)]
    repo.write(f"raw/{name}", "text,size\n" + "\n".join(rows) + "\n")


def add(repo: Repo, name: str, *files: str) -> None:
    ran = heldout(repo.path, "add", name, *files, "--holdout", "test", "--metadata", "size=size")
    assert ran.code == 0, ran.err
    repo.git("add", "datasets", ".dvc", ".gitignore", ".gitattributes")
    repo.git("commit", "-q", "-m", name)


def drawn(repo: Repo, tmp_path: Path, *arguments: str) -> Path:
    file = tmp_path / ("-".join(arguments).replace("/", "-") + ".out")
    ran = heldout(repo.path, "picture", *arguments, "-o", str(file))
    assert ran.code == 0, ran.err
    return file


def marks(repo: Repo, tmp_path: Path, *arguments: str) -> dict[tuple[str, str], tuple[int | None, str]]:
    rows = json.loads(drawn(repo, tmp_path, *arguments, "--rows").read_text())
    return {(row["row"], row["column"]): (row["value"], row["state"]) for row in rows}


@pytest.mark.req("E39")
def test_versions_against_versions(repo: Repo, tmp_path: Path) -> None:
    """By hand: rows 4 and 5 of training are held out, too; 3 held-out texts stand in billing's training data."""
    found = marks(repo, tmp_path, "overlap")
    given, none = "gives held-out examples away", "compared, none given away"
    assert found == {
        ("billing@v0.1.0", "billing@v0.1.0"): (0, none),
        ("billing@v0.1.0", "support@v1.0.0"): (0, none),
        ("support@v1.0.0", "billing@v0.1.0"): (3, given),
        ("support@v1.0.0", "support@v1.0.0"): (2, given),
    }


@pytest.mark.req("E39")
def test_splits_of_one_version(repo: Repo, tmp_path: Path) -> None:
    found = marks(repo, tmp_path, "overlap", "support@v1.0.0")
    assert found["test", "train"] == found["train", "test"] == (2, "gives a holdout away")
    assert found["test", "billing: train"] == (3, "gives a holdout away")
    assert found["train", "train"] == (0, "no overlap found")


def test_similarities_add_up_to_the_findings(repo: Repo, tmp_path: Path) -> None:
    found = marks(repo, tmp_path, "similarity")
    listed = heldout(repo.path, "findings", "--json").json["findings"]
    assert sum(value or 0 for value, _ in found.values()) == len(listed)
    assert found["equal", "gives a holdout away"][0] == 5


def test_slices_as_they_are_counted(repo: Repo, tmp_path: Path) -> None:
    found = marks(repo, tmp_path, "slices", "support")
    counts = heldout(repo.path, "slice", "count", "support", "--json").json
    assert str(found["long", "matched"][0]) in json.dumps(counts)
    assert found["long", "matched"][0] == 8, "4 of each file's 6 rows"


def test_versions_with_what_the_gate_says(repo: Repo, tmp_path: Path) -> None:
    found = marks(repo, tmp_path, "versions")
    assert found == {
        ("support", "support@v1.0.0"): (12, "contaminated"),
        ("billing", "billing@v0.1.0"): (5, "clean"),
    }


@pytest.mark.parametrize("name", NAMES)
def test_svg_is_whole_said_and_the_same_again(repo: Repo, tmp_path: Path, name: str) -> None:
    subject = ["support"] if name == "slices" else []
    data = drawn(repo, tmp_path, name, *subject).read_bytes()
    (tmp_path / "again").mkdir()
    assert drawn(repo, tmp_path / "again", name, *subject).read_bytes() == data
    root = etree.fromstring(data)
    assert root.get("role") == "img"
    said = {element.get("id"): element.text for element in root if element.get("id")}
    assert root.get("aria-labelledby").split() == list(said)
    assert all(said.values())
    assert b"prefers-color-scheme:dark" in data
    assert not [element for element in root.iter() if element.tag == SVG + "script" or element.get("href")]
    width, height = float(root.get("width")), float(root.get("height"))
    for text in root.iter(SVG + "text"):
        assert 0 <= float(text.get("x")) <= width
        assert 0 <= float(text.get("y")) <= height


@pytest.fixture(scope="module")
def vega_lite_schema() -> Any:
    """Names of its definitions hold characters that a reference has to escape, and does not."""

    def escaped(found: dict[str, Any]) -> dict[str, Any]:
        return found | {"$ref": quote(found["$ref"], safe="#/")} if isinstance(found.get("$ref"), str) else found

    text = gzip.decompress(DATA.read_bytes()).decode()
    return jsonschema_rs.validator_for(json.dumps(json.loads(text, object_hook=escaped)))


@pytest.mark.parametrize("name", NAMES)
def test_vega_lite_is_what_its_schema_says(repo: Repo, tmp_path: Path, name: str, vega_lite_schema: Any) -> None:
    subject = ["support"] if name == "slices" else []
    spec = json.loads(drawn(repo, tmp_path, name, *subject, "--vega-lite").read_text())
    assert [error.message for error in vega_lite_schema.iter_errors(spec)] == []
    assert spec["data"]["values"], "the data is inside"


@pytest.mark.parametrize("name", NAMES)
def test_dvc_plots_draws_it(repo: Repo, tmp_path: Path, name: str, vega_lite_schema: Any) -> None:
    """Real DVC fills the template; what it hands to the browser is Vega-Lite with our rows."""
    subject = ["support"] if name == "slices" else []
    rows = drawn(repo, tmp_path, name, *subject, "--rows").read_text()
    template = drawn(repo, tmp_path, name, *subject, "--dvc-template")
    repo.write(f"plots/{name}.json", rows)
    done = subprocess.run(
        ["dvc", "plots", "show", f"plots/{name}.json", "--template", str(template), "--show-vega"],
        cwd=repo.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    spec = json.loads(done.stdout)
    assert [error.message for error in vega_lite_schema.iter_errors(spec)] == []
    assert [row["text"] for row in spec["data"]["values"]] == [row["text"] for row in json.loads(rows)]


def test_dvc_plots_shows_the_svg(repo: Repo, tmp_path: Path) -> None:
    repo.write("plots/overlap.svg", drawn(repo, tmp_path, "overlap").read_bytes())
    done = subprocess.run(
        ["dvc", "plots", "show", "plots/overlap.svg", "-o", str(tmp_path / "page")],
        cwd=repo.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "overlap.svg" in (tmp_path / "page/index.html").read_text()


@pytest.mark.parametrize("name", ["overlap", "similarity", "versions"])
def test_without_versions_a_picture_says_so(tmp_path: Path, name: str) -> None:
    repo = Repo.create(tmp_path / "empty")
    repo.commit("nothing")
    data = drawn(repo, tmp_path, name).read_bytes()
    assert etree.fromstring(data) is not None
    assert b"no frozen version" in data or b"Nobody scanned" in data


def test_unknown_never_looks_clean(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.add("datasets/a/dataset.yaml", "format: heldout/dataset@1\nname: a\nholdout: [test]\ndata:\n  - path: a.csv\n")
    repo.pointer("a", "1")
    repo.bypass("commit", "-q", "-m", "a")
    repo.bypass("tag", "-m", "a", "a@v1.0.0")
    assert set(marks(repo, tmp_path, "overlap").values()) == {(None, "not compared in full")}
    assert {state for _, state in marks(repo, tmp_path, "versions").values()} == {"unknown"}
    assert {state for _, state in marks(repo, tmp_path, "overlap", "a@v1.0.0").values()} == {"not scanned in full"}


def test_files_are_never_overwritten_and_forms_exclude_each_other(repo: Repo, tmp_path: Path) -> None:
    file = drawn(repo, tmp_path, "versions")
    again = heldout(repo.path, "picture", "versions", "-o", str(file), "--json")
    assert (again.code, again.json["error"]) == (2, "output-exists")
    both = heldout(repo.path, "picture", "versions", "-o", "x", "--rows", "--vega-lite", "--json")
    assert (both.code, both.json["error"]) == (2, "options-exclude")
    which = heldout(repo.path, "picture", "slices", "-o", "x", "--json")
    assert (which.code, which.json["error"]) == (2, "which-dataset")
