"""YAML read strictly and written to fixed bytes; PyYAML and ruamel's own loader are the independent readers."""

from __future__ import annotations

import contextlib

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from heldout.errors import ConfigError
from heldout.storage.yaml.files import _parse_full, dump_yaml, load_yaml, load_yaml_located
from heldout.storage.yaml.simple import parse_simple

text = st.text(st.characters(exclude_categories=("Cs",)), max_size=10) | st.sampled_from(
    ["no", "012", "1e3", "null", "~", "2020-01-01", "- a", "a: b", "# x", "", " ", "a b", "true", "=", "<<", "1_0"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=10,
)


@given(values)
@settings(max_examples=80, deadline=None)
def test_what_is_written_is_read_back_by_every_reader(value: object) -> None:
    data = dump_yaml(value)  # type: ignore[arg-type]
    assert load_yaml(data, "f") == value
    assert _parse_full(data.decode(), "f")[0] == value
    if not _holds_exponent(value):
        assert yaml.safe_load(data) == value


def _holds_exponent(value: object) -> bool:
    """PyYAML reads 1e+20 as text, a known departure of YAML 1.1."""
    return "e+" in repr(value) or "e-" in repr(value)


@given(values)
@settings(max_examples=80, deadline=None)
def test_the_fast_parser_agrees_with_the_full_one(value: object) -> None:
    source = dump_yaml(value).decode()  # type: ignore[arg-type]
    fast = parse_simple(source)
    if fast is not None:
        assert fast == _parse_full(source, "f")


def test_pointer_and_record_styles_take_the_fast_parser() -> None:
    pointer = "outs:\n- md5: d8e8fca2dc0f896fd7cb4cb0031ba249\n  size: 5\n  hash: md5\n  path: train.csv\n"
    assert parse_simple(pointer) is not None
    assert load_yaml(pointer.encode(), "f") == yaml.safe_load(pointer)
    record = {"format": "heldout/scan@1", "source": "sha256:" + "a" * 64, "n": 1, "of": [{"a": [], "b": {"c": None}}]}
    assert parse_simple(dump_yaml(record).decode()) is not None  # type: ignore[arg-type]


HAND_WRITTEN = """\
# what people write
format: heldout/dataset@1
name: support
description: Questions of customers, "labelled" by intent (2024); größer & [so on]
data:
  - {path: train.csv, split: train}  # the first
  - path: 'it''s.jsonl'
    split: {field: n, ranges: {train: [1, 10], test: [11, 25]}}
  - {"path": "a b.csv", columns: [], split: 'no'}
holdout: [test]  # only this
"""


def test_a_dataset_as_people_write_it_takes_the_fast_parser() -> None:
    """Importing the other one costs each hook 70 ms."""
    assert parse_simple(HAND_WRITTEN) == _parse_full(HAND_WRITTEN, "f")
    assert load_yaml(HAND_WRITTEN.encode(), "f") == yaml.safe_load(HAND_WRITTEN)


@pytest.mark.parametrize(
    "text",
    ["a: [b", "a: [b]]", "a: {b}", "a: {b: }", "a: {b: c, b: d}", "a: [b: c]", "a: [- b]", "a: [b, ]",
     "a: {[b]: c}", "a: 'b' c", "a: [b] c", "a: {b:c}", "a: [b #c]", "a: [&b c]", "a: [*b]", "a: [!b c]",
     "a: ['\\u00e9', \"\\u00e9\"]", "a: [b\n  ]", "a: b: c", "a: |  # c\n  b", "a: 'b # c'",
     'a: "b" # c', "a: [%b]", "a: [? b]", "a: [@b]", "a: [`b]"],
)  # fmt: skip
def test_brackets_that_say_something_else_are_left_to_the_full_parser(text: str) -> None:
    fast = parse_simple(text + "\n")
    if fast is None:
        return
    assert fast == _parse_full(text + "\n", "f")


@pytest.mark.parametrize("form", ["[%s]", "[%s, b]", "[b, %s]", "[[%s]]", "{%s: 1}", "{x: 1, %s: 2}", "{x: %s}"])
@pytest.mark.parametrize("start", "-./+~Aa0=(@%")
def test_marks_between_brackets_mean_what_the_full_parser_says(start: str, form: str) -> None:
    for rest in ("", " ", "-", "- ", " a", " -", " - a", "-- a", ". a", " -a", " .", "=", " =", " (", ".. a", "-: b"):
        source = f"a: {form % (start + rest)}\n"
        fast = parse_simple(source)
        if fast is not None:
            assert fast == _parse_full(source, "f"), source


def test_fixed_bytes() -> None:
    value = {"digest": "sha256:00", "name": "support/en", "list": ["a", {"k": 1, "l": ["no"]}], "none": None, "e": []}
    assert dump_yaml(value) == (  # type: ignore[arg-type]
        b'digest: "sha256:00"\nname: support/en\nlist:\n- a\n- k: 1\n  l:\n  - "no"\nnone: null\ne: []\n'
    )


@pytest.mark.req("A49")
def test_values_stay_what_the_user_wrote() -> None:
    source = (
        b"date: 2024-01-02\nno: no\nzip: 012\nhex: 0x1f\nn: 12\nf: 1.50\n"
        b"t: true\ntime: 12:30:45\nu: 1_000\nq: 'yes'\n1: a\n"
    )
    assert load_yaml(source, "f") == {
        "date": "2024-01-02",
        "no": "no",
        "zip": "012",
        "hex": "0x1f",
        "n": 12,
        "f": 1.5,
        "t": True,
        "time": "12:30:45",
        "u": "1_000",
        "q": "yes",
        "1": "a",
    }


@pytest.mark.req("A49")
@pytest.mark.parametrize(
    ("source", "slug", "line"),
    [
        (b"a: 1\nb: &x [1]\n", "yaml-feature", 2),
        (b"a: 1\nb: *x\n", "yaml-feature", 2),
        (b"a: !!str 1\n", "yaml-feature", 1),
        (b"a: 1\n---\nb: 1\n", "yaml-feature", 2),
        (b"%YAML 1.1\n---\na: no\n", "yaml-feature", 2),
        (b"a: 1\nb: 2\na: 3\n", "duplicate-key", 3),
        (b"? [a]\n: 1\n", "yaml-feature", 1),
        (b"a: 1\nb: [1\n", "bad-yaml", 3),
        (b"a: 1\nb: \xff\n", "bad-encoding", 2),
        (b"a: 1e999\n", "bad-yaml", 1),
        (b"a:\tb: c\n", "bad-yaml", 1),
        (b"a: \x00\n", "bad-yaml", None),
        (b"[" * 5000, "bad-yaml", None),
        (b"- " * 5000, "bad-yaml", 1),
    ],
)
def test_refusals(source: bytes, slug: str, line: int | None) -> None:
    with pytest.raises(ConfigError) as caught:
        load_yaml(source, "f.yaml")
    assert (caught.value.slug, caught.value.line) == (slug, line)


def test_lines_are_known() -> None:
    located = load_yaml_located(b"# c\na: 1\nb:\n- x\n- y: 2\n  z: [1,\n    2]\n", "f")
    assert located.value == {"a": 1, "b": ["x", {"y": 2, "z": [1, 2]}]}
    assert (located.line("a"), located.line("b", 1, "z"), located.line("b", 1, "z", 1)) == (2, 6, 7)
    assert located.line("b", 1, "nope") == 5
    assert located.line("nope") is None


def test_empty_document_is_null() -> None:
    assert load_yaml(b"", "f") is None
    assert load_yaml(b"# only a comment\n", "f") is None


@given(st.binary(max_size=60) | st.text("ab:-[]{}#&*!|>'\"\n ,?%@`0", max_size=40).map(str.encode))
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    # Anything but a ConfigError fails the test.
    with contextlib.suppress(ConfigError):
        load_yaml(data, "f")
