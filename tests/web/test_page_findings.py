"""Leakage and changes through the page: the same answers as the commands give, and the same files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.banking import LEAKY
from support.story import Team
from web.conftest import Client

from heldout.web.run import start


def listed(client: Client, query: str = "") -> dict[str, Any]:
    answer = client.get(f"/api/findings?limit=500&{query}")
    assert answer.status == 200, answer.text
    return dict(answer.json)


def about(row: dict[str, Any]) -> dict[str, Any]:
    """What the page sends of a row that a decision is about."""
    return {"id": row["id"], "was": row["decision"]}


@pytest.fixture(scope="module")
def told(reading: Client) -> dict[str, Any]:
    """What `heldout findings` says of the same repository."""
    team = Team(reading.running.project.top)
    return dict(team.succeeds("findings", "--json").json)


@pytest.mark.req("B47")
def test_contamination_only_is_what_the_command_lists(reading: Client, told: dict[str, Any]) -> None:
    expected = {item["id"] for item in told["findings"] if item["holdout_contamination"]}
    found = listed(reading, "holdout=1")
    assert {row["id"] for row in found["rows"]} == expected
    assert found["matching"] == found["contaminations"] == len(expected) == 181
    assert found["total"] == told["total"]


@pytest.mark.parametrize(
    "query",
    ["kind=exact", "kind=near&kind=exact", "severity=review", "split=dev", "dataset=faq&holdout=1", "q=faq-00",
     "q=TEST/0", "decision=open", "decision=accepted"],
)  # fmt: skip
def test_filters(reading: Client, told: dict[str, Any], query: str) -> None:
    pairs = [part.split("=") for part in query.split("&")]

    def fits(item: dict[str, Any]) -> bool:
        sides = (item["a"], item["b"])
        tests = {
            "kind": lambda value: value in [item["kind"], *item["also"]],
            "severity": lambda value: item["severity"] == value,
            "split": lambda value: value in [side["split"] for side in sides],
            "dataset": lambda value: value in [side["dataset"] for side in sides],
            "holdout": lambda value: item["holdout_contamination"],
            "q": lambda value: any(value.lower() in f"{side['split']}/{side['key']}".lower() for side in sides),
            "decision": lambda value: value == "open",
        }
        names = {name for name, _ in pairs}
        return all(any(tests[name](value) for other, value in pairs if other == name) for name in names)

    found = listed(reading, query)
    assert found["matching"] == sum(map(fits, told["findings"]))
    assert {row["id"] for row in found["rows"]} <= {item["id"] for item in told["findings"] if fits(item)}


def test_pages_are_pieces_of_one_list(reading: Client) -> None:
    whole = [row["id"] for row in listed(reading)["rows"]]
    pieces = [
        row["id"]
        for start in range(0, 500, 70)
        for row in reading.get(f"/api/findings?offset={start}&limit=70").json["rows"]
    ]
    assert pieces[:500] == whole
    assert len(set(whole)) == 500
    beyond = reading.get("/api/findings?offset=999999&limit=10").json
    assert beyond["rows"] == []
    assert reading.get("/api/findings?offset=-1").status == 422


def test_families_stand_together(reading: Client) -> None:
    groups = [row["group"] for row in listed(reading)["rows"]]
    firsts = list(dict.fromkeys(groups))
    assert groups == sorted(groups, key=firsts.index)


@pytest.mark.req("B45")
def test_scans_are_listed_with_what_they_found(reading: Client) -> None:
    page = " ".join(reading.get("/leakage").text.split())
    for piece in ("banking77 <b>v1.0.0</b>", ">complete<", "13,083", "itself, banking77@v1.0.0", "minhash_lsh_v1"):
        assert piece in page
    assert '<b class="bad">175</b>' in page


@pytest.mark.req("B46")
def test_a_finding_shows_both_sides_and_the_versions_that_hold_them(reading: Client, told: dict[str, Any]) -> None:
    (known,) = [item for item in told["findings"] if item["id"].startswith("eaad5c50")]
    found = reading.get(f"/api/finding?id={known['id']}").json
    assert {found["a"]["key"], found["b"]["key"]} == {known["a"]["key"], known["b"]["key"]}
    held, other = (found["a"], found["b"]) if found["a"]["held"] else (found["b"], found["a"])
    assert held["versions"] == ["v1.0.0"], "it left the test file for v2.0.0"
    assert other["versions"] == ["v1.0.0", "v2.0.0"]
    marked = {piece for side in (held, other) for piece, differs in side["words"] if differs}
    assert marked == {"exorbitant?", "high?"}
    assert found["contaminates"] == [LEAKY]
    assert found["advice"]


def test_an_unknown_finding_is_none(reading: Client) -> None:
    answer = reading.get("/api/finding?id=0123456789abcdef")
    assert (answer.status, answer.json["error"]) == (404, "unknown-finding")


def test_accepting_writes_the_same_file_as_the_command(writing: Client, banking: Team) -> None:
    row = listed(writing, "holdout=1&kind=near")["rows"][3]
    body = {**about(row), "reason": "a greeting <b>", "expires": "2099-01-31", "decision": "accepted"}
    done = writing.post("/api/decide", body).json
    assert done["path"] == f"datasets/banking77/reviews/{row['id']}.yaml"
    assert done["awaits_reviewer"] is True
    assert done["decision"] == "awaits_reviewer"
    written = (banking.path / done["path"]).read_bytes()
    assert banking.status() == [f"?? {done['path']}"], "never committed by itself"
    banking.succeeds("review", "accept", row["id"], "--reason", "a greeting <b>", "--expires", "2099-01-31")
    assert (banking.path / done["path"]).read_bytes() == written
    assert [item["id"] for item in listed(writing, "decision=awaits_reviewer")["rows"]] == [row["id"]]
    assert "a greeting &lt;b&gt;" in writing.get("/changes").text
    assert writing.get(f"/api/finding?id={row['id']}").json["review"]["reason"] == "a greeting <b>"


def test_undo_takes_back_what_was_written_last(writing: Client, banking: Team) -> None:
    rows = listed(writing, "holdout=1&kind=near")["rows"][:2]
    first, second = (row["id"] for row in rows)
    for body in (*map(about, rows), {"id": second, "was": "awaits_reviewer"}):
        assert writing.post("/api/decide", {**body, "reason": f"about {body['id']}"}).status == 200
    place = banking.path / f"datasets/banking77/reviews/{second}.yaml"
    assert writing.post("/api/undo", {}).json["removed"] is False, "it was there before"
    assert place.exists()
    assert writing.post("/api/undo", {}).json["removed"] is True
    assert not place.exists()
    assert listed(writing, "decision=awaits_reviewer")["matching"] == 1
    other = banking.path / f"datasets/banking77/reviews/{first}.yaml"
    other.write_text(other.read_text().replace("about", "on second thought, about"))
    refused = writing.post("/api/undo", {})
    assert (refused.status, refused.json["error"]) == (409, "decision-changed")
    assert "on second thought" in other.read_text()


def test_a_decision_is_not_put_over_one_that_was_not_seen(writing: Client, banking: Team) -> None:
    """Two tabs with the same finding; and somebody who decides by command while the page is open."""
    one, two = listed(writing, "holdout=1&kind=near")["rows"][:2]
    assert writing.post("/api/decide", {**about(one), "reason": "first tab"}).status == 200
    banking.succeeds("review", "accept", two["id"], "--reason", "by command")
    for row, kept in ((one, "first tab"), (two, "by command")):
        answer = writing.post("/api/decide", {**about(row), "decision": "reopened", "reason": "second tab"})
        assert (answer.status, answer.json["error"]) == (409, "changed-meanwhile")
        assert "awaits reviewer now" in answer.json["message"]
        assert kept in (banking.path / f"datasets/banking77/reviews/{row['id']}.yaml").read_text(encoding="utf-8")


def test_nothing_to_undo(writing: Client) -> None:
    assert writing.post("/api/undo", {}).json["error"] == "nothing-to-undo"


@pytest.mark.parametrize(
    ("body", "slug"),
    [
        ({"reason": " "}, "reason-missing"),
        ({"reason": "x", "expires": "2001-01-01"}, "already-expired"),
        ({"reason": "x", "expires": "soon"}, "bad-day"),
        ({"reason": "x", "family": True}, "no-family"),
        ({"reason": 3}, "bad-request"),
    ],
)
def test_decisions_that_could_never_count_are_refused(reading: Client, body: dict[str, Any], slug: str) -> None:
    row = listed(reading, "holdout=1&kind=near")["rows"][0]
    assert reading.post("/api/decide", {**about(row), **body}).json["error"] == slug


def test_a_commit_elsewhere_is_seen_by_the_next_request(writing: Client, banking: Team) -> None:
    before = listed(writing)["total"]
    banking.git("tag", "-d", "faq@v1.0.0")
    banking.git("rm", "-rq", "datasets/faq")
    banking.save("Remove faq", "--no-verify")
    assert listed(writing)["total"] < before
    assert "faq" not in writing.get("/datasets").text


def test_datasets_show_versions_answers_and_coverage(reading: Client) -> None:
    page = " ".join(reading.get("/datasets").text.split())
    assert "156 held-out examples given away" in page
    assert (
        "banking77@v1.0.0 and faq@v1.0.0: compared in full; 5 held-out examples of banking77@v1.0.0 given away by"
        in page
    )
    assert "banking77@v2.0.0: compared with itself, across its splits<" in page


def test_a_change_of_a_holdout_awaits_approval(writing: Client, banking: Team) -> None:
    """The mended file removed 156 held-out questions; the first release of the branch is the base."""
    found = writing.get(f"/api/changes?base={LEAKY}").json
    (change,) = found["changes"]
    assert change["dataset"] == "banking77"
    assert change["counts"] == {"removed": 156}
    assert len(change["touched"]) == 156
    assert found["unread"] == []
    body = {"dataset": "banking77", "base": LEAKY, "reason": "agreed", "id": change["id"]}
    answer = writing.post("/api/changes/approve", body)
    assert answer.json["error"] == "own-review", "its author cannot"
    assert writing.get("/api/changes?base=nothing").status == 422


BOB = {
    "GIT_AUTHOR_NAME": "Bob", "GIT_AUTHOR_EMAIL": "bob@example.org",
    "GIT_COMMITTER_NAME": "Bob", "GIT_COMMITTER_EMAIL": "bob@example.org",
}  # fmt: skip


def test_decisions_that_cannot_be_read_are_listed_and_decide_nothing(
    writing: Client, banking: Team, tmp_path: Path
) -> None:
    damaged = [b"", b"format: [\n", b"format: heldout/review@1\nfinding: x\n", b"\x00\xff"]
    ids = [row["id"] for row in listed(writing, "holdout=1&kind=near")["rows"]][: len(damaged)]
    folder = banking.path / "datasets/banking77/reviews"
    folder.mkdir(exist_ok=True)
    for finding, text in zip(ids, damaged, strict=True):
        (folder / f"{finding}.yaml").write_bytes(text)
    banking.succeeds("report", "--html", str(tmp_path / "page.html"))
    answer = writing.get("/changes")
    assert answer.status == 200
    for page in (answer.text, (tmp_path / "page.html").read_text(encoding="utf-8")):
        assert page.count("malformed") >= len(damaged)
        assert all(f"{finding}.yaml" in page for finding in ids)
    assert writing.get(f"/api/finding?id={ids[0]}").json["review"] is None


def test_somebody_else_agrees(banking: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    """The author's decision is committed; Bob, at his own machine, agrees and commits: then it counts."""
    finding = banking.succeeds("findings", LEAKY, "--holdout-only", "--json").json["findings"][0]["id"]
    banking.succeeds("review", "accept", finding, "--reason", "a greeting", "--commit")
    for name, value in BOB.items():
        monkeypatch.setenv(name, value)
    running = start(banking.path)
    client = Client(running)
    client.enter()
    try:
        refused = client.post("/api/approve", {"id": finding, "read": "another reason"})
        assert (refused.status, refused.json["error"]) == (409, "changed-meanwhile")
        done = client.post("/api/approve", {"id": finding, "read": "a greeting"}).json
        assert done["review"]["reviewer"] == "Bob <bob@example.org>"
        assert done["decision"] == "not_agreed", "it is in no commit yet"
        banking.git("add", "datasets")
        banking.save("Agree")
        assert listed(client, "decision=accepted")["rows"][0]["id"] == finding
        again = {"id": finding, "was": "accepted", "decision": "reopened", "reason": "after all"}
        reopened = client.post("/api/decide", again).json
        assert reopened["review"]["decision"] == "reopened"
        (seen,) = client.get(f"/api/changes?base={LEAKY}").json["changes"]
        change = {"dataset": "banking77", "base": LEAKY, "reason": "agreed"}
        other = client.post("/api/changes/approve", {**change, "id": "0123456789abcdef"})
        assert (other.status, other.json["error"]) == (409, "changed-meanwhile")
        approved = client.post("/api/changes/approve", {**change, "id": seen["id"]}).json
        assert approved["lacks"] is None
        assert (banking.path / approved["file"]).exists()
    finally:
        running.stop()
