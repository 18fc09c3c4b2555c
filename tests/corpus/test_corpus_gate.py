"""Records of corpora in a repository: what the gate makes of them under a policy, and how a forged one is found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from story.conftest import clean_template, copy, empty_template  # noqa: F401
from support.cli import Ran, heldout
from support.corpora import jsonl
from support.story import Team, nearly, rows, sentence

from heldout.domain.canonical import digest, digest_bytes
from heldout.storage.corpora.records import parse_record

V1 = "support@v1.0.0"
OTHERS = list(rows("corpus", 30).values())


@pytest.fixture(scope="module")
def scanned_template(clean_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    """support@v1.0.0, clean; the corpus `crawl` beside it gives two of its held-out examples away; not yet scanned."""
    base = tmp_path_factory.mktemp("scanned")
    team = copy(clean_template, base)
    crawl = base / "crawl"
    crawl.mkdir()
    (crawl / "a.jsonl").write_bytes(jsonl([*OTHERS, sentence("h1")]))
    (crawl / "b.jsonl").write_bytes(jsonl([nearly("h2"), f"{OTHERS[0]} {sentence('h3')} {OTHERS[1]}"]))
    team.write("heldout.yaml", "corpora: {must_scan: [crawl]}\n")
    team.git("add", "heldout.yaml")
    team.git("commit", "-q", "-m", "Require a corpus")
    return base


@pytest.fixture
def team(scanned_template: Path, tmp_path: Path) -> Team:
    return copy(scanned_template, tmp_path)


def _scan(team: Team, *options: str) -> Ran:
    return heldout(team.path, "corpus", "scan", "../crawl", "--against", V1, *options)


def _record(team: Team) -> Path:
    (folder,) = (team.path / "corpora/crawl/scans").iterdir()
    return folder


@pytest.mark.req("E40")
def test_unknown_until_scanned_and_contaminated_by_what_is_found(team: Team) -> None:
    answer = team.answer(V1)
    assert answer["verdict"] == "unknown"
    assert [gap["kind"] for gap in answer["gaps"]] == ["corpus_not_scanned"]
    made = _scan(team, "--json")
    assert made.code == 1, made.err
    assert made.json["counts"] == {"exact": 1, "near": 1, "containment": 1, "contaminated": 2}
    assert team.answer(V1)["verdict"] == "unknown"  # only what is committed counts
    assert _scan(team, "--commit").code == 1
    answer = team.answer(V1)
    assert answer["verdict"] == "contaminated"
    assert [hit["held"]["key"] for hit in answer["findings"]] == ["h1", "h2"]
    assert {hit["other"]["dataset"] for hit in answer["findings"]} == {"corpus crawl"}
    assert sentence("h1") not in json.dumps(answer)
    said = heldout(team.path, "gate", V1).out
    assert "corpus crawl:a.jsonl/row 31" in said
    assert "heldout corpus show crawl" in said


@pytest.mark.req("E40")
def test_clean_after_a_clean_scan_and_never_by_half_of_one(team: Team) -> None:
    crawl = team.path.parent / "crawl"
    shutil.rmtree(crawl)
    crawl.mkdir()
    (crawl / "a.jsonl").write_bytes(jsonl(OTHERS) + b"no json\n")
    refused = _scan(team)
    assert (refused.code, "a.jsonl:31" in refused.err) == (2, True)
    assert not (team.path / "corpora").exists()
    assert _scan(team, "--on-bad-row", "skip", "--commit").code == 3
    answer = team.answer(V1)
    assert answer["verdict"] == "unknown"
    assert "only in part" in answer["gaps"][0]["text"]
    (crawl / "a.jsonl").write_bytes(jsonl(OTHERS))
    assert _scan(team, "--commit").code == 0
    assert team.answer(V1)["verdict"] == "clean"
    assert heldout(team.path, "verify").code == 0


def test_a_policy_may_name_datasets_and_states(team: Team) -> None:
    _scan(team, "--commit")
    crawl = team.path.parent / "crawl"
    (crawl / "b.jsonl").unlink()
    (crawl / "a.jsonl").write_bytes(jsonl(OTHERS))
    made = _scan(team, "--commit", "--json")
    assert made.code == 0
    assert team.answer(V1)["verdict"] == "contaminated"  # by the state it had

    def verdict(policy: str) -> str:
        team.write("heldout.yaml", f"corpora: {{must_scan: {policy}}}\n")
        team.git("add", "heldout.yaml")
        team.git("commit", "-q", "-m", "Policy")
        return str(team.answer(V1)["verdict"])

    manifest = made.json["manifest"]
    assert verdict(f'["crawl@{manifest}"]') == "clean"
    assert verdict(f'["crawl@sha256:{"0" * 64}"]') == "unknown"
    assert verdict("{other: [crawl]}") == "clean"
    assert verdict("{support: [crawl]}") == "contaminated"
    assert verdict("[another]") == "unknown"


@pytest.mark.parametrize("policy", ["crawl", "[1]", '["crawl@abc"]', '["../crawl"]', "{support: crawl}"])
def test_a_policy_that_cannot_be_read(team: Team, policy: str) -> None:
    team.write("heldout.yaml", f"corpora: {{must_scan: {policy}}}\n")
    team.git("add", "heldout.yaml")
    team.git("commit", "-q", "--no-verify", "-m", "Policy")
    ran = heldout(team.path, "gate", V1)
    assert ran.code == 2
    assert "corpora.must_scan" in ran.err


def test_the_record_is_the_same_on_every_run_and_in_every_clone(team: Team, tmp_path: Path) -> None:
    _scan(team)
    folder = _record(team)
    first = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert set(first) == {"scan.yaml", "findings.jsonl", "shards.jsonl"}
    shutil.rmtree(team.path / "corpora")
    shutil.rmtree(team.path / ".heldout")
    _scan(team, "--jobs", "2", "--quiet")
    assert {file.name: file.read_bytes() for file in _record(team).iterdir()} == first
    listed = heldout(team.path, "corpus", "list", "--json").json["scans"]
    assert [(item["id"], item["versions"], item["committed"]) for item in listed] == [(folder.name, [V1], False)]
    shown = heldout(team.path, "corpus", "show", "crawl")
    assert "a.jsonl:31" in shown.out


def test_nothing_is_written_without_being_asked(team: Team) -> None:
    assert _scan(team, "--no-record").code == 1
    assert not (team.path / "corpora").exists()
    assert team.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["corpus", "scan", "../crawl"], "--against"),
        (["corpus", "scan", "../crawl", "--against", "support"], "frozen versions"),
        (["corpus", "scan", "../crawl", "--against", "support@v9.0.0"], "is not a version"),
        (["corpus", "scan", "../crawl", "--against", V1, "--name", "a//b"], "empty path component"),
        (["corpus", "scan", "../crawl", "--against", V1, "--commit", "--no-record"], "exclude"),
        (["corpus", "scan", "nowhere", "--against", V1], "there is no such file"),
        (["corpus", "show", "other"], "no record of a corpus"),
    ],
)
def test_wrong_calls(team: Team, options: list[str], says: str) -> None:
    ran = heldout(team.path, *options)
    assert (ran.code, says in ran.err) == (2, True), ran.err


@pytest.mark.parametrize(
    ("name", "data", "flag"),
    [
        ("a.jsonl", b'{"text": "a text to tell which field it is"}\n{"title": "x"}\n', "--text-field"),
        ("a.csv", b"text\ncaf\xe9 in another encoding\n", "--encoding"),
        ("a.csv", b"text\nnul \x00 in the middle\n", "--encoding"),
        ("a.csv", b"text,text\nx,y\n", "--columns"),
        ("a.json", b'{"data": {"items": [{"text": "x"}]}}', "--records"),
        ("a.dat", b"x", "--file-format"),
    ],
)
def test_advice_is_what_this_command_can_do(team: Team, name: str, data: bytes, flag: str) -> None:
    """There is no dataset.yaml of a corpus."""
    (team.path.parent / "faulty").mkdir(exist_ok=True)
    (team.path.parent / "faulty" / name).write_bytes(data)
    ran = heldout(team.path, "corpus", "scan", f"../faulty/{name}", "--against", V1, "--no-record")
    assert (ran.code, flag in ran.err, "dataset.yaml" in ran.err) == (2, True, False), ran.err


def _replaced(name: str, old: bytes, new: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        data = (folder / name).read_bytes()
        assert old in data
        (folder / name).write_bytes(data.replace(old, new, 1))

    return change


def _without_findings(folder: Path) -> None:
    (folder / "findings.jsonl").unlink()


def _forged(folder: Path) -> None:
    """Nothing found, and everything else made to fit: only the files themselves can tell."""
    record = (folder / "scan.yaml").read_bytes()
    parsed = parse_record(record, "scan.yaml")
    (folder / "findings.jsonl").write_bytes(b"")
    record = record.replace(parsed.findings_digest.encode(), digest_bytes(b"").encode())
    for name, count in (*parsed.counts.items(), *parsed.hits.items()):
        record = record.replace(f"  {name}: {count}\n".encode(), f"  {name}: 0\n".encode())
    lines = f"  lines: {parsed.findings_lines}\n".encode()
    (folder / "scan.yaml").write_bytes(record.replace(lines, b"  lines: 0\n"))


def _moved(folder: Path) -> None:
    folder.rename(folder.with_name("0" * 16))


@pytest.mark.req("E40")
@pytest.mark.parametrize(
    ("change", "slug"),
    [
        (_replaced("scan.yaml", b"contaminated: 2", b"contaminated: 0"), "record-inconsistent"),
        (_replaced("scan.yaml", b"  read: 33", b"  read: 34"), "record-inconsistent"),
        (_replaced("scan.yaml", b"  skipped: 0", b"  skipped: 1"), "record-inconsistent"),
        (_replaced("scan.yaml", b"format: heldout", b"# nice\nformat: heldout"), "record-inconsistent"),
        (_replaced("scan.yaml", b"encoding: utf-8", b"encoding: latin-1"), "record-misplaced"),
        (_replaced("scan.yaml", b"complete: true", b"complete: maybe"), "record-unreadable"),
        (_replaced("scan.yaml", b"rows_listed: 16", b"rows_listed: 1"), "record-unreadable"),
        (_replaced("findings.jsonl", b'"row":31', b'"row":30'), "findings-changed"),
        (_replaced("shards.jsonl", b'"rows":31', b'"rows":30'), "record-inconsistent"),
        (_without_findings, "findings-changed"),
        (_moved, "record-misplaced"),
        (_forged, "record-forged"),
    ],
)
def test_a_changed_record_is_named(team: Team, change: Callable[[Path], None], slug: str) -> None:
    _scan(team)
    change(_record(team))
    team.git("add", "corpora")
    team.git("commit", "-q", "--no-verify", "-m", "Change a record")
    ran = heldout(team.path, "verify", "--json")
    if slug == "findings-changed":  # without them there is no answer at all, not even that it is unknown
        assert (ran.code, ran.json["error"], heldout(team.path, "gate", V1).code) == (2, slug, 2)
        return
    assert ran.code == 1
    problems = [item for item in ran.json["problems"] if item["place"].startswith("corpora/")]
    assert [item["slug"] for item in problems] == [slug]


def test_records_are_only_added(team: Team) -> None:
    _scan(team, "--commit")
    team.git("push", "-q", "--no-verify", "origin", "main")
    shutil.rmtree(team.path / "corpora")
    team.git("add", "--all", "corpora")
    team.git("commit", "-q", "--no-verify", "-m", "Remove a record")
    ran = heldout(team.path, "verify", "--json")
    assert {item["slug"] for item in ran.json["problems"] if item["place"].startswith("corpora/")} == {
        "record-not-kept"
    }


def test_where_the_files_are_not_here_nothing_is_claimed(team: Team) -> None:
    _scan(team, "--commit")
    shutil.rmtree(team.path.parent / "crawl")
    ran = heldout(team.path, "verify", "--json")
    problems = [item for item in ran.json["problems"] if item["place"].startswith("corpora/")]
    assert [(item["level"], item["slug"]) for item in problems] == [("reported", "record-not-replayed")]


def test_a_damaged_record_is_no_record(team: Team) -> None:
    crawl = team.path.parent / "crawl"
    (crawl / "b.jsonl").unlink()
    (crawl / "a.jsonl").write_bytes(jsonl(OTHERS))
    assert _scan(team, "--commit").code == 0
    record = _record(team) / "scan.yaml"
    record.write_bytes(record.read_bytes()[:-40])
    team.git("add", "corpora")
    team.git("commit", "-q", "--no-verify", "-m", "Damage it")
    answer = team.answer(V1)
    assert [gap["kind"] for gap in answer["gaps"]] == ["corpus_not_scanned", "unreadable_record"]


def test_the_digest_of_the_method_is_that_of_its_parameters(team: Team) -> None:
    _scan(team)
    record = parse_record((_record(team) / "scan.yaml").read_bytes(), "scan.yaml")
    assert digest({"id": record.method_id, "parameters": dict(record.method_parameters)}) == record.method_digest
