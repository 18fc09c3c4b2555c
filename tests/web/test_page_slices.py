"""Slices through the page: what is counted, previewed, refused and written."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.banking import SLICE
from support.story import Team
from web.conftest import Client

FILE = "datasets/banking77/slices/card-arrival.yaml"


def intents(team_path: Path, file: str = "test.csv") -> Counter[str]:
    with (team_path / "datasets/banking77" / file).open(newline="", encoding="utf-8") as stream:
        return Counter(row["category"] for row in csv.DictReader(stream))


def form(*conditions: tuple[str, str, str, str], match: str = "all", sample: Any = None) -> dict[str, Any]:
    fields = [dict(zip(("subject", "key", "operator", "value"), item, strict=True)) for item in conditions]
    return {"dataset": "banking77", "match": match, "conditions": fields, "sample": sample}


@pytest.mark.req("B19")
def test_counts_of_working_copy_and_latest_version(writing: Client, banking: Team) -> None:
    """An edited working copy is another number than the version; both are counted here with the csv module."""
    test = banking.path / "datasets/banking77/test.csv"
    before = intents(banking.path) + intents(banking.path, "train.csv")
    test.unlink()  # a link into DVC's cache
    test.write_text("text,category\nWhere is it?,card_arrival\n", encoding="utf-8")
    now = intents(banking.path) + intents(banking.path, "train.csv")
    found = writing.get("/api/slices/counts?dataset=banking77").json
    assert found["slices"] == ["card-arrival", "exchange"]
    for column, subject, counted in zip(
        found["columns"], ("banking77", "banking77@v2.0.0"), (now, before), strict=True
    ):
        assert column["subject"] == subject
        (cards, _) = column["counts"]
        assert cards["matched"] == counted["card_arrival"] + counted["lost_or_stolen_card"]
        assert (cards["total"], cards["unevaluable"]) == (sum(counted.values()), 0)


@pytest.mark.req("B23")
def test_a_preview_counts_what_is_not_saved(writing: Client, banking: Team) -> None:
    counted = intents(banking.path)["card_linking"]
    found = writing.post(
        "/api/slices/preview", form(("metadata", "intent", "eq", "card_linking"), ("split", "", "in", "test, dev"))
    ).json
    assert [column["subject"] for column in found["columns"]] == ["working copy", "banking77@v2.0.0"]
    assert [column["counts"][0]["matched"] for column in found["columns"]] == [counted, counted]
    assert len(found["examples"]) == 8
    assert all(example["split"] == "test" and example["text"] for example in found["examples"])
    assert banking.status() == []


@pytest.mark.parametrize(
    ("conditions", "place"),
    [
        ((("metadata", "", "eq", "x"),), ["conditions", 0, "key"]),
        ((("tag", "", "eq", "x"), ("split", "", "gt", "x")), ["conditions", 1, "operator"]),
        ((("metadata", "a", "eq", ""),), ["conditions", 0]),
        ((("metadata", "a", "eq", "one two"),), ["conditions", 0, "value"]),
        ((("field", "metadata.x", "eq", "1"),), ["conditions", 0, "key"]),
        ((("synthetic", "", "eq", "yes"),), ["conditions", 0, "value"]),
    ],
    ids=str,
)
def test_a_fault_leads_to_its_field(reading: Client, conditions: Any, place: list[Any]) -> None:
    for path in ("preview", "save", "new"):
        body = {**form(*conditions), "slice": "card-arrival", "seen": ""}
        assert reading.post(f"/api/slices/{path}", body).json["refused"]["place"] == place


def test_saving_writes_the_file_that_people_edit(writing: Client, banking: Team) -> None:
    seen = _seen(writing)
    wanted = form(
        ("metadata", "intent", "eq", "card_arrival"), ("metadata", "intent", "in", "lost_or_stolen_card, card_linking"),
        match="any",
    )  # fmt: skip
    done = writing.post("/api/slices/save", {**wanted, "slice": "card-arrival", "seen": seen}).json
    assert [entry["number"] for entry in done["added"]] == [2]
    text = (banking.path / FILE).read_text(encoding="utf-8")
    committed = banking.show(f"HEAD:{FILE}")
    for comment in ("# watched since the new supplier", "# the intent itself"):
        assert comment in text
    assert text[: text.index("    - subject")] == committed[: committed.index("    - subject")]
    assert banking.status() == [f" M {FILE}"], "nothing is committed, nothing staged"
    shown = banking.succeeds("slice", "show", "banking77/card-arrival", "--json").json
    assert shown["number"] == 2
    assert "metadata.intent in [card_linking, lost_or_stolen_card]" in shown["conditions"]
    assert banking.succeeds("slice", "save", "banking77", "--json").json["slices"][0]["added"] == [], "as the command"
    banking.git("add", "datasets")
    banking.save("Widen the slice")


def test_history_shows_what_changed(writing: Client, banking: Team) -> None:
    wanted = form(("metadata", "intent", "eq", "card_arrival"), match="any")
    writing.post("/api/slices/save", {**wanted, "slice": "card-arrival", "seen": _seen(writing)})
    page = writing.get("/slices?dataset=banking77&slice=card-arrival").text
    second = page[page.index("#2 <code>") : page.index("#1 <code>")]
    assert "removed: " in second
    assert "metadata.intent eq lost_or_stolen_card" in second
    assert "added: " not in second


def test_what_somebody_else_changed_meanwhile_is_not_overwritten(writing: Client, banking: Team) -> None:
    seen = _seen(writing)
    changed = SLICE.replace("ought to be.", "should be.")
    banking.write(FILE, changed)
    body = {**form(("tag", "", "exists", "")), "slice": "card-arrival", "seen": seen}
    answer = writing.post("/api/slices/save", body)
    assert (answer.status, answer.json["error"]) == (409, "changed-meanwhile")
    assert (banking.path / FILE).read_text() == changed


def test_a_form_of_a_commit_writes_nothing_over_the_working_copy(writing: Client, banking: Team) -> None:
    """The commit's file is not the working copy's, which somebody has edited and not committed."""
    seen = _seen(writing)
    changed = SLICE.replace("ought to be.", "should be.")
    banking.write(FILE, changed)
    body = {**form(("tag", "", "exists", "")), "dataset": "banking77@HEAD", "slice": "card-arrival", "seen": seen}
    assert writing.post("/api/slices/save", body).json["error"] == "not-a-working-copy"
    assert writing.post("/api/slices/new", {**body, "slice": "fine"}).json["error"] == "not-a-working-copy"
    assert (banking.path / FILE).read_text() == changed
    assert banking.status() == [f" M {FILE}"]


def test_what_cannot_be_recorded_leaves_the_file_as_it_was(writing: Client, banking: Team) -> None:
    """HEAD's history is gone from the file: recording is refused after the definition was written."""
    banking.write(FILE, SLICE)
    banking.git("add", FILE)
    banking.git("commit", "-q", "--no-verify", "-m", "Lose the history")
    other = SLICE + "history:\n"
    banking.write(FILE, other)
    committed = banking.write("datasets/banking77/slices/other.yaml", SLICE.replace("card-arrival", "other"))
    seen = _seen(writing)
    body = {**form(("slice", "", "eq", "other#7")), "slice": "card-arrival", "seen": seen}
    answer = writing.post("/api/slices/save", body)
    assert answer.status == 422
    assert (banking.path / FILE).read_text() == other
    committed.unlink()


@pytest.mark.req("A4")
def test_description_and_required_are_no_part_of_the_definition(writing: Client, banking: Team) -> None:
    """The preview says that the number stays; only their two lines are other ones, and no number is given."""
    arrival = (("metadata", "intent", "eq", "card_arrival"), ("metadata", "intent", "eq", "lost_or_stolen_card"))
    same = {**form(*arrival, match="any"), "slice": "card-arrival"}
    before = writing.post("/api/slices/preview", same).json
    assert before["saving"] == {"number": 1, "is_recorded": True, "about": []}
    about = {"description": "Cards: sent, and not there.", "required": False}
    told = writing.post("/api/slices/preview", {**same, **about}).json
    assert told["saving"] == {"number": 1, "is_recorded": True, "about": ["description", "required"]}
    assert told["digest"] == before["digest"]
    other = {**form(arrival[0], match="any"), "slice": "card-arrival"}
    assert writing.post("/api/slices/preview", other).json["saving"] == {
        "number": 2, "is_recorded": False, "about": [],
    }  # fmt: skip
    committed = (banking.path / FILE).read_text(encoding="utf-8")
    done = writing.post("/api/slices/save", {**same, **about, "seen": _seen(writing)}).json
    assert (done["added"], done["about"], done["number"]) == ([], ["description", "required"], 1)
    described = committed.replace(
        "description: Cards that are on their way, or ought to be.\nrequired: true\n",
        'description: "Cards: sent, and not there."\n',
    )
    assert (banking.path / FILE).read_text(encoding="utf-8") == described != committed
    again = writing.post("/api/slices/save", {**same, "required": True, "seen": done["seen"]}).json
    assert again["about"] == ["required"]
    shown = banking.succeeds("slice", "show", "banking77/card-arrival", "--json").json
    assert (shown["number"], shown["required"], shown["description"]) == (1, True, about["description"])


@pytest.mark.parametrize("field", [{"required": "yes"}, {"required": 1}, {"description": 3}, {"description": None}])
def test_what_is_said_of_a_slice_is_a_text_and_a_flag(reading: Client, field: dict[str, Any]) -> None:
    body = {**form(("tag", "", "exists", "")), "slice": "card-arrival", "seen": "", **field}
    for path in ("preview", "save"):
        assert reading.post(f"/api/slices/{path}", body).json["error"] == "bad-request"
    assert reading.post("/api/slices/new", {**body, "slice": "another"}).json["error"] == "bad-request"


def test_a_new_slice(writing: Client, banking: Team) -> None:
    body = {
        **form(("metadata", "intent", "contains", "refund"), sample={"size": 20, "seed": "s1"}),
        "slice": "refunds", "description": "Money back.", "required": True,
    }  # fmt: skip
    done = writing.post("/api/slices/new", body).json
    assert done["file"] == "datasets/banking77/slices/refunds.yaml"
    shown = json.loads(banking.succeeds("slice", "show", "banking77/refunds", "--json").out)
    assert (shown["number"], shown["required"], shown["description"]) == (1, True, "Money back.")
    assert writing.post("/api/slices/new", body).json["error"] == "slice-exists"
    assert writing.post("/api/slices/new", {**body, "slice": "../x"}).json["error"] == "bad-slice-name"


def _seen(client: Client) -> str:
    page = client.get("/slices?dataset=banking77&slice=card-arrival").text
    data = page[page.index('id="editor-data">') :].partition(">")[2].partition("</script>")[0]
    return str(json.loads(data)["seen"])
