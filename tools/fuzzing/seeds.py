"""What the fuzzers start from: real awkward files, small, and the marks that each format is made of."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
_AWKWARD: Final = ROOT / "tests" / "data" / "awkward"
_LARGEST: Final = 4096  # bytes; longer files slow a fuzzer down more than they teach it

_JSON: Final = (
    '"',
    ":",
    ",",
    "[",
    "]",
    "{",
    "}",
    "null",
    "true",
    "NaN",
    "-Infinity",
    "1e400",
    "1e-400",
    "\\ud83d",
    "\\u0000",
)
_CSV: Final = (",", '"', '""', "\r\n", "\r", "\n", ";", "\t", "\0", "\ufeff", "\u2028", "\u0085")
_YAML: Final = (
    "- ", ": ", "? ", "#", "&a ", "*a", "!!str ", "---", "...", "%YAML 1.1", "|", ">", "|+", "'", '"', "[", "]", "{",
    "}", "\t", "\r", "\u0085", "\u2028", "\ufeff", "\\ud83d\\ude00", "\\x41", "~", "no", "012", "2024-99-99", "1_0",
    "<<", "=", "\n  ",
    ", ", " #", "''", "- {a: b}", "[c, d]",
)  # fmt: skip
_DATASET: Final = (
    "format: heldout/dataset@1\n", "name: a\n", "data:\n", "- path: a.csv\n", "  split: train\n", "records: ",
    "fields:\n", "columns: [a, b]", "ranges: {a: [1, 2]}", "holdout: [test]\n", "encoding: utf-16", "header: false",
    "input: {path: a.*.b}",
)  # fmt: skip
_RESULTS: Final = (
    "format: heldout/suite@1\n", "format: heldout/compare@1\n", "slices: [metadata.lang]\n", "- route x first_tool\n",
    "confidence:0.5,0.8", "min_slice_support: 30\n", "scores: {a: [0, 5]}\n",
    "rules:\n- {id: a, metric: m, margin: 0}\n",
    "scope: slice/a=b", "families: [{id: f, correction: holm, rules: [a]}]\n", "required: [a=b]\n",
)  # fmt: skip
TOKENS: Final[dict[str, tuple[str, ...]]] = {
    "json-values": _JSON,
    "json-lines": (*_JSON, "\n", "\r\n"),
    "json-document": _JSON,
    "quick-rows": (*_JSON, "\n", '"metadata":{', '"tags":["', '"input":', '"a" :', "12345678901234567", '\\":'),
    "csv-rows": _CSV,
    "plain-lines": (*_CSV, "split: a\n", "id: 1\n", "text: x\n", "# "),
    "encodings": ("+2AA-", "\x1b$B", "~{", "\ufeff"),
    "yaml-values": _YAML,
    "datasets": (*_YAML, *_DATASET),
    "scan-records": (*_YAML, "compared:\n", "- dataset: a\n"),
    "findings": (*_JSON, '"kind"', '"cluster"', '"fraction":"1/0"', "1e999999999/1"),
    "folder-manifests": (*_JSON, '"relpath":"', '"md5":"', "../", "/"),
    "run-rows-by-shape": (*_JSON, "\n", '"key":"', '"outcome":', '"metadata":{', '"lang":"', '"score":0.5', '\\":'),
    "suites": (*_YAML, *_RESULTS),
    "small-files": (
        *_YAML,
        "outs:\n- md5: ",
        "wdir: ..",
        "operator: ",
        "value: [",
        "sample: {size: ",
        "accept_methods: []",
        "scan: {on_commit: no}",
    ),
}
_YAML_SEEDS: Final = (
    b"a: 1\nb:\n- x\n- y: 2\n  z: [1,\n    2]\n",
    b'"k": "v"\nn: null\ne: {}\nf: []\n# c\nd: 2024-01-02\n',
    b"outs:\n- md5: d8e8fca2dc0f896fd7cb4cb0031ba249\n  size: 5\n  hash: md5\n  path: train.csv\n",
    b"schema: '2.0'\nstages:\n  s:\n    wdir: d\n    outs:\n    - {path: a, md5: d8e8fca2dc0f896fd7cb4cb0031ba249}\n",
    b"a: - b\n",
    b"# c\rb: 1\na: 2\n",
    b"a: {b: [c, 'd''e', \"f\"], \"g\": {}}  # h\ni: j, k (l) & \"m\" [n]\n- 'o'\n",
    b"d:\n- {path: a.csv, split: {field: n, ranges: {x: [1, 2.5]}}}\n- [[], [-1, no]] # c\n",
)
_DATASETS: Final = (
    b"format: heldout/dataset@1\nname: support\ndata:\n  - {path: train.csv, split: train}\nfields: {input: text}\n",
    b"# mine\nformat: heldout/dataset@1\nname: a/b\ndescription: 2024-01-02\ndata:\n- path: d.json\n"
    b"  records: '{split}'\nfields:\n"
    b"  input: {path: data.*.text, join: ''}\n  metadata: {d: {path: m.json, field: i, groups: true}}\n",
    b"format: heldout/dataset@1\nname: a\ndata:\n- path: a.tsv\n  header: false\n  columns: [q, a]\n"
    b"  split: {field: n, ranges: {train: [1, 1.5], test: [2, 1e3]}}\nholdout: [test]\non_bad_row: skip\n",
)
_ROWS: Final = (
    b'{"input":"a","key":"k","metadata":{"n":1,"l":[{"a":1}]},"tags":["t"],"synthetic":true}\n{"input":2.5}\n',
    b'{"id":"1","text":{"a":[1,null]},"part":"test","expected":"x \\": y"}\n\n{"id":2,"text":"b","part":"test"}\n',
    b'\xef\xbb\xbf{"input":"a","source_kind":"s","review_status":"r","source_id":"i"}\r\n{"input":"b","input":"c"}',
)
_FINDING: Final = (
    b'{"id":"0","kind":"near","severity":"block","holdout_contamination":true,"similarity":{"fraction":"4/5"},'
    b'"a":{"dataset":"a","split":"train","key":"k","input":"sha256:0","held_out_in":[],"open_in":[0]},'
    b'"b":{"dataset":"a","split":"test","key":"k","input":"sha256:1","held_out_in":[0],"open_in":[]},'
    b'"containment":{"short":"a","position":"prefix","offset":0,"word_aligned":true},"span":{"a":0,"b":0,"length":3}}\n',
    b'{"id":"0","kind":"cluster","inputs":2,"size":2,"members":[{"dataset":"a","split":"test","members":2}]}\n',
)


_RUNS: Final = (
    b'{"key":"a","split":"test","outcome":true,"metadata":{"lang":"de","topic":1}}\n'
    b'{"key":"b","split":"test","outcome":null,"metadata":{"lang":"en","topic":2}}\n'
    b'{"key":"c","split":"test","outcome":false,"metadata":{"lang":"de","topic":"x: \\": y"}}\n',
    b'{"key":"a","score":0.5,"metric":"m","confidence":1}\n{"key":"a","excluded":"why","extra":{"a":[1]}}\n'
    b'{"key":"b","score":1,"metric":"m","confidence":0.25}\n{"key":"b","score":1e-3,"metric":"m"}\n',
    b'{"key":"a","outcome":true,"trajectory":{"schema":"agent_trajectory/v1","steps":[{"tool":"t"}]}}\n' * 3,
)
_SUITES: Final = (
    b"format: heldout/suite@1\nslices: [metadata.lang, 'trajectory_length:4,8']\nrag: {top_k: 5}\n"
    b"scores: {a: [1, 5]}\nrequired: [metadata.lang=fr]\nrules: [{id: a, metric: m, minimum: 0.5}]\n",
    b"format: heldout/compare@1\nalpha: 0.05\nrules:\n- {id: a, metric: m, margin: 0.05, scope: slice/route=a>b, "
    b"min_support: 3}\nfamilies: [{id: f, correction: holm, rules: [a]}]\n",
)


def seeds(name: str) -> list[bytes]:
    """Inputs for a target, each small."""
    return [data for data in _seeds(name) if len(data) <= _LARGEST]


def _seeds(name: str) -> Iterator[bytes]:
    if name.startswith("json"):
        yield from _files("jsontestsuite/*.json", "blns/*.json", "bom/*")
        yield b'{"a":1}\n{"a":1.50}\n\n{"a":"\xe2\x80\xa8"}\n'
        yield b'{"a":{"train":[[1,{"b":[2]}]],"test":[[]]}}'
    elif name == "quick-rows":
        yield from _ROWS
    elif name in ("csv-rows", "plain-lines", "encodings", "gzip-members"):
        yield from _files("csv-spectrum/csvs/*.csv", "frictionless/*.csv")
        yield b"# sample\nsplit: train\n\nid: t1\ntext:  Hello: world \nid: t2\ntext: x\n"
        yield gzip.compress(b"a,b\n1,2\n", mtime=0) * 2
        yield b"\x04+AGE-+2AA-\n"
        yield b'x,y\n1,"' + b"a\n" * 80 + b'b\r"" \r\n' + b"\n" * 80 + b'c"\r2,"d"\n'
    elif name == "parquet-rows":
        yield from _files("parquet/*.parquet", "parquet/bad_data/*[!5].parquet")  # ...43605 has 21,186 rows: too slow
        yield _parquet()
    elif name == "datasets":
        yield from _DATASETS
        yield from (path.read_bytes() for path in sorted(ROOT.glob("datasets/*/dataset.yaml")))
    elif name == "run-rows-by-shape":
        yield from _RUNS
    elif name == "suites":
        yield from _SUITES
    elif name == "findings":
        yield from _FINDING
    elif name == "folder-manifests":
        yield b'[{"md5":"d8e8fca2dc0f896fd7cb4cb0031ba249","relpath":"a/b.csv"}]'
    elif name == "scan-records":
        yield _record()
    else:
        yield from _YAML_SEEDS
    if name == "small-files":
        yield from (path.read_bytes() for path in sorted(ROOT.glob("datasets/*/slices/*.yaml")))


def _files(*patterns: str) -> Iterator[bytes]:
    return (path.read_bytes() for pattern in patterns for path in sorted(_AWKWARD.glob(pattern)) if path.is_file())


def _parquet() -> bytes:
    """Three rows of the types that are made into JSON in a way of their own."""
    import io
    from datetime import UTC, date, datetime
    from decimal import Decimal

    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        "decimal": pa.array([Decimal("1.50"), None, Decimal("-2.25")]),
        "time": pa.array([datetime(2024, 1, 2, tzinfo=UTC)] * 3),
        "day": pa.array([date(2024, 1, 2)] * 3),
        "nested": pa.array([[{"k": None, "l": [True]}], [], None]),
        "map": pa.array([[("a", 1.5)], [], None], pa.map_(pa.string(), pa.float32())),
        "text": pa.array(["a", "b", "a"]).dictionary_encode(),
    }
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, store_schema=False)
    return sink.getvalue()


def _record() -> bytes:
    from heldout.domain.kind import Kind
    from heldout.domain.record import Capped, Compared, Examples, ScanRecord
    from heldout.storage.records import render_record

    digest = "sha256:" + "0" * 64
    counts = {**{kind.value: 0 for kind in Kind}, "holdout_contamination": 0}
    return render_record(
        ScanRecord(
            dataset="a",
            source=digest,
            content=digest,
            method_id="m",
            method_digest=digest,
            method_parameters={"threshold": "4/5"},
            examples=Examples(2, 1, 1, ("k",), 0, 0, {"train": 1, "test": 1}),
            holdout_splits=("test",),
            holdout_members=1,
            incomplete=(),
            compared=(Compared("b", "sha256:" + "1" * 64, True), Compared("c", "sha256:" + "2" * 64, False)),
            counts=counts,
            capped=Capped(0, 0, 0),
            findings_digest=digest,
            findings_lines=0,
        )
    )
