"""One wrong input of each common kind: exit 2, the file, the line, the reason, no traceback, and nothing written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from support.cli import Ran, heldout, snapshot
from support.dvc import dvc_repository
from support.git import Repo


@dataclass(frozen=True)
class Wrong:
    """A file, the options that go with it, and what the message has to say."""

    name: str
    data: bytes | None
    says: tuple[str, ...]
    slug: str
    options: tuple[str, ...] = ()
    place: tuple[tuple[str, int], ...] = ()


GOOD = b"text,label\nhow do I pay,pay\nwhere is it,find\n"
CASES = [
    Wrong(
        "train.jsonl",
        b'{"text": "one"}\n{"text": "two"}\n{"text": "three"\n',
        ("train.jsonl:3: ",),
        "bad-json",
        place=(("line", 3),),
    ),
    Wrong(
        "train.csv",
        GOOD,
        ("train.csv:2 (field txet): the row has no 'txet'; it has 'text', 'label'", "Did you mean 'text'?"),
        "missing-column",
        ("--text-field", "txet"),
        (("line", 2),),
    ),
    Wrong(
        "train.csv",
        b"text,label\nhow do I pay,pay\ncaf\xe9,eat\n",
        ("train.csv:3 (byte 31): byte 0xe9 is not utf-8 text", "--encoding latin-1"),
        "bad-encoding",
        place=(("line", 3), ("offset", 31)),
    ),
    Wrong("train.csv", None, ("train.csv: ",), "no-such-file"),
    Wrong(
        "train.csv", GOOD + b"a,b,c\n", ("train.csv:4: expected 2 cells, found 3",), "ragged-row", place=(("line", 4),)
    ),
    Wrong(
        "train.csv",
        b'text,label\n"never closed,x\n',
        ("train.csv:2: a double quote is opened here and never closed",),
        "open-quote",
        place=(("line", 2),),
    ),
    Wrong("train.xyz", b"x", ("train.xyz: the suffix '.xyz' names no format",), "unknown-format"),
    Wrong("train.csv", b"", ("train.csv: the file is empty",), "no-header"),
]
IDS = ["bad-json-line", "missing-column", "invalid-utf-8", "no-such-file", "ragged", "open-quote", "suffix", "empty"]


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return Repo(dvc_repository(tmp_path_factory.mktemp("wrong") / "repo"))


def lay_out(repo: Repo, case: Wrong) -> None:
    for name in ("train.jsonl", "train.csv", "train.xyz"):
        (repo.path / name).unlink(missing_ok=True)
    if case.data is not None:
        repo.write(case.name, case.data)


def assert_refused(ran: Ran, case: Wrong) -> None:
    assert ran.code == 2, ran.out + ran.err
    assert ran.out == ""
    for text in case.says:
        assert text in ran.err
    assert f"[{case.slug}]" in ran.err
    assert "Traceback" not in ran.err


def assert_located(ran: Ran, case: Wrong) -> None:
    assert ran.code == 2
    assert ran.json["format"] == "heldout/error@1"
    assert ran.json["error"] == case.slug
    for key, value in (("file", case.name), *case.place):
        assert ran.json["location"][key] == value


@pytest.mark.req("A42")
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_add_refuses_and_writes_nothing(repo: Repo, case: Wrong) -> None:
    lay_out(repo, case)
    options = [option.replace("--text-field", "--input") for option in case.options]
    before = snapshot(repo.path), repo.status()
    assert_refused(heldout(repo.path, "add", "support", case.name, *options), case)
    assert_located(heldout(repo.path, "add", "support", case.name, *options, "--json"), case)
    assert (snapshot(repo.path), repo.status()) == before


@pytest.mark.req("A42")
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_check_refuses_and_writes_nothing(repo: Repo, case: Wrong) -> None:
    lay_out(repo, case)
    before = snapshot(repo.path), repo.status()
    assert_refused(heldout(repo.path, "check", case.name, *case.options), case)
    assert_located(heldout(repo.path, "check", case.name, *case.options, "--json"), case)
    assert (snapshot(repo.path), repo.status()) == before


@pytest.mark.req("A42")
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("holdouts: [test]", ("datasets/support/dataset.yaml:5", "unknown key 'holdouts'", "Did you mean 'holdout'?")),
        ("holdout: [test", ("datasets/support/dataset.yaml:", "not valid YAML")),
        ("holdout: [tset]", ("datasets/support/dataset.yaml", "the holdout split 'tset' is in no data")),
    ],
    ids=["unknown-key", "bad-yaml", "absent-holdout"],
)
def test_a_broken_description_is_named_with_its_line(tmp_path: Path, line: str, says: tuple[str, ...]) -> None:
    repo = Repo(dvc_repository(tmp_path / "repo"))
    repo.write("test.csv", GOOD)
    head = "format: heldout/dataset@1\nname: support\ndata: [{path: test.csv, split: test}]\nfields: {input: text}\n"
    repo.write("datasets/support/dataset.yaml", f"{head}{line}\n")
    before = snapshot(repo.path)
    ran = heldout(repo.path, "add", "support", "test.csv")
    assert ran.code == 2
    for text in says:
        assert text in ran.err
    assert "Traceback" not in ran.err
    assert snapshot(repo.path) == before


@pytest.mark.req("A27")
@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (("bad name", "train.csv"), "bad-name"),
        (("support/scans", "train.csv"), "bad-name"),
        (("support", "train.csv", "--holdout", "test"), "holdout-absent"),
        (("support", "train.csv", "--key", "text", "--input", "text"), "key-is-input"),
        (("support", "train.csv", "--file-format", "xls"), "bad-value"),
        (("support", "train.csv", "--encoding", "klingon"), "unknown-encoding"),
        (("support", "train.csv", "--input", "a..b"), "bad-path"),
        (("support", "train.csv", "other/train.csv"), "bad-value"),
        (("support", "train.csv="), "bad-value"),
        (("support", "two.csv"), "ambiguous-input"),
        (("support", "nothing.jsonl"), "no-examples"),
    ],
)
def test_what_cannot_be_meant_is_refused(repo: Repo, arguments: tuple[str, ...], slug: str) -> None:
    repo.write("train.csv", GOOD)
    repo.write("other/train.csv", GOOD)
    repo.write("two.csv", "question,text,n\nis this the one,or is it this,1\n")
    repo.write("nothing.jsonl", "\n")
    before = snapshot(repo.path)
    ran = heldout(repo.path, "add", *arguments)
    assert ran.code == 2
    assert f"[{slug}]" in ran.err
    assert "heldout: try: " in ran.err or slug == "bad-path"
    assert snapshot(repo.path) == before


def test_an_ambiguous_input_lists_the_columns_and_the_flag(repo: Repo) -> None:
    repo.write("two.csv", "question,text,n\nis this the one,or is it this,1\n")
    ran = heldout(repo.path, "add", "support", "two.csv")
    assert "--input COLUMN, one of: text, question" in ran.err


def test_without_dvc_the_way_is_shown(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("train.csv", GOOD)
    ran = heldout(repo.path, "add", "support", "train.csv")
    assert ran.code == 2
    assert "[not-initialised]" in ran.err
    assert "heldout init" in ran.err
