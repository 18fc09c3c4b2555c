"""A slice's file: read strictly, appended to without touching what people wrote, and whole again after a merge."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from building import definitions
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.domain.slicing.definition import Condition, Definition, Sample
from heldout.domain.slicing.slices import Recorded, Slice, SliceReference, history_problems, slice_name_problem
from heldout.errors import ConfigError
from heldout.storage.slicing.file import append_history, parse_slice, render_slice, slice_of_path, slice_path
from heldout.storage.slicing.merge import resolve_conflict

PATH = "datasets/support/slices/german-billing.yaml"
GERMAN = Definition((Condition("metadata", "language", "eq", "de"), Condition("tag", None, "contains", "billing")))
SMALL = Definition(GERMAN.conditions, sample=Sample(50, "s", "topic"))
TEXT = """\
# The team's own words stay as they are.
format: heldout/slice@1
name: german-billing
description: 'Questions about bills, in German'   # for the weekly report
required: yes
definition:
  conditions:
    # asked for by the German team
    - {subject: metadata, key: language, operator: eq, value: de}
    - subject: tag
      operator: contains
      value: billing
"""
TEXT = TEXT.replace("required: yes", "required: true")


def fails(text: str | bytes, path: str = PATH) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse_slice(text.encode() if isinstance(text, str) else text, path)
    return caught.value


@pytest.mark.req("B1", "B24")
def test_a_file_says_what_people_wrote() -> None:
    item = parse_slice(TEXT.encode(), PATH)
    assert item == Slice("german-billing", GERMAN, (), "Questions about bills, in German", required=True)
    assert (item.current, item.next_number) == (None, 1)


@pytest.mark.req("B15", "B16")
@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.rstrip("\n"),
        TEXT + "history: []\n",
        TEXT + "history: []  # Heldout writes here\n",
        TEXT + "history:\n",
        TEXT + "history: null",
        "history: []\n" + TEXT,
        TEXT + "\n# the end\n",
        TEXT.replace("\n", "\r\n"),
        "\ufeff" + TEXT,
    ],
)
def test_history_is_appended_and_no_other_byte_changes(text: str) -> None:
    data = text.encode()
    first = append_history(data, PATH, Recorded.of(1, GERMAN))
    second = append_history(first, PATH, Recorded.of(2, SMALL))
    item = parse_slice(second, PATH)
    assert item.history == (Recorded.of(1, GERMAN), Recorded.of(2, SMALL))
    assert (item.current, item.next_number) == (Recorded.of(1, GERMAN), 3)
    for line in text.splitlines():
        if not line.startswith("history:"):
            assert line.encode() in second
    kept = data.split(b"history:")[0]
    assert second.startswith(kept)
    if b"history:" not in data:
        assert second.startswith(data)
        assert second.startswith(first)
    assert second.count(b"\n") == second.count(b"\r\n") or b"\r\n" not in second


def test_what_is_written_is_what_a_reviewer_reads() -> None:
    written = append_history(TEXT.encode(), PATH, Recorded.of(1, GERMAN)).decode()
    assert written == TEXT + (
        "history:\n"
        "- number: 1\n"
        f'  digest: "{GERMAN.digest}"\n'
        "  definition:\n"
        "    match: all\n"
        "    conditions:\n"
        "    - subject: metadata\n"
        "      key: language\n"
        "      operator: eq\n"
        "      value: de\n"
        "    - subject: tag\n"
        "      operator: contains\n"
        "      value: billing\n"
    )


@pytest.mark.parametrize("text", ["{format: heldout/slice@1, name: german-billing, definition: {conditions: []}}"])
def test_what_cannot_be_appended_to_is_refused_and_says_how_to_write_it(text: str) -> None:
    with pytest.raises(ConfigError, match="no entry can be added") as caught:
        append_history(text.encode(), PATH, Recorded.of(1, Definition(())))
    assert caught.value.slug == "slice-history"


@pytest.mark.req("B15", "A4")
def test_an_entry_that_is_not_the_next_one_is_not_appended() -> None:
    first = append_history(TEXT.encode(), PATH, Recorded.of(1, GERMAN))
    for entry in (Recorded.of(1, SMALL), Recorded.of(3, SMALL), Recorded.of(2, GERMAN)):
        with pytest.raises(ConfigError):
            append_history(first, PATH, entry)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(definitions(max_size=3), min_size=1, max_size=3, unique_by=lambda item: item.digest), st.text(max_size=20)
)
def test_a_new_file_reads_back(several: list[Definition], description: str) -> None:
    if not description.isprintable():
        description = ""
    history = tuple(Recorded.of(number, definition) for number, definition in enumerate(several, 1))
    item = Slice("german-billing", several[0], history, description, required=bool(description))
    assert parse_slice(render_slice(item), PATH) == item
    grown = render_slice(Slice("german-billing", several[0]))
    for entry in history:
        grown = append_history(grown, PATH, entry)
    assert parse_slice(grown, PATH).history == history


@pytest.mark.req("B11")
@pytest.mark.parametrize(
    ("before", "after", "slug", "line", "says"),
    [
        ("heldout/slice@1", "heldout/slice@2", "unknown-format", 2, "format: heldout/slice@1"),
        ("name: german-billing", "name: german", "bad-name", 3, "its file 'german-billing'"),
        ("name: german-billing", "name: german/billing", "bad-name", 3, "cannot name a slice"),
        ("name: german-billing\n", "", "missing-key", None, "'name' is needed"),
        ("required: true", "required: yes", "wrong-type", 5, "true or false"),
        ("required: true", "require: true", "unknown-key", 5, "unknown key 'require'"),
        ("definition:", "definitions:", "missing-key", None, "'definition' is needed"),
        ("  conditions:", "  match: either\n  conditions:", "bad-definition", 7, "all or any"),
        (
            "operator: eq",
            "operator: is",
            "bad-condition",
            9,
            "condition 1: unknown operator 'is'; allowed for metadata",
        ),
        ("      value: billing", "      value: 7", "bad-condition", 12, "condition 2: tag is compared with texts"),
        ("      value: billing", "      values: [a, 7]", "bad-condition", 12, "condition 2: contains takes one value"),
        ("      value: billing", "      valeu: billing", "bad-condition", 12, "condition 2: unknown key 'valeu'"),
        ("      value: billing", "      value: ~", "bad-condition", 12, "condition 2: null is no value"),
        ("      operator: contains\n", "", "bad-condition", 10, "condition 2: `operator` is needed"),
        ("    - subject: tag", "    - &a\n      subject: tag", "yaml-feature", None, "anchor"),
    ],
)
def test_a_fault_is_named_with_its_line(before: str, after: str, slug: str, line: int | None, says: str) -> None:
    assert before in TEXT
    error = fails(TEXT.replace(before, after, 1))
    assert (error.slug, error.file) == (slug, PATH)
    assert says in error.message
    if line is not None:
        assert error.line == line


@pytest.mark.req("A4", "A10")
def test_yaml_means_what_it_shows() -> None:
    rows = {"2024-01-01": "2024-01-01", "no": "no", "012": "012", "'1'": "1", "1": 1, "1.50": 1.5, "true": True}
    for written, value in rows.items():
        item = parse_slice(TEXT.replace("value: de", f"value: {written}").encode(), PATH)
        assert item.definition.conditions[0] == Condition("metadata", "language", "eq", value)


SAVED = append_history(
    append_history(TEXT.encode(), PATH, Recorded.of(1, GERMAN)), PATH, Recorded.of(2, SMALL)
).decode()


@pytest.mark.req("B15")
@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (
            "      value: de\n",
            "      value: fr\n",
            "number 1 of slice german-billing was changed after it was recorded",
        ),
        ("    match: all\n", "    match: any\n", "number 1 of slice german-billing was changed"),
        ("size: 50", "size: 60", "number 2 of slice german-billing was changed"),
        ("number: 2", "number: 3", "expected number 2 here, found 3"),
        ("number: 2", "number: 1", "expected number 2 here, found 1"),
        ("number: 1", "number: 0", "expected number 1 here, found 0"),
        ("number: 1", "number: one", "expected the number of a definition"),
        ("number: 1", "number: true", "expected the number of a definition"),
        ('digest: "sha256:', 'digest: "sha256:0', "sha256: and 64 hex digits"),
        (f'digest: "{GERMAN.digest}"', f'digest: "{SMALL.digest}"', "was changed after it was recorded"),
        ("number: 1\n", "number: 1\n  by: me\n", "unknown key 'by'"),
    ],
)
def test_a_rewritten_history_is_refused_naming_slice_and_number(before: str, after: str, says: str) -> None:
    head, history = SAVED.split("history:")
    assert before in history
    error = fails(head + "history:" + history.replace(before, after, 1))
    assert says in error.message
    assert error.line is not None
    assert error.line > head.count("\n")


@pytest.mark.req("A4", "B15")
def test_a_reordered_definition_is_the_one_that_is_recorded() -> None:
    again = Definition(GERMAN.conditions[::-1])
    item = Slice("german-billing", again, (Recorded.of(1, GERMAN),))
    assert item.current == Recorded.of(1, GERMAN)


@pytest.mark.req("B15", "B16", "A5")
def test_an_old_definition_stays_within_reach_and_can_be_current_again() -> None:
    history = (Recorded.of(1, GERMAN), Recorded.of(2, SMALL))
    item = Slice("german-billing", SMALL, history)
    assert item.current == history[1]
    assert item.find_number(1) == item.find_digest(GERMAN.digest) == history[0]
    assert Slice("german-billing", GERMAN, history).current == history[0]
    for text, found in {
        "german-billing": history[1:],
        "german-billing#1": history[:1],
        f"german-billing@{GERMAN.digest}": history[:1],
        f"german-billing@{SMALL.digest[7:15]}": history[1:],
        "german-billing#3": (),
    }.items():
        reference = SliceReference.parse(text)
        assert reference is not None
        assert item.find(reference) == found
        assert SliceReference.parse(str(reference)) == reference


@pytest.mark.parametrize(
    "text", ["", "#1", "a#0", "a#", "a#01", "a@", "a@xyz", "a@abc", "a#1@abcd", "a/b", "-a", "a b"]
)
def test_what_names_no_definition_is_no_reference(text: str) -> None:
    assert SliceReference.parse(text) is None


@pytest.mark.req("B15")
def test_a_later_history_keeps_every_entry() -> None:
    one, two = Recorded.of(1, GERMAN), Recorded.of(2, SMALL)
    assert history_problems([one], [one, two]) == []
    assert history_problems([one, two], [one]) == ["number 2 is gone"]
    assert history_problems([one], [Recorded.of(1, SMALL)]) == [f"number 1 was {GERMAN.digest} and is {SMALL.digest}"]


@pytest.mark.parametrize("name", ["a", "german-billing", "A_1", "2024-01"])
def test_names(name: str) -> None:
    assert slice_name_problem(name) is None
    assert slice_of_path(slice_path("team/support", name)) == ("team/support", name)


@pytest.mark.parametrize("name", ["", "-a", "a-", "a/b", "a.b", "a#1", "a@b", "ä", "a b", "a\n"])
def test_what_cannot_be_a_name(name: str) -> None:
    assert slice_name_problem(name)


@pytest.mark.parametrize(
    "path",
    [
        "datasets/a/slices/b.yml",
        "datasets/a/b.yaml",
        "a/slices/b.yaml",
        "datasets/slices/b.yaml",
        "datasets/a/slices/c/b.yaml",
    ],
)
def test_what_is_no_file_of_a_slice(path: str) -> None:
    assert slice_of_path(path) is None


FRENCH = Definition((Condition("metadata", "language", "eq", "fr"), Condition("tag", None, "contains", "billing")))
DUTCH = Definition((Condition("metadata", "language", "eq", "nl"), Condition("tag", None, "contains", "billing")))


def edited(base: bytes, value: str, number: int, definition: Definition) -> bytes:
    changed = base.replace(b"eq, value: de", f"eq, value: {value}".encode(), 1)
    return append_history(changed, PATH, Recorded.of(number, definition))


def merged(folder: Path, ours: bytes, base: bytes, theirs: bytes, *style: str) -> bytes:
    for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
        (folder / name).write_bytes(data)
    command = ["git", "merge-file", "-p", *style, "ours", "base", "theirs"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert done.returncode > 0  # the number of conflicts
    return done.stdout


@pytest.mark.req("A5", "B15")
@pytest.mark.parametrize("style", [(), ("--diff3",), ("--zdiff3",)])
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_two_branches_that_add_one_number_conflict_and_saving_keeps_both(
    tmp_path: Path, style: tuple[str, ...], first: bool, line_end: str
) -> None:
    base = TEXT.replace("\n", line_end).encode()
    if not first:
        base = append_history(base, PATH, Recorded.of(1, GERMAN))
    number = 1 if first else 2
    ours, theirs = edited(base, "fr", number, FRENCH), edited(base, "nl", number, DUTCH)
    conflict = merged(tmp_path, ours, base, theirs, *style)

    error = fails(conflict)
    assert (error.slug, conflict.splitlines()[(error.line or 0) - 1][:7]) == ("merge-conflict", b"<<<<<<<")
    with pytest.raises(ConfigError, match="two branches changed what stands above"):
        resolve_conflict(conflict, PATH)

    before = () if first else (Recorded.of(1, GERMAN),)
    both = (*before, Recorded.of(number, FRENCH), Recorded.of(number + 1, DUTCH))
    resolved = resolve_conflict(conflict, PATH, "ours")
    assert resolved.startswith(ours)
    assert parse_slice(resolved, PATH) == Slice(
        "german-billing", FRENCH, both, "Questions about bills, in German", True
    )
    resolved = resolve_conflict(conflict, PATH, "theirs")
    assert resolved.startswith(theirs.split(b"history:")[0])
    assert parse_slice(resolved, PATH) == Slice("german-billing", DUTCH, both, "Questions about bills, in German", True)

    # or the person takes our definition in an editor, and leaves the history alone
    start = conflict.index(b"<<<<<<<")
    end = conflict.index(b"\n", conflict.index(b">>>>>>>")) + 1
    if b"history:" not in conflict[start:end]:  # with few lines between, one conflict holds both
        chosen = ours[ours.index(b"    - {") : ours.index(b"    - subject")]
        assert resolve_conflict(conflict[:start] + chosen + conflict[end:], PATH) == resolve_conflict(
            conflict, PATH, "ours"
        )


def test_keys_after_the_history_are_not_guessed_at() -> None:
    text = f"<<<<<<< a\nhistory: []\n=======\nhistory:\n>>>>>>> b\n{TEXT}"
    with pytest.raises(ConfigError, match="keys after `history`"):
        resolve_conflict(text.encode(), PATH, "ours")


def test_a_marker_without_an_end_is_refused() -> None:
    with pytest.raises(ConfigError, match="a conflict marker has no end"):
        resolve_conflict(TEXT.encode() + b"<<<<<<< ours\nhistory: []\n", PATH)


@pytest.mark.req("A5")
def test_both_sides_accepted_in_an_editor_are_numbered_anew() -> None:
    base = append_history(TEXT.encode(), PATH, Recorded.of(1, GERMAN))
    ours = append_history(base, PATH, Recorded.of(2, FRENCH))
    theirs = append_history(base, PATH, Recorded.of(2, DUTCH)).removeprefix(base)
    error = fails(ours + theirs)
    assert error.slug == "slice-history"
    assert error.hint == "heldout slice save keeps both and numbers them anew."
    resolved = resolve_conflict(ours + theirs, PATH)
    assert resolved == ours + theirs.replace(b"number: 2", b"number: 3")
    assert [entry.digest for entry in parse_slice(resolved, PATH).history] == [
        GERMAN.digest,
        FRENCH.digest,
        DUTCH.digest,
    ]


@pytest.mark.req("A5")
def test_one_definition_on_both_branches_is_one_entry(tmp_path: Path) -> None:
    base = append_history(TEXT.encode(), PATH, Recorded.of(1, GERMAN))
    ours = append_history(append_history(base, PATH, Recorded.of(2, DUTCH)), PATH, Recorded.of(3, SMALL))
    theirs = append_history(append_history(base, PATH, Recorded.of(2, FRENCH)), PATH, Recorded.of(3, DUTCH))
    resolved = resolve_conflict(merged(tmp_path, ours, base, theirs), PATH)
    found = [entry.digest for entry in parse_slice(resolved, PATH).history]
    assert found == [GERMAN.digest, DUTCH.digest, SMALL.digest, FRENCH.digest]


def test_a_file_without_conflict_is_left_alone() -> None:
    assert resolve_conflict(SAVED.encode(), PATH) == SAVED.encode()
    assert resolve_conflict(TEXT.encode(), PATH) == TEXT.encode()


def test_any_other_disorder_is_left_to_people() -> None:
    broken = SAVED.replace("number: 2", "number: 4").encode()
    assert resolve_conflict(broken, PATH) == broken
    assert fails(broken).slug == "slice-history"


def test_a_rule_of_equals_signs_in_a_description_is_no_marker() -> None:
    text = TEXT.replace("description: 'Questions", "description: '<<<<<<<Questions ======= ")
    assert parse_slice(text.encode(), PATH).name == "german-billing"
