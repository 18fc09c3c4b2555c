"""The published file: the same bytes each time, readable by anybody's Parquet, refused where it is not what it says."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from heldout.domain.method import DEFAULT_METHOD, Method
from heldout.domain.sealing.keyed import Secret
from heldout.domain.sealing.sealed import SignatureInfo
from heldout.errors import DataError
from heldout.storage.plain_parquet import Column, read_metadata, write_parquet
from heldout.storage.signature_file import Published, parse_signatures, render_signatures


def published(count: int = 40) -> Published:
    digests = [hashlib.sha256(str(number).encode()).digest() for number in range(count)]
    info = SignatureInfo(
        "faq", "sha256:" + "a" * 64, "sha256:" + "b" * 64, DEFAULT_METHOD.id, DEFAULT_METHOD.digest, ("test",),
        {"test": count},
    )  # fmt: skip
    return Published(
        info, ["test"] * count, [f"k{number:05}ü" for number in range(count)],
        [f"sha256:{digest.hex()}" for digest in digests],
        np.frombuffer(b"".join(digest[:16] for digest in digests), "<u8").reshape(-1, 2).astype(np.uint64),
        np.arange(count, dtype=np.int64),
    )  # fmt: skip


def same(a: Published, b: Published) -> bool:
    lists = all([*getattr(a, name)] == [*getattr(b, name)] for name in ("splits", "keys", "inputs"))
    return lists and a.info == b.info and (a.marks == b.marks).all() and bool((a.shingles == b.shingles).all())


@pytest.mark.req("A33")
def test_the_bytes_are_those_of_the_content_and_nothing_else() -> None:
    data = render_signatures(published(), DEFAULT_METHOD)
    assert data == render_signatures(published(), DEFAULT_METHOD)
    # Whatever libraries are installed: a change here is a change of the format.
    assert hashlib.sha256(data).hexdigest() == GOLDEN
    assert same(parse_signatures(data, "f", DEFAULT_METHOD), published())


GOLDEN = "9780ac51da0cb4f36e4d708a6394de2ca097199040bfa166ccdda75750bc8a57"


@pytest.mark.req("A33")
def test_other_readers_read_it() -> None:
    import pyarrow.parquet as pq

    wanted = published(70_000)  # two row groups
    data = render_signatures(wanted, DEFAULT_METHOD)
    with pq.ParquetFile(io.BytesIO(data), page_checksum_verification=True) as file:
        table = file.read()
        assert file.metadata.num_row_groups == 2
        assert file.metadata.created_by == "heldout"
    assert table["key"].to_pylist() == [*wanted.keys]
    assert table["shingles"].to_pylist() == wanted.shingles.tolist()
    assert table["signature"][7].as_py() == b"".join(int(word).to_bytes(8, "little") for word in wanted.marks[7]).hex()
    head = json.loads(table.schema.metadata[b"heldout"])
    assert head["method"]["parameters"] == DEFAULT_METHOD.parameters()
    assert (head["source"], head["splits"]) == (wanted.info.source, {"test": 70_000})


@pytest.mark.req("A33")
def test_the_footer_of_other_writers_is_read_too() -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    table = pa.table({"a": [1.5, None], "b": [[True], [False]], "c": [{"x": 1}, None]})
    pq.write_table(table.replace_schema_metadata({"k": "v" * 5000}), out)
    assert read_metadata(out.getvalue())["k"] == "v" * 5000
    plain = write_parquet([Column("a", ["x", ""], True), Column("n", [0, 2**31 - 1], False)], {})
    assert pq.read_table(io.BytesIO(plain)).to_pylist() == [{"a": "x", "n": 0}, {"a": "", "n": 2**31 - 1}]


@pytest.mark.req("A33")
def test_no_damage_goes_unseen() -> None:
    data = render_signatures(published(6), DEFAULT_METHOD)
    unseen, slugs = [], set()
    for at in range(0, len(data), 23):
        damaged = data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]
        try:
            read = parse_signatures(damaged, "f", DEFAULT_METHOD)
        except DataError as error:
            slugs.add(error.slug)
        else:
            unseen.append((at, same(read, published(6))))
    assert slugs <= {"bad-signatures", "bad-parquet", "signatures-method", "no-rows", "missing-column"}
    assert all(harmless for _, harmless in unseen), unseen  # a bit that nothing depends on
    for length in (0, 3, 11, 100, len(data) - 1):
        with pytest.raises(DataError):
            parse_signatures(data[:length], "f", DEFAULT_METHOD)


@pytest.mark.req("A31")
def test_what_another_method_made_is_refused_with_both_named() -> None:
    other = Method(bucket_cap=128)
    theirs = replace(published(), info=replace(published().info, method_digest=other.digest))
    with pytest.raises(DataError) as refused:
        parse_signatures(render_signatures(theirs, other), "f.parquet", DEFAULT_METHOD)
    assert refused.value.slug == "signatures-method"
    assert other.digest[:19] in str(refused.value)
    assert DEFAULT_METHOD.digest[:19] in str(refused.value)


@pytest.mark.req("A33")
@pytest.mark.parametrize(
    "wrong",
    [
        {"keys": ["k"] * 5 + ["other"]},
        {"splits": ["test"] * 5 + ["dev"]},
        {"inputs": ["sha256:" + "0" * 64] * 5 + ["sha256:xyz"]},
        {"inputs": ["hmac-sha256:" + "0" * 64] * 6},
    ],
)
def test_rows_that_are_not_those_of_the_head_are_refused(wrong: dict[str, list[str]]) -> None:
    """By whoever writes such a file with a true head."""
    from heldout.storage import signature_file as module

    true = published(6)
    made = replace(true, **wrong)  # type: ignore[arg-type]
    marks = module._hexed(true.marks)
    head = module._head(true.info, DEFAULT_METHOD)
    head["digest"] = module._digest(head, true, marks)
    columns = [
        Column("split", made.splits, True), Column("key", made.keys, True), Column("input", made.inputs, True),
        Column("signature", marks, True), Column("shingles", made.shingles.tolist(), False),
    ]  # fmt: skip
    with pytest.raises(DataError) as refused:
        parse_signatures(write_parquet(columns, {"heldout": json.dumps(head)}), "f", DEFAULT_METHOD)
    assert refused.value.slug == "bad-signatures"


@pytest.mark.req("A33")
def test_a_keyed_digest_is_rfc_2104_and_a_derived_key_is_keyed_too() -> None:
    """RFC 4231, test case 2."""
    secret = Secret(b"Jefe")
    wanted = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert secret.keyed("what do ya want for nothing?") == "hmac-sha256:" + wanted
    digest = "sha256:" + "0123456789abcdef" * 4
    assert secret.key("mine", digest) == "mine"
    assert secret.key("0123456789abcdef-2", digest) == secret.keyed(digest)[12:28] + "-2"
    assert b"Jefe".hex() not in secret.id
    assert "Jefe" not in repr(secret)
