"""How values of Arrow's types become JSON, exactly or not at all.

A decimal becomes its exact text, a date, time or timestamp its ISO 8601 text, a map with string keys an object. Bytes
without a text annotation, durations and NaN are refused, never guessed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from heldout.domain.example import JSON
from heldout.storage.json_strict import MAX_DEPTH

if TYPE_CHECKING:
    import pyarrow as pa

Convert = Callable[[Any], JSON]


class Refused(ValueError):
    """A value that has no exact JSON form; the message says what it is."""

    def __init__(self, reason: str, slug: str = "bad-value") -> None:
        super().__init__(reason)
        self.slug = slug


def column_values(column: pa.Array) -> list[Any]:
    """A column as Python values, a Refused in place of one that Python cannot hold; timestamps, and times that count
    nanoseconds, as text by Arrow, at any depth, for Python's own end at microseconds."""
    naive = _retyped(column.type, text=False)
    if naive is not None:
        column = column.cast(naive).cast(_retyped(naive, text=True))
    try:
        values: list[Any] = column.to_pylist()
    except (ValueError, OverflowError):
        values = [_one_value(column, index) for index in range(len(column))]
    return values


def _retyped(kind: pa.DataType, *, text: bool) -> pa.DataType | None:
    """The type with every timestamp in it without its zone, or every timestamp and fine time as text; None where there
    is neither."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        return _retyped(kind.value_type, text=text)
    if types.is_timestamp(kind):
        return pa.string() if text else pa.timestamp(kind.unit)
    if _is_fine_time(kind):
        return pa.string() if text else kind
    if types.is_struct(kind):
        fields = [kind.field(index) for index in range(kind.num_fields)]
        inner = [_retyped(field.type, text=text) for field in fields]
        made = (field.with_type(field.type if new is None else new) for field, new in zip(fields, inner, strict=True))
        return pa.struct(list(made)) if any(new is not None for new in inner) else None
    if types.is_map(kind):
        item = _retyped(kind.item_type, text=text)
        return pa.map_(kind.key_type, item) if item is not None else None
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        item = _retyped(kind.value_type, text=text)
        field = kind.value_field.with_type(item) if item is not None else None
        if types.is_fixed_size_list(kind):
            return pa.list_(field, kind.list_size) if field is not None else None
        return (pa.large_list if types.is_large_list(kind) else pa.list_)(field) if field is not None else None
    return None


def _one_value(column: pa.Array, index: int) -> Any:
    try:
        return column[index].as_py()
    except UnicodeDecodeError:
        return Refused("the text is not UTF-8", "bad-encoding")
    except (ValueError, OverflowError) as error:
        return Refused(f"the value cannot be kept: {str(error)[:100]}")


def _is_fine_time(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_time(kind)) and kind.unit == "ns"


def converter(kind: pa.DataType, depth: int = 1) -> Convert:
    """How values of an Arrow type become JSON; raises Refused where they cannot exactly. The row is one deep."""
    import pyarrow as pa

    types = pa.types
    if depth > MAX_DEPTH:
        raise Refused(f"the column is nested more than {MAX_DEPTH} deep")
    if types.is_dictionary(kind):
        return converter(kind.value_type, depth)
    if (simple := _simple(kind)) is not None:
        return simple
    if types.is_struct(kind):
        fields = (kind.field(index) for index in range(kind.num_fields))
        return _struct({field.name: converter(field.type, depth + 1) for field in fields})
    if types.is_map(kind):
        return _map(kind, depth)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _list(converter(kind.value_type, depth + 1))
    what = "bytes that are not marked as text" if "binary" in str(kind) else f"values of the type {kind}"
    raise Refused(f"the column holds {what}, which have no exact JSON form")


def _simple(kind: pa.DataType) -> Convert | None:
    """For a type without others in it; values come as `column_values` gives them."""
    import pyarrow as pa

    types = pa.types
    if types.is_floating(kind):
        return _finite
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_null(kind):
        return _same
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return _same
    if types.is_decimal(kind):
        return lambda value: format(value, "f")
    if types.is_timestamp(kind):
        return _iso_timestamp if kind.tz is None else lambda value: f"{_iso_timestamp(value)}Z"
    if _is_fine_time(kind):
        return _iso_time
    if types.is_date(kind) or types.is_time(kind):
        return lambda value: str(value.isoformat())
    return None


def _same(value: Any) -> JSON:
    return value  # type: ignore[no-any-return]


def _finite(value: float) -> JSON:
    if not math.isfinite(value):
        raise Refused(f"{'NaN' if math.isnan(value) else 'an infinity'} is no JSON number")
    return value


def _iso_timestamp(value: str) -> JSON:
    """The same text for the same moment, whatever unit the column counts in: no zeros at the end of a fraction."""
    if not value[-1:].isdigit():
        raise Refused("the timestamp is beyond the years that have a date")  # Arrow says so inside the text
    if "." in value:
        value = value.rstrip("0").rstrip(".")
    return value.replace(" ", "T", 1)


def _iso_time(value: str) -> JSON:
    """As Python writes a time of microseconds, six digits of a fraction or none, where no digit is lost by it."""
    head, _, fraction = value.partition(".")
    if not fraction.strip("0"):
        return head
    return f"{head}.{fraction[:6] if fraction.endswith('000') else fraction}"


def _list(convert: Convert) -> Convert:
    return lambda value: [None if item is None else convert(item) for item in value]


def _struct(converts: dict[str, Convert]) -> Convert:
    def convert(value: dict[str, Any]) -> JSON:
        return {name: None if value[name] is None else function(value[name]) for name, function in converts.items()}

    return convert


def _map(kind: pa.MapType, depth: int) -> Convert:
    import pyarrow as pa

    if not (pa.types.is_string(kind.key_type) or pa.types.is_large_string(kind.key_type)):
        raise Refused(f"the column holds maps with keys of the type {kind.key_type}, which JSON objects cannot have")
    function = converter(kind.item_type, depth + 1)

    def convert(value: list[tuple[str, Any]]) -> JSON:
        result = {key: None if item is None else function(item) for key, item in value}
        if len(result) != len(value):
            raise Refused("a map holds one key twice")
        return result

    return convert
