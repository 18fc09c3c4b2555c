"""A definition that was recorded never changes: commits add, merges keep both, verify tells by Git's history."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support.cli import heldout
from support.story import Run, Team

FILE = "datasets/plain/slices/german.yaml"
pytestmark = pytest.mark.req("B15", "A5")


@pytest.fixture
def german(sliced: Team) -> Team:
    """The slice `german` is committed as number 1, and pushed."""
    assert heldout(sliced.path, "slice", "new", "plain", "german", "--where", "metadata.language eq de").code == 0
    sliced.git("add", "datasets")
    sliced.save("Name a slice")
    sliced.push("main")
    return sliced


def redefine(team: Team, language: str, *, path: str = FILE) -> str:
    """Edit the definition as a person does, above the history; the text as it is then."""
    head, history, rest = (team.path / path).read_text().partition("history:")
    changed = re.sub(r"value: \S+", f"value: {language}", head) + history + rest
    (team.path / path).write_text(changed)
    return changed


def history(team: Team) -> list[tuple[int, str]]:
    return [(item["number"], item["digest"]) for item in show(team)["history"]]


def show(team: Team, reference: str = "plain/german") -> Any:
    done = heldout(team.path, "slice", "show", reference, "--json")
    assert done.code == 0, done
    return done.json


def verify(team: Team, *arguments: str) -> Run:
    return team.heldout("verify", "--trust-records", "--json", *arguments)


def problems(found: Run) -> list[str]:
    """What fails. The scan of `outside` is incomplete, which is unknown and no concern of slices."""
    return [problem["text"] for problem in found.json["problems"] if problem["level"] == "failed"]


@pytest.mark.req("B16", "B17")
def test_a_commit_records_an_edited_definition_and_the_old_digest_still_resolves(german: Team) -> None:
    first = show(german)
    redefine(german, "fr")
    german.git("add", "datasets")
    said = german.save("Mean French")
    assert "number 2" in said
    second = show(german, "plain@HEAD/german")
    assert (second["number"], second["conditions"]) == (2, ["metadata.language eq fr"])
    old = show(german, f"plain@HEAD/german@{first['digest'][7:]}")
    assert (old["number"], old["definition"]) == (1, first["definition"])
    assert german.status() == []
    assert problems(verify(german)) == []


@pytest.mark.req("A4")
def test_a_reordered_or_respelled_definition_makes_no_number(german: Team) -> None:
    text = (german.path / FILE).read_text()
    german.write(
        FILE,
        text.replace("definition:\n", "# a remark\ndescription: Germans\ndefinition:\n", 1).replace(
            "  match: all\n", "", 1
        ),
    )
    german.git("add", "datasets")
    assert "number" not in german.save("Say more")
    assert [number for number, _ in history(german)] == [1]


def test_going_back_to_an_earlier_definition_makes_its_number_current(german: Team) -> None:
    for language in ("fr", "de"):
        redefine(german, language)
        german.git("add", "datasets")
        german.save(language)
    assert show(german)["number"] == 1
    assert [number for number, _ in history(german)] == [1, 2]


def test_the_commit_of_a_path_keeps_index_and_files_as_they_would_be(german: Team) -> None:
    redefine(german, "fr")
    german.write("aside.txt", "staged\n")
    german.git("add", "aside.txt")
    german.git("commit", "-q", "-m", "Only the slice", "--", FILE)
    assert show(german, "plain@HEAD/german")["number"] == 2
    assert german.status() == ["A  aside.txt"]


def test_an_edit_that_is_not_staged_stays_as_it_is(german: Team) -> None:
    redefine(german, "fr")
    german.git("add", "datasets")
    text = redefine(german, "en")
    german.save("The staged one")
    assert (german.path / FILE).read_text() == text
    assert show(german, "plain@HEAD/german")["conditions"] == ["metadata.language eq fr"]


@pytest.mark.req("B11")
def test_a_broken_slice_refuses_the_commit_with_file_line_and_field(german: Team) -> None:
    text = (german.path / FILE).read_text().replace("operator: eq", "operator: like", 1)
    german.write(FILE, text)
    german.git("add", "datasets")
    done = german.run("commit", "-q", "-m", "broken")
    assert done.returncode != 0
    line = next(number for number, content in enumerate(text.splitlines(), 1) if "like" in content)
    assert f"{FILE}:{line} (field definition.conditions[0].operator)" in done.stderr


def test_a_rewritten_entry_is_refused_by_the_commit_and_fails_verify(german: Team) -> None:
    redefine(german, "fr")
    text = (german.path / FILE).read_text()
    forged = show(german)["digest"]  # of the new definition, put in the place of number 1
    german.write(FILE, re.sub(r'digest: "[^"]*"', f'digest: "{forged}"', text).replace("value: de", "value: fr"))
    german.git("add", "datasets")
    done = german.run("commit", "-q", "-m", "rewrite")
    assert done.returncode != 0
    assert "slice german: number 1 was" in done.stderr
    german.bypass("commit", "-q", "-m", "rewrite")
    for arguments in ((), ("--base", "HEAD~1"), ("--all",)):
        found = verify(german, *arguments)
        assert found.code == 1, (arguments, found)
        assert any("slice german: number 1 was" in problem["text"] for problem in found.json["problems"]), found


def test_an_entry_that_does_not_fit_its_digest_fails_verify(german: Team) -> None:
    head, word, rest = (german.path / FILE).read_text().partition("history:")
    german.write(FILE, head + word + rest.replace("value: de", "value: fr"))
    german.git("add", "datasets")
    german.bypass("commit", "-q", "-m", "forge")
    found = verify(german, "--base", "HEAD~1")
    assert found.code == 1
    texts = [problem["text"] for problem in found.json["problems"]]
    assert any("number 1 of slice german was changed" in text for text in texts)


def test_a_slice_that_is_gone_or_not_recorded_fails_verify(german: Team) -> None:
    redefine(german, "fr")
    german.git("add", "datasets")
    german.bypass("commit", "-q", "-m", "not recorded")
    found = verify(german)
    assert (found.code, found.json["problems"][0]["slug"]) == (1, "slice-not-recorded")
    german.git("rm", "-q", FILE)
    german.bypass("commit", "-q", "-m", "gone")
    found = verify(german)
    assert found.code == 1
    assert "number 1 is gone" in found.json["problems"][0]["text"]


@pytest.mark.parametrize("published", [False, True])
def test_after_a_merge_both_histories_are_kept_and_the_published_numbers_stay(german: Team, published: bool) -> None:
    german.git("switch", "-q", "-c", "topic")
    redefine(german, "fr")
    german.git("add", "datasets")
    german.save("French")
    french = show(german)["digest"]
    german.git("switch", "-q", "main")
    redefine(german, "en")
    german.git("add", "datasets")
    german.save("English")
    english = show(german)["digest"]
    if published:
        german.push("main")
    german.git("switch", "-q", "topic")
    assert german.run("merge", "main").returncode != 0
    undecided = heldout(german.path, "slice", "save", "plain", "german", "--json")
    assert (undecided.code, undecided.json["error"]) == (2, "merge-conflict")
    done = heldout(german.path, "slice", "save", "plain", "german", "--prefer", "ours", "--json")
    assert done.code == 0, done
    order = [english, french] if published else [french, english]
    assert [digest for _, digest in history(german)][1:] == order
    assert show(german)["digest"] == french
    moved = done.json["slices"][0]["renumbered"]
    assert moved == [{"digest": order[1], "before": 2, "now": 3}]
    german.git("add", "datasets")
    german.git("commit", "-q", "--no-edit")
    assert problems(verify(german)) == []
