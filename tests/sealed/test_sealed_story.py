"""A clone without the payload finds the planted copies through signatures; with access the near ones are verified."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.cli import heldout
from support.sealing import SEALED, TRAIN, add_chat, digest_of, jsonl, text
from support.story import Team, csv

AGAINST = ("--against", "faq@v1.0.0")


def checked(team: Team, *what: str) -> tuple[int, Any]:
    done = heldout(team.path, "signatures", "check", *what, *AGAINST, "--json")
    assert done.code in (0, 1, 3), done
    return done.code, done.json


def said(answer: Any) -> set[tuple[Any, ...]]:
    return {
        (item["here"].get("key", item["here"].get("line")), item["sealed"]["key"], item["kind"], item["severity"],
         item["verified"])
        for item in answer["matches"]
    }  # fmt: skip


@pytest.mark.req("A14", "A33")
def test_published_signatures_find_what_was_planted_where_no_text_can_be_read(builder: Team, train_file: Path) -> None:
    code, answer = checked(builder, "chat")
    assert code == 1
    assert said(answer) == {("copied", "q0", "exact", "block", True), ("near", "q1", "near", "review", False)}
    assert not answer["verified_by_texts"]
    assert not answer["containment_known"]  # the text around q2 is not found, and the answer says that it cannot be
    (near,) = (item["estimate"] for item in answer["matches"] if "estimate" in item)
    assert near["low"] < 33 / 34 < near["high"]
    code, of_file = checked(builder, str(train_file))
    assert (code, said(of_file)) == (1, {(2, "q0", "exact", "block", True), (3, "q1", "near", "review", False)})
    assert checked(builder, "chat@HEAD")[1]["matches"] == answer["matches"]
    told = heldout(builder.path, "signatures", "check", "chat", *AGAINST).out
    assert "unverified" in told
    assert "containment cannot be told from signatures" in told


@pytest.mark.req("A14")
def test_with_access_near_ones_are_verified_and_no_estimate_is_left(owner: Team) -> None:
    add_chat(owner)
    code, answer = checked(owner, "chat")
    assert code == 1
    assert answer["verified_by_texts"]
    assert said(answer) == {
        ("copied", "q0", "exact", "block", True),
        ("near", "q1", "near", "block", True),
        ("around", "q2", "containment", "review", True),
    }
    (near,) = (item["similarity"] for item in answer["matches"] if item["kind"] == "near")
    assert near == "33/34"  # of 67 shingles on each side 66 are shared: the last letter is in one
    listed = heldout(owner.path, "findings", "list", "chat@HEAD", "--json").json
    found = {(item["kind"], item["severity"], item["a"]["key"], item["b"]["key"]) for item in listed["findings"]}
    assert found >= {("exact", "block", "copied", "q0"), ("near", "block", "near", "q1")}


@pytest.mark.req("A14", "A30")
def test_a_record_that_was_made_without_access_says_so_and_holds_no_estimate(builder: Team, owner: Team) -> None:
    """Two scans under one id are the same bytes: the one without access compared with less, under another id."""
    add_chat(owner)
    (ours,), (theirs,) = builder.records(dataset="chat"), owner.records(dataset="chat")
    assert ours != theirs
    assert "compared: []" in builder.show(f"HEAD:{ours}")
    assert "faq" in owner.show(f"HEAD:{theirs}")
    heldout(builder.path, "signatures", "check", "chat", *AGAINST)
    assert builder.status() == []
    refused = heldout(builder.path, "scan", "faq@v1.0.0", "--json")
    assert (refused.code, refused.json["error"]) == (2, "fetch-failed")


@pytest.mark.req("A14")
def test_a_commit_names_what_signatures_find_or_how_to_get_them(builder: Team) -> None:
    builder.write("datasets/chat/train.csv", csv({**TRAIN, "more": text("more")}))
    builder.track("datasets/chat/train.csv")
    notes = builder.save("More")
    assert "not compared with faq@v1.0.0" in notes
    assert "the published signatures of faq@v1.0.0 are not here: dvc fetch datasets/faq/signatures.parquet.dvc" in notes
    checked(builder, "chat")  # fetches them
    builder.write("datasets/chat/train.csv", csv({**TRAIN, "other": text("other")}))
    builder.track("datasets/chat/train.csv")
    notes = builder.save("Other")
    wanted = "by the published signatures of faq@v1.0.0: 1 exact copy of sealed examples, 1 that may be near one"
    assert wanted in notes


@pytest.mark.req("A14", "A43")
def test_nothing_found_is_unknown_unless_the_project_accepts_estimates(builder: Team, tmp_path: Path) -> None:
    clean, close = tmp_path / "clean.csv", tmp_path / "close.csv"
    clean.write_text(csv({"a": text("fresh")}))
    close.write_text(csv({"a": TRAIN["near"]}))
    assert [checked(builder, str(file))[0] for file in (clean, close)] == [3, 3]
    builder.add("heldout.yaml", "format: heldout/project@1\nsealed: {accept_estimates: true}\n")
    builder.save("Accept estimates")
    assert [checked(builder, str(file))[0] for file in (clean, close)] == [0, 3]
    told = heldout(builder.path, "signatures", "check", str(clean), *AGAINST)
    assert told.out.startswith("clean as this project's policy has it (sealed.accept_estimates)")
    assert "near copies were not verified" in told.out
    broken = builder.path / "heldout.yaml"
    broken.write_text("sealed: {accept: true}\n")
    builder.git("add", "heldout.yaml")
    assert "unknown-key" in builder.run("commit", "-m", "Break").stderr


@pytest.mark.req("A28", "A32")
def test_a_dataset_is_not_held_against_itself_and_two_holdouts_make_a_note(builder: Team) -> None:
    rows = [{"key": key, "split": "test", "input": value} for key, value in SEALED.items()]
    builder.write("datasets/rival/rows.jsonl", jsonl([*rows, {"key": "x", "split": "train", "input": text("x")}]))
    builder.write(
        "datasets/rival/dataset.yaml",
        "format: heldout/dataset@1\nname: rival\ndata: [{path: rows.jsonl}]\nholdout: [test]\n",
    )
    builder.track("datasets/rival/rows.jsonl")
    code, answer = checked(builder, "rival")
    assert (code, {item["severity"] for item in answer["matches"]}) == (3, {"note"})
    code, answer = checked(builder, "faq")
    assert (code, answer["matches"], answer["no_text"]) == (3, [], 5)


@pytest.mark.req("A33")
def test_a_file_of_signatures_needs_no_repository(builder: Team, train_file: Path, tmp_path: Path) -> None:
    checked(builder, "chat")
    pointer = (builder.path / "datasets/faq/signatures.parquet.dvc").read_text()
    md5 = pointer.partition("md5: ")[2][:32]
    given = tmp_path / "elsewhere" / "faq.parquet"
    given.parent.mkdir()
    given.write_bytes((builder.path / ".dvc/cache/files/md5" / md5[:2] / md5[2:]).read_bytes())
    done = heldout(given.parent, "signatures", "check", str(train_file), "--against", "faq.parquet", "--json")
    assert (done.code, len(done.json["matches"])) == (1, 2)


@pytest.mark.req("A33")
def test_keyed_digests_tell_exact_copies_to_those_with_the_secret(
    owner: Team, train_file: Path, tmp_path: Path
) -> None:
    secret, other, short = (tmp_path / name for name in ("secret", "other", "short"))
    secret.write_text("correct horse battery staple\n")
    other.write_text("another secret of enough bytes\n")
    short.write_text("short\n")
    file = tmp_path / "keyed.parquet"

    def export(*more: str) -> Any:
        return heldout(owner.path, "signatures", "export", "faq@v1.0.0", "-o", str(file), "--json", *more)

    def check(*more: str) -> Any:
        return heldout(tmp_path, "signatures", "check", str(train_file), "--against", str(file), "--json", *more)

    assert export("--secret-file", str(short)).json["error"] == "weak-secret"
    made = export("--secret-file", str(secret))
    assert made.code == 0, made
    data = file.read_bytes()
    assert not any(digest_of(value)[7:].encode() in data for value in SEALED.values())
    assert b"correct horse" not in data
    blind = check().json
    assert (blind["verdict"], blind["exact_known"], blind["counts"]["exact"]) == ("unknown", False, 0)
    assert {item["sealed"]["key"] for item in blind["matches"]} == {"q0", "q1"}  # signatures still tell both
    told = check("--secret-file", str(secret))
    assert (told.code, told.json["counts"]["exact"], told.json["counts"]["estimates"]) == (1, 1, 1)
    assert check("--secret-file", str(other)).json["error"] == "wrong-secret"
    same = export("--secret-file", str(secret))
    assert (same.code, same.json["changed"]) == (0, False)
    assert export("--secret-file", str(secret), "--digests-only").json["error"] == "output-exists"
    file.unlink()
    assert export("--secret-file", str(secret), "--digests-only").code == 0
    sealed = check()
    assert (sealed.code, sealed.json["matches"]) == (3, [])
    assert "digests are keyed" in sealed.json["unknown"][0]
    owner.add("secret", secret.read_text())
    assert export("--secret-file", str(owner.path / "secret")).json["error"] == "secret-in-git"


@pytest.mark.req("A31")
def test_signatures_of_another_content_are_refused(builder: Team, owner: Team) -> None:
    owner.write("datasets/faq/rows.jsonl", (owner.path / "datasets/faq/rows.jsonl").read_text() + jsonl(
        [{"key": "d9", "split": "dev", "input": text("dev 9")}]
    ))  # fmt: skip
    owner.track("datasets/faq/rows.jsonl")
    owner.save("One more")
    refused = heldout(owner.path, "signatures", "check", "faq", "--against", "faq@HEAD", "--json")
    assert (refused.code, refused.json["error"]) == (2, "signatures-stale")
    assert heldout(owner.path, "signatures", "export", "faq").code == 0
    owner.git("add", "--all", "datasets")
    owner.save("Publish again")
    assert heldout(owner.path, "signatures", "check", "faq", "--against", "faq@HEAD").code == 0
    # The old version keeps its own.
    assert heldout(owner.path, "signatures", "check", "faq@v1.0.0", *AGAINST).code == 0
    refused = heldout(builder.path, "signatures", "check", "faq", "--against", "chat", "--json")
    assert (refused.code, refused.json["error"]) == (2, "unsealed")


@pytest.mark.req("A33")
def test_signatures_that_are_not_those_of_the_texts_are_found_by_whoever_can_read(owner: Team, tmp_path: Path) -> None:
    from dataclasses import replace

    from heldout.domain.method import DEFAULT_METHOD
    from heldout.storage.signature_file import parse_signatures, render_signatures

    file = owner.path / "datasets/faq/signatures.parquet"
    true = parse_signatures(file.read_bytes(), "f", DEFAULT_METHOD)
    file.unlink()
    file.write_bytes(render_signatures(replace(true, marks=true.marks ^ 1), DEFAULT_METHOD))
    owner.track("datasets/faq/signatures.parquet")
    owner.save("Wrong signatures")
    refused = heldout(owner.path, "signatures", "check", "faq", "--against", "faq@HEAD", "--json")
    assert (refused.code, refused.json["error"]) == (2, "signatures-wrong")


@pytest.mark.req("A33")
def test_an_export_is_the_same_twice_and_needs_what_dvc_tracks(owner: Team) -> None:
    file = owner.path / "datasets/faq/signatures.parquet"
    before = file.read_bytes()
    done = heldout(owner.path, "signatures", "export", "faq", "--json")
    assert (done.code, done.json["changed"], file.read_bytes()) == (0, False, before)
    assert owner.status() == []
    rows = owner.path / "datasets/faq/rows.jsonl"
    rows.chmod(0o644)
    rows.write_text(rows.read_text().replace("d1", "d7"))
    refused = heldout(owner.path, "signatures", "export", "faq", "--json")
    assert (refused.code, refused.json["error"]) == (2, "uncommitted-changes")
