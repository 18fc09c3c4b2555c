"""The quick way to a row's address, digests and text, against the strict reader and the definition."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldout.domain.canonical import canonical_json
from heldout.domain.dataset import DataFile, DatasetSpec, Fields
from heldout.domain.members import member_of
from heldout.domain.text import text_of
from heldout.errors import DataError
from heldout.storage.quick.members import Facts, member_facts
from heldout.storage.readers import read_rows
from heldout.storage.rows import RowMapper

SPECS = [
    DatasetSpec("a", (DataFile("f.jsonl"),)),
    DatasetSpec("a", (DataFile("f.jsonl", split="test"),), Fields(input="text", key="id", expected="label")),
    DatasetSpec("a", (DataFile("f.jsonl"),), Fields(input="row.text", tags="kinds", split="part")),
    DatasetSpec("a", (DataFile("f.jsonl", split="test"),), Fields(input="text", metadata={"n": "id"})),
]

Outcome = tuple[list[Facts], list[str], str]


def quick(spec: DatasetSpec, data: bytes, *, own_names: bool, skip: bool) -> Outcome:
    bad: list[str] = []
    found: list[Facts] = []
    on_bad_row = (lambda error: bad.append(f"{error} {error.hint}")) if skip else None
    mapper = RowMapper(spec, own_names=own_names)
    try:
        # extended while they come: the facts before a refusal count too
        found.extend(
            member_facts(io.BytesIO(data), (spec, spec.data[0], "f.jsonl"), mapper, on_bad_row, own_names=own_names)
        )
    except DataError as error:
        return found, bad, f"{error} {error.hint}"
    return found, bad, ""


def strict(spec: DatasetSpec, data: bytes, *, own_names: bool, skip: bool) -> Outcome:
    """Every row by the strict reader, the mapper and the domain's own digests."""
    bad: list[str] = []
    found: list[Facts] = []
    on_bad_row = (lambda error: bad.append(f"{error} {error.hint}")) if skip else None
    mapper = RowMapper(spec, own_names=own_names)
    try:
        for row in read_rows(io.BytesIO(data), spec.data[0], "f.jsonl", on_bad_row):
            try:
                example = mapper.example(row, spec.data[0], "f.jsonl")
            except DataError as error:
                if on_bad_row is None:
                    raise
                on_bad_row(error)
                continue
            member = member_of(example)
            digests = tuple(
                bytes.fromhex(text.removeprefix("sha256:")) for text in (member.input, member.example, member.expected)
            )
            text = text_of(example.input) if example.has_input else None
            found.append(Facts(example.split, example.key, digests, text, example.line))  # type: ignore[arg-type]
    except DataError as error:
        return found, bad, f"{error} {error.hint}"
    return found, bad, ""


values = st.one_of(
    st.text(max_size=8),
    st.sampled_from([None, True, 0, -3, 1.5, 1e300, 2**70, 12345678901234567, [], {}, ["x", 1], {"é": 1, "a": [0.1]}]),
)
names = ["input", "text", "key", "id", "expected", "label", "split", "part", "tags", "kinds", "metadata", "payload"]
objects = st.dictionaries(st.sampled_from([*names, "row", "synthetic", "source_kind", "other", ""]), values, max_size=7)
usual = st.fixed_dictionaries(
    {"text": st.text(max_size=9), "input": st.text(max_size=9), "split": st.sampled_from(["train", "test", " "])},
    optional={"id": st.integers(0, 9) | st.text(max_size=3), "label": values, "key": st.text(max_size=2)},
)
lines = st.one_of(
    usual.map(json.dumps),
    usual.map(lambda row: json.dumps(row, ensure_ascii=False, separators=(" , ", " : "))),
    objects.map(json.dumps),
    st.builds(lambda row, text: json.dumps({**row, "row": {"text": text}}), objects, st.text(max_size=5)),
    st.sampled_from(
        ["", " ", "no json", '"text"', "[1]", '{"input": "a", "input": "b", "split": "x"}', '{"text": "\\ud800"}']
    ),
    st.sampled_from(['{"text": 1e999, "split": "x"}', '{"input": 0.1234567890123456789, "split": "x"}', "\ufeff{}"]),
)


@pytest.mark.req("A1", "A50")
@given(
    st.lists(lines, max_size=6),
    st.sampled_from(SPECS),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
)
def test_rows_and_refusals_are_those_of_the_strict_reader(
    rows: list[str], spec: DatasetSpec, own_names: bool, skip: bool, ending: str
) -> None:
    data = ending.join(rows).encode()
    assert quick(spec, data, own_names=own_names, skip=skip) == strict(spec, data, own_names=own_names, skip=skip)


@pytest.mark.req("A1")
def test_every_character_is_written_as_canonical_json_writes_it() -> None:
    from msgspec.json import encode

    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    assert [character for character in every if encode(character) != canonical_json(character)] == []
    text = "".join(every)
    assert encode(text) == canonical_json(text)


@pytest.mark.req("A50")
def test_a_line_without_an_end_is_refused_before_memory_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    from heldout.storage.quick import members as quick_members
    from heldout.storage.readers import source

    monkeypatch.setattr(quick_members, "ROW_LIMIT", 1 << 17)
    monkeypatch.setattr(source, "ROW_LIMIT", 1 << 17)

    class Endless(io.RawIOBase):
        taken = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: object) -> int:
            view = memoryview(buffer)  # type: ignore[arg-type]
            view[:] = b" " * len(view)
            self.taken += len(view)
            assert self.taken < 1 << 22
            return len(view)

    spec = SPECS[0]
    with pytest.raises(DataError) as caught:
        list(member_facts(Endless(), (spec, spec.data[0], "f.jsonl"), RowMapper(spec), None, own_names=True))  # type: ignore[arg-type]
    assert (caught.value.slug, caught.value.line) == ("row-too-large", 1)
