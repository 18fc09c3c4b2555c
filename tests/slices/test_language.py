"""The one-line form of a condition: what it means, what it refuses and where, and that it can be written back."""

from __future__ import annotations

import pytest
from building import conditions
from hypothesis import example, given, settings
from hypothesis import strategies as st

from heldout.domain.slicing.definition import Condition
from heldout.domain.slicing.language import LanguageError, parse_condition, render_condition
from heldout.domain.slicing.rules import OPERATORS


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("metadata.language eq de", Condition("metadata", "language", "eq", "de")),
        ("tag contains billing", Condition("tag", None, "contains", "billing")),
        ('tag contains "billing question"', Condition("tag", None, "contains", "billing question")),
        ("tag contains 'billing question'", Condition("tag", None, "contains", "billing question")),
        ("  tag\teq   x  ", Condition("tag", None, "eq", "x")),
        ("metadata.n gt 3", Condition("metadata", "n", "gt", 3)),
        ("metadata.n lte -1.5e3", Condition("metadata", "n", "lte", -1500.0)),
        ("metadata.n eq 9007199254740993", Condition("metadata", "n", "eq", 9007199254740993)),
        ('metadata.n gt "3"', Condition("metadata", "n", "gt", "3")),
        ("metadata.n eq 012", Condition("metadata", "n", "eq", "012")),
        ("metadata.n eq .5", Condition("metadata", "n", "eq", ".5")),
        ("metadata.n eq 2024-01-01", Condition("metadata", "n", "eq", "2024-01-01")),
        ("metadata.x eq true", Condition("metadata", "x", "eq", True)),
        ("metadata.x eq 'true'", Condition("metadata", "x", "eq", "true")),
        ("metadata.x eq True", Condition("metadata", "x", "eq", "True")),
        ("metadata.x eq no", Condition("metadata", "x", "eq", "no")),
        ("metadata.x eq 'null'", Condition("metadata", "x", "eq", "null")),
        ('metadata.x eq ""', Condition("metadata", "x", "eq", "")),
        ("synthetic eq false", Condition("synthetic", None, "eq", False)),
        ("metadata.x exists", Condition("metadata", "x", "exists")),
        ("tag not_exists", Condition("tag", None, "not_exists")),
        ("split in [test, dev]", Condition("split", None, "in", values=("dev", "test"))),
        ("split in test,dev", Condition("split", None, "in", values=("dev", "test"))),
        ("split in test , dev", Condition("split", None, "in", values=("dev", "test"))),
        ("split in test", Condition("split", None, "in", values=("test",))),
        ("split not_in [test]", Condition("split", None, "not_in", values=("test",))),
        ('metadata.x in [a, "b, c", 3, true]', Condition("metadata", "x", "in", values=("a", "b, c", 3, True))),
        ("input.text contains refund", Condition("field", "input.text", "contains", "refund")),
        ("field.input.text contains refund", Condition("field", "input.text", "contains", "refund")),
        ("input contains refund", Condition("field", "input", "contains", "refund")),
        ("field.input contains refund", Condition("field", "input", "contains", "refund")),
        (r"input.a\.b.0 exists", Condition("field", r"input.a\.b.0", "exists")),
        ('input."two words" exists', Condition("field", "input.two words", "exists")),
        ('field."input.two words" exists', Condition("field", "input.two words", "exists")),
        (r'input."a\\.b" exists', Condition("field", r"input.a\.b", "exists")),
        ("metadata.a.b eq x", Condition("metadata", "a.b", "eq", "x")),
        ('metadata."a key, quoted" eq x', Condition("metadata", "a key, quoted", "eq", "x")),
        ("metadata.größe eq groß", Condition("metadata", "größe", "eq", "groß")),
        ("tag eq 請求", Condition("tag", None, "eq", "請求")),
        ("tag eq a=b&c;d", Condition("tag", None, "eq", "a=b&c;d")),
        (r"tag eq C:\temp", Condition("tag", None, "eq", r"C:\temp")),
        (r'tag eq "say \"hi\""', Condition("tag", None, "eq", 'say "hi"')),
        (r"tag eq 'it\'s'", Condition("tag", None, "eq", "it's")),
        ("tag eq 'say \"hi\"'", Condition("tag", None, "eq", 'say "hi"')),
        (r'tag eq "\u00e9\n\t\\\/"', Condition("tag", None, "eq", "é\n\t\\/")),
        (r'tag eq "\ud83d\udc4d"', Condition("tag", None, "eq", "👍")),
    ],
)
def test_a_line_is_a_condition(text: str, condition: Condition) -> None:
    assert parse_condition(text) == condition
    assert parse_condition(render_condition(condition)) == condition


@pytest.mark.req("B11")
@pytest.mark.parametrize(
    # a caret below the text stands where the message points
    ("text", "caret", "reason"),
    [
        ("", "^", "expected a subject"),
        ("   ", "   ^", "expected a subject"),
        ("tag", "   ^", "expected an operator"),
        ("tag eq", "      ^", "expected a value after eq"),
        ("tag in", "      ^", "expected a value after in"),
        ("tagg eq x", "^", "unknown subject 'tagg'; allowed: tag, metadata"),
        ("Metadata.a eq x", "^", "unknown subject"),
        ("tag gt 3", "    ^", "gt is not allowed for tag; allowed for tag: eq"),
        ("tag = 3", "    ^", "unknown operator '='; allowed for tag: eq"),
        ("tag.x eq a", "    ^", "tag takes no key"),
        ("metadata eq a", "        ^", "metadata needs a key"),
        ("metadata. eq a", "         ^", "metadata needs a key"),
        ("field.metadata.a eq a", "      ^", "has to start with input. or expected."),
        ("expected eq a", "^", "has to start with input. or expected."),
        ("input..a eq a", "^", "is no field path"),
        ("metadata.x eq null", "              ^", "null is no value"),
        ("metadata.x gt true", "              ^", "gt compares with a number or a text"),
        ("metadata.x in [a, null]", "                  ^", "null is no value"),
        ("tag in [a, b, 3]", "              ^", "tag is compared with texts, found 3"),
        ("metadata.x exists 3", "                  ^", "exists takes no value"),
        ("tag contains billing issue", "                     ^", "expected the end after one value"),
        ("tag eq a,b", "        ^", "eq takes one value"),
        ("tag eq [a]", "       ^", "expected a value"),
        ("tag in []", "        ^", "expected a value"),
        ("tag in [a b]", "          ^", "expected a comma or the closing ]"),
        ("tag in [a, b", "            ^", "expected a comma or the closing ]"),
        ("tag in [a], b", "          ^", "expected a comma between values, or the end"),
        ("tag in a b", "         ^", "expected a comma between values"),
        ("tag in a,,b", "         ^", "expected a value"),
        ('tag eq "abc', "       ^", "is never closed"),
        ("tag eq 'abc\"", "       ^", "is never closed"),
        ('tag eq "a"b', "          ^", "after the closing quote"),
        ("tag eq O'Neill", "        ^", "a quote inside a word"),
        (r'tag eq "a\qb"', "         ^", r"unknown escape \q"),
        (r'tag eq "a\ud800b"', "         ^", "half of a surrogate pair"),
        (r'tag eq "\u12"', "        ^", r"unknown escape \u"),
        ('metadata.a"b" eq x', "          ^", "a quote opens after a dot"),
        ('metadata."a".b eq x', "            ^", "expected a space after the quoted key"),
        ("metadata.x eq 1e999", "              ^", "too large for a 64-bit float"),
        ("metadata.x in [1, 0.10000000000000000001]", "                  ^", "more digits than a 64-bit float"),
        ("tag eq 請求 x", "            ^", "expected the end after one value"),  # a terminal gives them two columns
    ],
)
def test_a_line_that_is_no_condition_is_refused_at_its_character(text: str, caret: str, reason: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse_condition(text)
    assert reason in caught.value.reason
    assert caught.value.pointed() == f"{text}\n{caret}"
    assert str(caught.value).endswith(f"(character {caught.value.position + 1})")


def test_a_hint_offers_the_line_that_was_meant() -> None:
    with pytest.raises(LanguageError) as caught:
        parse_condition("tag contains billing issue")
    assert caught.value.hint == 'Put quotes around it all: "billing issue"'
    with pytest.raises(LanguageError) as caught:
        parse_condition("metdata.language eq de")
    assert caught.value.hint == "Did you mean 'metadata'?"


@settings(max_examples=150, deadline=None)
@given(conditions())
def test_a_condition_can_be_written_and_read_back(condition: Condition) -> None:
    assert parse_condition(render_condition(condition)) == condition


texts = st.text(st.characters(exclude_categories=["Cs"]))


@settings(max_examples=200, deadline=None)
@given(texts, texts.filter(bool), st.lists(texts, min_size=1, max_size=3))
@example("true", "-1", ["null", "1e5", ""])
@example("\u2028\x00\ufeff", " ", ["'", '"', "\\", "[", ",", "]"])
def test_any_text_can_be_a_value_and_a_key(value: str, key: str, values: list[str]) -> None:
    for condition in (
        Condition("metadata", key, "eq", value),
        Condition("metadata", key, "in", values=tuple(values)),
        Condition("field", f"expected.{key.replace('.', '').rstrip(chr(92)) or 'x'}", "contains", value),
    ):
        line = render_condition(condition)
        assert line.isprintable()
        assert parse_condition(line) == condition


@settings(max_examples=300, deadline=None)
@given(st.text("tagmetadata.inputeq [],\"'\\3 \u00e9", max_size=20) | st.text(max_size=12))
def test_any_line_is_a_condition_or_refused_at_one_of_its_characters(text: str) -> None:
    try:
        condition = parse_condition(text)
    except LanguageError as refusal:
        fault = refusal
    else:
        assert condition.operator in OPERATORS[condition.subject]
        assert parse_condition(render_condition(condition)) == condition
        return
    assert 0 <= fault.position <= len(text)
    assert fault.pointed().count("\n") == 1
