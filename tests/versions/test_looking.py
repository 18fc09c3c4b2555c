"""`versions`, `show`, `scans`: what they say of a repository whose contents are known, without reading data."""

from __future__ import annotations

import shutil

import pytest
from support.cli import heldout, snapshot
from support.story import Team
from versions.conftest import NEXT_TEST, NEXT_TRAIN, TEST, TRAIN


@pytest.mark.req("B38", "B51")
def test_versions_say_commit_kind_of_tag_and_answer(versions: Team) -> None:
    said = heldout(versions.path, "versions", "support")
    assert said.code == 0
    head, first, second, *notes = said.out.splitlines()
    assert head == "support"
    commits = [versions.git("rev-parse", f"support@v{n}.0.0^{{commit}}")[:10] for n in (1, 2)]
    assert first.split() == [
        "v1.0.0",
        commits[0],
        "annotated",
        "contaminated",
        *["2", "held-out", "examples", "given", "away"],
    ]
    assert second.split() == ["v2.0.0", commits[1], "lightweight", "clean"]
    assert "git push origin support@v2.0.0" in "\n".join(notes)
    assert "next: heldout gate support@v1.0.0" in notes[-1]


def test_versions_as_json(versions: Team) -> None:
    found = heldout(versions.path, "versions", "--json").json
    assert found["format"] == "heldout/versions@1"
    assert [(row["version"], row["verdict"], row["annotated"], row["retired"]) for row in found["versions"]] == [
        ("support@v1.0.0", "contaminated", True, None),
        ("support@v2.0.0", "clean", False, None),
    ]


def test_a_retired_version_says_why(own: Team) -> None:
    own.succeeds("retire", "support@v1.0.0", "--reason", "nothing was trained on it")
    said = heldout(own.path, "versions")
    assert "retired: nothing was trained on it (" in said.out
    (first, _) = heldout(own.path, "versions", "--json").json["versions"]
    assert first["retired"]["reason"] == "nothing was trained on it"
    assert not first["complete"]


def test_an_unknown_dataset_is_refused(versions: Team) -> None:
    for command in ("versions", "scans", "show", "findings"):
        said = heldout(versions.path, command, "suport")
        assert said.code == 2
        assert "unknown-dataset" in said.err


def test_nothing_frozen_yet_says_what_to_do(own: Team) -> None:
    own.git("tag", "-d", "support@v1.0.0", "support@v2.0.0")
    said = heldout(own.path, "versions", "support")
    assert (said.code, said.out.splitlines()[-1].strip()) == (0, "next: heldout freeze support")


def test_show_counts_from_the_record_without_any_data(own: Team) -> None:
    shutil.rmtree(own.path / ".dvc/cache")
    shutil.rmtree(own.path.parent / "store")
    for split in ("train", "test"):
        (own.path / f"datasets/support/{split}.csv").unlink()
    said = heldout(own.path, "show", "support@v1.0.0")
    assert said.code == 0
    assert f"{len(TRAIN) + len(TEST)}: test {len(TEST)} (holdout), train {len(TRAIN)}" in said.out
    assert "Questions of customers" in said.out
    assert "datasets/support/test.csv" in said.out
    assert "expected = label" in said.out
    found = heldout(own.path, "show", "support@v2.0.0", "--json").json
    assert found["format"] == "heldout/show@1"
    assert found["record"]["examples"]["by_split"] == {"test": len(NEXT_TEST), "train": len(NEXT_TRAIN)}
    assert found["holdout"] == ["test"]
    assert found["role"] == "regression"
    assert [item["size"] for item in found["files"]] == [
        versions_size(own, "support@v2.0.0", split) for split in ("test", "train")
    ]
    assert found["verdict"] == "clean"


def versions_size(team: Team, tag: str, split: str) -> int:
    pointer = team.show(f"{tag}:datasets/support/{split}.csv.dvc")
    return int(next(line.split()[-1] for line in pointer.splitlines() if "size:" in line))


def test_show_of_a_state_nobody_scanned_says_so(own: Team) -> None:
    own.write("datasets/support/dataset.yaml", own.show("HEAD:datasets/support/dataset.yaml") + "\non_bad_row: skip\n")
    said = heldout(own.path, "show", "support")
    assert said.code == 0
    assert "not known: no record of this content" in said.out
    assert "next: heldout scan support" in said.out


def test_show_names_versions_with_the_same_examples(own: Team) -> None:
    """Rows in another order are other bytes and the same content."""
    place = own.path / "datasets/support/train.csv"
    head, *rows = place.read_text().splitlines()
    own.write("datasets/support/train.csv", "\n".join([head, *reversed(rows)]) + "\n")
    own.track("datasets/support/train.csv")
    own.save("Turn the rows around")
    assert heldout(own.path, "show", "support@HEAD", "--json").json["same_examples_as"] == ["support@v2.0.0"]
    assert "the same examples as support@v2.0.0" in heldout(own.path, "show", "support@HEAD").out


@pytest.mark.req("B45")
def test_scans_list_subject_status_compared_and_findings(versions: Team) -> None:
    rows = heldout(versions.path, "scans", "support", "--json").json["scans"]
    assert [(row["versions"], row["status"], len(row["compared"])) for row in rows] == [
        (["support@v1.0.0"], "complete", 0),
        (["support@v2.0.0"], "complete", 1),
    ]
    first, second = rows
    assert (first["counts"]["exact"], first["counts"]["near"], first["holdout_contamination"]) == (1, 1, 2)
    assert second["compared"][0]["versions"] == ["support@v1.0.0"]
    said = heldout(versions.path, "scans").out
    assert first["id"] in said
    assert "complete" in said


@pytest.mark.req("A31")
def test_scans_tell_records_of_another_method(own: Team) -> None:
    for record in own.records():
        digest = next(line for line in own.show(f"HEAD:{record}").splitlines() if line.startswith("  digest:"))
        text = own.show(f"HEAD:{record}").replace(digest, f'  digest: "sha256:{"0" * 64}"')
        from heldout.storage.records import parse_record

        forged = parse_record(text.encode(), record)
        own.add(f"{forged.folder()}/scan.yaml", text + "\n")
    own.bypass("commit", "-q", "-m", "Records of another method")
    rows = heldout(own.path, "scans", "--json").json["scans"]
    assert sorted(row["status"] for row in rows) == ["complete", "complete", "other method", "other method"]


def test_looking_writes_nothing(versions: Team) -> None:
    before = snapshot(versions.path)
    for command in (["versions"], ["show", "support"], ["scans"], ["findings"], ["diff", "support@v1.0.0", "support"]):
        assert heldout(versions.path, *command).code == 0
    assert snapshot(versions.path) == before
