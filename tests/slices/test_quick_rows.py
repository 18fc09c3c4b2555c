"""Counting reads lines its own way: what it yields and what it refuses are the strict reader's, line by line."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from heldout.domain.dataset import DatasetSpec
from heldout.errors import DataError
from heldout.storage.dataset_file import parse_dataset
from heldout.storage.quick.rows import is_quick, quick_rows
from heldout.storage.readers import read_rows
from heldout.storage.rows import RowMapper

PARTS = ("split", "key", "input", "expected", "metadata", "source_kind", "review_status", "synthetic", "has_input")
GOOD = b'{"key":"a","split":"test","input":"x","metadata":{"n":1},"tags":["t"]}'
ODD = ('say "x":', "a\\b", "a\nb", "", "\x7f", "é", "\u2028")
"""Names of fields; JSON writes some of them otherwise than they are."""
BLOCKS = (1, 150, 1 << 14)
SPEC = parse_dataset(b"format: heldout/dataset@1\nname: x\ndata: [{path: x.jsonl}]\n", "dataset.yaml")


def spec(text: str) -> DatasetSpec:
    return parse_dataset(f"format: heldout/dataset@1\nname: x\n{text}\n".encode(), "dataset.yaml")


def quickly(data: bytes, block: int = 1 << 14) -> list[Any]:
    """In blocks of one byte each line is one: it is tried in the shape of the one before, then read plainly."""
    item = SPEC.data[0]
    assert is_quick(SPEC, item, "x.jsonl")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("heldout.storage.quick.rows._BLOCK", block)
        return _all(quick_rows(io.BytesIO(data), SPEC, item, "x.jsonl", RowMapper(SPEC)))


def strictly(data: bytes) -> list[Any]:
    item, mapper = SPEC.data[0], RowMapper(SPEC)
    return _all(mapper.example(row, item, "x.jsonl") for row in read_rows(io.BytesIO(data), item, "x.jsonl"))


def _all(rows: Any) -> list[Any]:
    """Rows as values (JSON text, which tells 1 from 1.0 and from true); at the end the refusal, if there is one."""
    found: list[Any] = []
    try:
        found.extend(json.dumps([*(_part(row, part) for part in PARTS), list(row.tags)]) for row in rows)
    except DataError as error:
        found.append((error.slug, str(error), error.line))
    return found


def _part(row: Any, part: str) -> Any:
    """A shape's rows tell a part that is null from one that is not there; conditions do not."""
    value = getattr(row, part)
    return None if value is UNSET else value


@pytest.mark.req("B18", "A50")
@pytest.mark.parametrize(
    "line",
    [
        GOOD,
        b"",
        b"  ",
        b"[1,2]",
        b"null",
        b"not json",
        b"\xef\xbb\xbf" + GOOD,
        GOOD + b"\r",
        GOOD + b"," + GOOD,
        b'{"key":"a","split":"test","input":',
        b'{"key":"a","key":"b","split":"test","input":"x"}',
        b'{"key":"a","split":"test","input":"x","metadata":{"n":1,"n":2}}',
        b'{"key":"a","split":"test","input":{"a":[{"b":1,"b":2}]}}',
        b'{"key":"a","split":"test","input":"x","metadata":"n","tags":["t"],"tags":["u"]}',
        b'{"key":"a","split":"test","input":"x","metadata":{"n":1,"m":{"o":1}},"tags":["t"]}',
        b'{"key":"a","split":"test","input":"x","metadata":{"n":1,"m":{"o":1,"o":2}},"tags":["t"]}',
        b'{"key":"a","split":"test","input":"x","metadata":{"n":1},"tags":["t"],"tags":["t"]}',
        b'{"key":"a","split":"test","input":"a: b","metadata":{"n":1},"tags":["t"]}',
        b'{"key":"a","split":"test","input":"a : b","metadata":{"n":1.25},"tags":["t"]}',
        b'{"key":"a","split":"test","input":{"a":{"b":1.0000000000000000001}},"metadata":{"n":1},"tags":["t"]}',
        b'{"key":"a","split":"test","input":[' + b'{"a":' * 120 + b"1" + b"}" * 120 + b'],"metadata":{},"tags":[]}',
        b'{"key":"a","split":"test","input":' + b'{"a":' * 220 + b"1" + b"}" * 220 + b',"metadata":{},"tags":[]}',
        b'{"key":"a","split":"test","input":"x","metadata":{"n":1},"tags":[""]}',
        b'{"key":"a","split":"\\u00a0","input":"x","metadata":{"n":1},"tags":["t"]}',
        b'{"key":"a","split":"test","input":null,"metadata":{"n":1},"tags":["t"]}',
        b'{"k\\u0065y":"a","split":"test","input":"x","metadata":{"n":1},"tags":["t"]}',
        b'{"key":"a","key":"b","split":"test","input":"a:b","metadata":{"n":1},"tags":["t"]}',
        b'{"key" :"a","key"  :"b","split":"test","input":"x"}',
        b'{"key":"a","split":"test","input":{"a\\\\":1,"a\\\\":2}}',
        b'{"key":"a","split":"test","input":"he said \\":\\" and \\\\"}',
        b'{"key":"a","split":"test","input":1e400}',
        b'{"key":"a","split":"test","input":1e-400}',
        b'{"key":"a","split":"test","input":9007199254740993.0}',
        b'{"key":"a","split":"test","input":1234567890.1234567890}',
        b'{"key":"a","split":"test","input":123456789012345678901234567890}',
        b'{"key":"a","split":"test","input":1.50}',
        b'{"key":"a","split":"test","input":NaN}',
        b'{"key":"a","split":"test","input":"\\ud800"}',
        b'{"key":"a","split":"test","input":"\xff"}',
        b'{"key":"a","split":"test","input":' + b"[" * 250 + b"]" * 250 + b"}",
        b'{"key":"a","split":"test","input":' + b"[" * 150 + b"]" * 150 + b"}",
        b'{"key":7,"split":"test","input":"x"}',
        b'{"key":"","split":"test","input":"x"}',
        b'{"key":null,"split":"test","input":"x"}',
        b'{"split":"test","input":"x"}',
        b'{"key":"a","split":3,"input":"x"}',
        b'{"key":"a","split":" ","input":"x"}',
        b'{"key":"a","split":["test"],"input":"x"}',
        b'{"key":"a","input":"x"}',
        b'{"key":"a","split":"test","input":null}',
        b'{"key":"a","split":"test","payload":"sha256:' + b"0" * 64 + b'"}',
        b'{"key":"a","split":"test","input":"x","tags":"one"}',
        b'{"key":"a","split":"test","input":"x","tags":""}',
        b'{"key":"a","split":"test","input":"x","tags":0}',
        b'{"key":"a","split":"test","input":"x","tags":[1]}',
        b'{"key":"a","split":"test","input":"x","tags":null,"metadata":null}',
        b'{"key":"a","split":"test","input":"x","metadata":[1]}',
        b'{"key":"a","split":"test","input":"x","synthetic":true,"source_kind":"web","review_status":4}',
        b'{"key":"a","split":"test","input":"x","synthetic":"true","source_kind":""}',
        b'{"key":"a","split":"test","input":"x","synthetic":1}',
    ],
)
def test_each_line_among_good_ones_is_read_or_refused_as_strictly(line: bytes) -> None:
    data = b"\n".join([GOOD, line, GOOD, GOOD]) + b"\n"
    wanted = strictly(data)
    for block in BLOCKS:
        assert quickly(data, block) == wanted


@pytest.mark.req("B18", "A50")
@pytest.mark.parametrize(
    "repeat", ['"key":"z",', '"tags":["u"],', '"source_kind":"web",', '"more":{"n":1,"n":2},', '"more":1,"more":1,']
)
@pytest.mark.parametrize("text", ["plain", "a: b", 'say \\":\\"', "\\u0022: x", 'say \\"\\u003a'])
def test_fields_that_come_and_go_hide_no_repeated_key(repeat: str, text: str) -> None:
    """A part that a row leaves out must not make up for one that it has twice."""
    row = '{"key":"a","split":"test","input":{"t":"%s"},"metadata":{"n":1}%s}'
    some = [
        row % (text, more) for more in ("", ',"tags":["t"]', ',"tags":[]', ',"source_kind":"web"', ',"expected":[]')
    ]
    data = "\n".join([*some, *some, "{" + repeat + (some[1] if "key" in repeat or "tags" in repeat else some[3])[1:]])
    wanted = strictly(data.encode())
    assert isinstance(wanted[-1], tuple) or "more" in repeat
    for block in (400, *BLOCKS):
        assert quickly(data.encode(), block) == wanted


@pytest.mark.req("B18")
@pytest.mark.parametrize("name", ODD)
def test_a_field_may_have_any_name(name: str) -> None:
    """What many rows have alike is what a shape is made for."""
    rows = [{"key": str(n), "split": "test", "input": "x", name: n} for n in range(300)]
    data = "\n".join(map(json.dumps, rows)).encode()
    wanted = strictly(data)
    assert len(wanted) == 300
    for block in BLOCKS:
        assert quickly(data, block) == wanted


@pytest.mark.req("B18")
@given(
    st.lists(
        st.fixed_dictionaries(
            {"split": st.sampled_from(["test", "train"]), "input": st.text() | st.integers() | st.floats(-1e9, 1e9)},
            optional={
                "key": st.text(min_size=1),
                "metadata": st.dictionaries(
                    st.text(), st.text() | st.booleans() | st.floats(allow_nan=False, width=32)
                ),
                "tags": st.lists(st.text(min_size=1), max_size=3),
                "expected": st.recursive(st.none() | st.text(), lambda inner: st.dictionaries(st.text(), inner)),
                **dict.fromkeys(ODD, st.integers() | st.text()),
            },
        )
    ),
    st.booleans(),
)
def test_any_rows_are_read_as_strictly(rows: list[dict[str, Any]], escaped: bool) -> None:
    data = "\n".join(json.dumps(row, ensure_ascii=escaped) for row in rows).encode("utf-8", "replace")
    wanted = strictly(data)
    for block in BLOCKS:
        assert quickly(data, block) == wanted


def test_only_plain_lines_of_the_own_shape_are_read_so() -> None:
    for text in (
        "data: [{path: x.csv}]",
        "data: [{path: x.jsonl, encoding: latin-1}]",
        "data: [{path: x.jsonl}]\nfields: {input: a.b}",
        "data: [{path: x.jsonl}]\nfields: {metadata: {n: n}}",
        "data: [{path: x.jsonl, split: {field: n}}]",
    ):
        made = spec(text)
        assert not is_quick(made, made.data[0], made.data[0].path)


@pytest.mark.req("B18")
@pytest.mark.parametrize(
    "text",
    [
        "data: [{path: x.jsonl}]\nfields: {key: id, input: text, expected: text2, split: part}",
        "data: [{path: x.jsonl, split: test}]\nfields: {key: id, input: text}",
        "data: [{path: x.jsonl, split: test}]\nfields: {key: id, input: text, expected: text}",
        "data: [{path: x.jsonl, split: test}]\nfields: {key: id, input: text, tags: kinds, source_kind: key}",
    ],
)
def test_mapped_fields_are_read_as_strictly(text: str) -> None:
    made = spec(text)
    item = made.data[0]
    rows = [
        {"id": str(number), "text": f"a {number}", "text2": number, "part": "a", "split": 3, "key": "k", "kinds": ["x"]}
        for number in range(9)
    ]
    rows[5]["id"] = ""
    data = "\n".join(map(json.dumps, rows)).encode()
    wanted = _all(RowMapper(made).example(row, item, "x.jsonl") for row in read_rows(io.BytesIO(data), item, "x.jsonl"))
    assert len(wanted) == 6
    for block in BLOCKS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("heldout.storage.quick.rows._BLOCK", block)
            assert _all(quick_rows(io.BytesIO(data), made, item, "x.jsonl", RowMapper(made))) == wanted


@pytest.mark.req("B18", "A50")
@pytest.mark.parametrize("name", ["x.jsonl.gz", "x.jsonl.zst", "x.jsonl"])
def test_a_line_of_a_packed_file_that_is_read_strictly(name: str) -> None:
    """The stream is unpacked already: what is left to the strict reader is one plain line, whatever the file's name."""
    odd = b'{"key":"b","split":"test","input":{"a":1,"b":{"c":12345678901234567890123}}}'
    data = b"\n".join([GOOD, odd, GOOD.replace(b'"a"', b'"c"', 1)]) + b"\n"
    packed = {"x.jsonl.gz": gzip.compress(data), "x.jsonl.zst": zstandard.compress(data)}.get(name, data)
    item, mapper = SPEC.data[0], RowMapper(SPEC)
    found = [row.key for row in quick_rows(io.BytesIO(packed), SPEC, item, name, mapper)]
    strict = [mapper.example(row, item, name).key for row in read_rows(io.BytesIO(packed), item, name)]
    assert found == strict == ["a", "b", "c"]
