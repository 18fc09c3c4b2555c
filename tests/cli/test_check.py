"""`heldout check` on real files, held against the truth files pair by pair."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.data import DATA, data_path, original, prepared, truth

from heldout.cli.app import invoke

Place = tuple[str, int]
Report = dict[str, Any]
Run = Callable[..., tuple[int, Report]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`heldout check ... --json` in an empty folder, in this process: exit code and report."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> tuple[int, Report]:
        code = invoke(["check", *arguments, "--json"])
        return code, json.loads(capsys.readouterr().out)

    return command


@pytest.fixture
def text(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> str:
        invoke(["check", *arguments])
        return capsys.readouterr().out

    return command


def write(folder: Path, **files: list[dict[str, Any]]) -> None:
    for name, rows in files.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def texts(*values: str) -> list[dict[str, Any]]:
    return [{"text": value} for value in values]


def places(finding: dict[str, Any]) -> frozenset[Place]:
    return frozenset((Path(side["file"]).name, side["line"]) for side in (finding["a"], finding["b"]))


def kinds(finding: dict[str, Any]) -> set[str]:
    return {finding["kind"], *finding["also"]}


# --- the sets whose pairs are known ---------------------------------------------------------------------------------


def id_to_place(name: str, file: str) -> dict[tuple[str, str], Place]:
    """Rows of a prepared file stand one a line."""
    return {(row["split"], row["id"]): (file, number) for number, row in enumerate(prepared(name), 1)}


def assert_findings_are_the_truth(findings: list[dict[str, Any]], name: str, place: Callable[[Any], Place]) -> None:
    """Every pair by its two places, kind by kind: exact and near across splits, containment, and notes inside."""
    rows = truth(name)
    across = [row for row in rows if row["scope"] == "cross"]
    for kind in ("exact", "near"):
        expected = {frozenset((place(row["a"]), place(row["b"]))) for row in across if row["kind"] == kind}
        assert {places(finding) for finding in findings if kind in kinds(finding)} == expected
    contained = {(place(row["short"]), place(row["long"]), row["how"]) for row in across if row["kind"] == "contain"}
    found = set()
    for finding in findings:
        if "containment" in kinds(finding):
            inside = finding["containment"]
            sides = {end: (Path(finding[end]["file"]).name, finding[end]["line"]) for end in ("a", "b")}
            long = "b" if inside["short"] == "a" else "a"
            found.add((sides[inside["short"]], sides[long], inside["position"]))
    assert found == contained
    inside = {frozenset((place(row["a"]), place(row["b"]))) for row in rows if row["scope"] == "within"}
    assert {places(finding) for finding in findings if finding["kind"] == "intra_split"} == inside


def assert_scores_are_the_truth(findings: list[dict[str, Any]], name: str, place: Callable[[Any], Place]) -> None:
    expected = {
        frozenset((place(row["a"]), place(row["b"]))): round(row["inter"] / row["union"], 4)
        for row in truth(name)
        if row["kind"] == "near"
    }
    found = {places(finding): finding["similarity"]["rounded"] for finding in findings if finding["similarity"]}
    assert {pair: found[pair] for pair in expected} == expected


@pytest.mark.req("B29", "B33", "B34", "B35", "E1", "E3", "A25", "A51")
def test_banking77_has_its_175_near_pairs_and_no_other(run: Run, tmp_path: Path) -> None:
    train, test = (str(original(f"banking77/{name}.csv", tmp_path)) for name in ("train", "test"))
    code, report = run(train, test, "--text-field", "text", "--holdout", "test")
    assert code == 1
    assert report["splits"] == {"train": 10003, "test": 3080}
    assert report["pairs"] == {
        "exact": 0,
        "near": 175,
        "moved": 0,
        "containment": 602,
        "intra_split": {"exact": 0, "near": 226},
    }
    assert report["contaminated"] == {"test": {"exact": 0, "near": 151, "moved": 0, "any": 151, "of": 3080}}
    assert report["capped"] == {"buckets": 0, "pairs": 0, "containments": 0}
    lines = csv_lines(tmp_path, "train", "test")
    assert_findings_are_the_truth(report["findings"], "banking77", lambda side: lines[side["id"]])
    assert_scores_are_the_truth(report["findings"], "banking77", lambda side: lines[side["id"]])
    blocked = [finding for finding in report["findings"] if finding["severity"] == "block"]
    assert len(blocked) == 175
    assert all(finding["holdout_contamination"] for finding in blocked)
    assert all(finding["a"]["split"] == "test" for finding in blocked), "the held-out side is a"


def csv_lines(folder: Path, *splits: str) -> dict[str, Place]:
    """Where each row of banking77 starts, counted from the quotes: cells hold newlines, so rows are not lines."""
    result = {}
    for split in splits:
        row, inside = 0, False
        for number, line in enumerate((folder / f"{split}.csv").read_bytes().split(b"\n")[1:-1], 2):
            if not inside:
                result[f"{split}:{row}"] = (f"{split}.csv", number)
                row += 1
            inside ^= line.count(b'"') % 2 == 1
    return result


@pytest.mark.req("B29", "B35", "A51")
def test_clinc150_by_the_splits_inside_its_document(run: Run, tmp_path: Path) -> None:
    path = original("clinc150/data_full.json", tmp_path)
    code, report = run(str(path), "--records", "{split}", "--text-field", "0", "--expected", "1", "--holdout", "test")
    assert code == 1
    assert report["text_field"] == "0"
    assert report["splits"] == dict(Counter(row["split"] for row in prepared("clinc150")))
    lines = json_lines(path)
    assert_findings_are_the_truth(report["findings"], "clinc150", lambda side: lines[side["id"]])
    between = [
        row
        for row in truth("clinc150")
        if {row.get("a", {}).get("split"), row.get("b", {}).get("split")} == {"test", "train"}
    ]
    assert Counter(row["kind"] for row in between) == {"exact": 2, "near": 111}
    hit = {side["id"] for row in between for side in (row["a"], row["b"]) if side["split"] == "test"}
    (rate,) = (rate for rate in report["rates"] if (rate["source"], rate["target"]) == ("train", "test"))
    assert len(hit) == 97 == len({*kept(report, "train", "test")})
    assert rate["of"] == 4500
    assert rate["exact"] == 2


def kept(report: Report, source: str, target: str) -> list[str]:
    """Keys of the target's examples in a blocking finding with the source."""
    sides = [(finding["a"], finding["b"]) for finding in report["findings"] if finding["severity"] == "block"]
    pairs = [*sides, *((b, a) for a, b in sides)]
    return [b["key"] for a, b in pairs if (a["split"], b["split"]) == (source, target)]


def json_lines(path: Path) -> dict[str, Place]:
    """Rows of clinc150's document start at a `[` indented by eight."""
    result, split, row = {}, "", 0
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line.startswith('    "'):
            split, row = line.split('"')[1], 0
        elif line == "        [":
            result[f"{split}:{row}"] = (path.name, number)
            row += 1
    return result


@pytest.mark.req("A51")
def test_gsm8k_is_clean_and_its_two_pairs_inside_train_are_notes(run: Run, tmp_path: Path) -> None:
    files = [str(original(f"gsm8k/{name}.jsonl", tmp_path)) for name in ("train", "test")]
    code, report = run(*files, "--text-field", "question", "--holdout", "test")
    assert code == 0
    assert report["splits"] == {"train": 7473, "test": 1319}
    assert report["pairs"] == {
        "exact": 0,
        "near": 0,
        "moved": 0,
        "containment": 0,
        "intra_split": {"exact": 0, "near": 2},
    }
    assert report["contaminated"] == {"test": {"exact": 0, "near": 0, "moved": 0, "any": 0, "of": 1319}}
    assert [(rate["source"], rate["target"], rate["records"]) for rate in report["rates"]] == [
        ("train", "test", 0),
        ("test", "train", 0),
    ]
    assert_findings_are_the_truth(
        report["findings"],
        "gsm8k",
        lambda side: (side["split"] + ".jsonl", int(side["id"].split(":")[1]) + 1),
    )
    assert {finding["severity"] for finding in report["findings"]} == {"note"}


@pytest.mark.req("A18")
def test_mgsm_has_no_header_and_three_languages_of_marks(run: Run) -> None:
    files = sorted(str(path) for path in (DATA / "mgsm").glob("mgsm_*.tsv*"))
    code, report = run(*files, "--columns", "question,answer")
    assert code == 0
    assert report["splits"] == {Path(file).name.split(".")[0]: 250 for file in files}
    assert report["text_field"] == "question"
    assert "only column named like a text" in report["files"][0]["reasons"][0]
    assert report["findings"] == []
    assert report["many_marks"]["examples"] == 750  # bn, te, th
    assert "minhash_lsh_v2" in report["many_marks"]["hint"]
    assert report["contaminated"] == {}


def test_humaneval_is_read_compressed_and_has_one_note(run: Run) -> None:
    code, report = run(str(data_path("humaneval/HumanEval.jsonl")))
    assert code == 0
    assert report["splits"] == {"HumanEval": 164}
    assert report["text_field"] == "prompt"
    assert [places(finding) for finding in report["findings"]] == [
        frozenset({("HumanEval.jsonl.gz", 57), ("HumanEval.jsonl.gz", 62)})
    ]


@pytest.mark.req("B29", "B35", "A25")
@pytest.mark.parametrize("name", ["mbpp", "mbpp_sanitized", "snips2017", "mgsm", "humaneval", "gsm8k"])
def test_prepared_sets_by_their_split_column(run: Run, name: str) -> None:
    code, report = run(str(DATA / "prepared" / f"{name}.jsonl.gz"))
    rows = truth(name)
    place = id_to_place(name, f"{name}.jsonl.gz")
    assert code == any(row["scope"] == "cross" and row["kind"] != "contain" for row in rows)
    assert_findings_are_the_truth(report["findings"], name, lambda side: place[side["split"], side["id"]])
    counted = Counter((row["kind"], row["scope"]) for row in rows)
    assert report["pairs"]["exact"] == counted["exact", "cross"]
    assert report["pairs"]["near"] == counted["near", "cross"]
    assert report["pairs"]["containment"] == counted["contain", "cross"]
    assert report["pairs"]["intra_split"] == {"exact": counted["exact", "within"], "near": counted["near", "within"]}


@pytest.mark.req("E31", "E32")
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("gsm8k", "mgsm"),
        ("mbpp", "mbpp_sanitized"),
        ("mbpp", "humaneval"),
        ("humaneval", "mbpp_sanitized"),
        ("snips2017", "clinc150"),
        ("banking77", "clinc150"),
    ],
)
def test_two_sets_side_by_side(run: Run, tmp_path: Path, left: str, right: str) -> None:
    """Splits are renamed after their sets, so that what crosses the sets can be told from the rest."""
    place: dict[tuple[str, str, str], Place] = {}
    for name in (left, right):
        rows = [{"text": row["input"], "split": f"{name}/{row['split']}"} for row in prepared(name)]
        write(tmp_path, **{name: rows})
        for number, row in enumerate(prepared(name), 1):
            place[name, row["split"], row["id"]] = (f"{name}.jsonl", number)
    _, report = run(f"{left}.jsonl", f"{right}.jsonl")
    between = [finding for finding in report["findings"] if finding["a"]["file"] != finding["b"]["file"]]
    rows = truth(f"{left}+{right}")
    for kind, ends in (("exact", "a b"), ("near", "a b"), ("contain", "short long")):
        expected = {
            frozenset(place[row[end]["ds"], row[end]["split"], row[end]["id"]] for end in ends.split())
            for row in rows
            if row["kind"] == kind
        }
        wanted = "containment" if kind == "contain" else kind
        assert {places(finding) for finding in between if wanted in kinds(finding)} == expected
    _assert_rates(report)


def _assert_rates(report: Report) -> None:
    """Each rate recounted from the findings, which name every example."""
    hit: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for finding in report["findings"]:
        for a, b in ((finding["a"], finding["b"]), (finding["b"], finding["a"])):
            hit[a["split"], b["split"]].add(b["key"])
    for rate in report["rates"]:
        assert rate["records"] == len(hit[rate["source"], rate["target"]])
        assert rate["of"] == report["splits"][rate["target"]]
    pairs = {(rate["source"], rate["target"]) for rate in report["rates"]}
    assert pairs == {(target, source) for source, target in pairs}, "both directions"


# --- counts that findings cut short ---------------------------------------------------------------------------------


def test_crowds_are_counted_by_multiplying(run: Run, tmp_path: Path) -> None:
    near = "this sentence stands in both of the files and is long enough"
    write(tmp_path, train=texts(*["the same words"] * 60, near + " here"), test=texts(*["the same words"] * 50, near))
    code, report = run("train.jsonl", "test.jsonl", "--holdout", "test")
    assert code == 1
    assert report["capped"]["pairs"] == 1, "more pairs than are listed"
    assert report["pairs"]["exact"] == 60 * 50
    assert report["pairs"]["intra_split"]["exact"] == 60 * 59 // 2 + 50 * 49 // 2
    assert report["pairs"]["near"] == 1
    assert report["contaminated"]["test"] == {"exact": 50, "near": 1, "moved": 0, "any": 51, "of": 51}
    assert report["findings_total"] < 60 * 50


@pytest.mark.req("B41")
def test_a_family_is_cut_short_and_every_example_is_decided(run: Run, tmp_path: Path) -> None:
    """More variants of one template than a bucket may list; one test example is none of them."""
    template = "dear customer number {} your parcel from the old warehouse by the river will arrive tomorrow at noon"
    write(
        tmp_path,
        train=texts(*(template.format(number) for number in range(1000, 1400))),
        test=texts(*(template.format(number) for number in range(2000, 2020)), "nothing of the kind"),
    )
    code, report = run("train.jsonl", "test.jsonl", "--holdout", "test")
    assert code == 1
    assert report["capped"]["buckets"] > 0
    assert report["contaminated"]["test"] == {"exact": 0, "near": 20, "moved": 0, "any": 20, "of": 21}
    (other,) = (rate for rate in report["rates"] if rate["target"] == "train")
    assert other["near"] == 400
    assert report["pairs"]["near"] < 20 * 400


def test_a_key_that_people_gave_finds_rows_that_moved(run: Run, tmp_path: Path) -> None:
    write(
        tmp_path,
        train=[{"id": "7", "text": "what it said before"}, {"id": "8", "text": "another one"}],
        test=[{"id": "7", "text": "quite different now"}],
    )
    code, report = run("train.jsonl", "test.jsonl", "--holdout", "test", "--key", "id")
    assert code == 1
    assert report["pairs"]["moved"] == 1
    assert report["contaminated"]["test"] == {"exact": 0, "near": 0, "moved": 1, "any": 1, "of": 1}
    assert run("train.jsonl", "test.jsonl", "--holdout", "test")[0] == 0, "derived keys never move"


def test_two_holdouts_do_not_contaminate_each_other(run: Run, tmp_path: Path) -> None:
    write(tmp_path, train=texts("alone here"), test=texts("shared words"), final=texts("shared words"))
    code, report = run("train.jsonl", "test.jsonl", "final.jsonl", "--holdout", "test", "--holdout", "final")
    assert code == 1, "an exact pair across splits blocks all the same"
    assert [report["contaminated"][split]["any"] for split in ("test", "final")] == [0, 0]


# --- reading --------------------------------------------------------------------------------------------------------


@pytest.mark.req("A43", "A52")
def test_skipped_rows_are_counted_and_never_clean(run: Run, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("text\nfirst words\nsecond,cell\n", encoding="utf-8")
    write(tmp_path, test=texts("other things"))
    assert run("train.csv", "test.jsonl")[0] == 2
    code, report = run("train.csv", "test.jsonl", "--on-bad-row", "skip")
    assert (code, report["rows_skipped"]) == (3, 1)
    assert report["skipped"] == ["train.csv:3: expected 1 cell, found 2"]


@pytest.mark.req("A20", "A49")
def test_examples_without_text_are_counted_named_and_still_compared(run: Run, tmp_path: Path) -> None:
    write(tmp_path, train=texts("?!", "words"), test=texts("?!", "...", "else"))
    code, report = run("train.jsonl", "test.jsonl")
    assert code == 1
    assert report["no_text"] == 3
    assert report["no_text_at"] == [
        {"file": "train.jsonl", "line": 1},
        {"file": "test.jsonl", "line": 1},
        {"file": "test.jsonl", "line": 2},
    ]
    assert report["pairs"]["exact"] == 1


def test_names_that_mean_something_to_heldout_may_mean_something_else_here(run: Run, tmp_path: Path) -> None:
    row = {"text": "words", "tags": {"a": 1}, "metadata": "none", "payload": "x", "synthetic": "maybe", "key": 1.5}
    write(tmp_path, train=[row])
    assert run("train.jsonl")[0] == 0


def test_splits_come_from_names_rows_or_flags(run: Run, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    write(tmp_path / "old", test=texts("one"))
    write(tmp_path / "new", test=texts("two"))
    write(tmp_path, mixed=[{"text": "three", "split": "train"}, {"text": "four", "split": "dev"}])
    files = ("old/test.jsonl", "new/test.jsonl", "mixed.jsonl")
    assert run(*files)[1]["splits"] == {"old/test": 1, "new/test": 1, "train": 1, "dev": 1}
    named = run(*files, "--split", "old/test.jsonl=test", "--split", "new/test.jsonl=test")
    assert named[1]["splits"] == {"test": 2, "train": 1, "dev": 1}
    assert run("mixed.jsonl", "--split", "mixed.jsonl=all")[1]["splits"] == {"all": 2}


def test_files_may_call_their_texts_differently(run: Run, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("id,question\n1,the very same question\n", encoding="utf-8")
    (tmp_path / "test.txt").write_text("the very same question\n", encoding="utf-8")
    (tmp_path / "extra.manifest").write_text("split: extra\nid: a\ntext: nothing of that kind\n", encoding="utf-8")
    code, report = run("train.csv", "test.txt", "extra.manifest", "--holdout", "test")
    assert code == 1
    assert [file["text_field"] for file in report["files"]] == ["question", None, "input"]
    assert report["text_field"] is None
    assert report["contaminated"]["test"]["exact"] == 1


def test_parts_of_a_text_are_joined(run: Run) -> None:
    """snips2017 keeps an utterance in pieces; the wildcard joins them."""
    file = str(data_path("snips2017/GetWeather/validate_GetWeather.json"))
    _, report = run(file, "--records", "GetWeather", "--text-field", "data.*.text")
    assert report["splits"] == {"validate_GetWeather": 100}


def test_parquet_places_are_rows(run: Run, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"text": ["same words here", "other"]}), tmp_path / "train.parquet")
    write(tmp_path, test=texts("same words here"))
    finding = run("train.parquet", "test.jsonl", "--holdout", "test")[1]["findings"][0]
    assert (finding["a"]["file"], finding["a"]["line"]) == ("test.jsonl", 1)
    assert (finding["b"]["file"], finding["b"]["row"]) == ("train.parquet", 1)


@pytest.mark.parametrize(
    ("arguments", "slug", "said"),
    [
        (["two.jsonl"], "text-field-unclear", "'question', 'prompt'"),
        (["one.jsonl", "one.jsonl"], "file-given-twice", "one.jsonl"),
        (["one.jsonl", "./one.jsonl"], "file-given-twice", "./one.jsonl"),
        (["one.jsonl", "--holdout", "test"], "holdout-absent", "splits are one"),
        (["one.jsonl", "--split", "other.jsonl=x"], "unknown-file", "other.jsonl"),
        (["one.jsonl", "--split", "x"], "bad-split-option", "FILE=SPLIT"),
        (["one.jsonl", "--text-field", "txt"], "missing-input", "'text'"),
        (["one.jsonl", "--text-field", "a..b"], "bad-path", "--text-field"),
        (["one.jsonl", "--text-field", "text", "--key", "text"], "key-is-input", "--key"),
        (["one.jsonl", "--key", "id"], "missing-column", "'id'"),
        (["keys.jsonl", "--key", "id"], "duplicate-key", "keys.jsonl:1"),
        (["empty.csv"], "no-examples", "no example"),
        (["absent.csv"], "no-such-file", "absent.csv"),
        (["strange.xyz"], "unknown-format", ".xyz"),
        (["latin.csv"], "bad-encoding", "byte 0xe9"),
        (["nested.json"], "no-rows", "found an object"),
    ],
)
def test_what_cannot_be_done_is_said_with_a_place_and_a_flag(
    run: Run, tmp_path: Path, arguments: list[str], slug: str, said: str
) -> None:
    write(tmp_path, one=texts("words"), two=[{"question": "a", "prompt": "b"}])
    write(tmp_path, keys=[{"id": 1, "text": "a"}, {"id": 1, "text": "b"}])
    (tmp_path / "empty.csv").write_text("text\n", encoding="utf-8")
    (tmp_path / "strange.xyz").write_text("text\n", encoding="utf-8")
    (tmp_path / "latin.csv").write_bytes("text\ncafé\n".encode("latin-1"))
    (tmp_path / "nested.json").write_text('{"data": [{"text": "a"}]}', encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    code, report = run(*arguments)
    assert (code, report["error"]) == (2, slug)
    assert said in report["message"]
    assert report["hint"]
    assert "dataset.yaml" not in report["hint"]
    assert sorted(tmp_path.iterdir()) == before, "nothing is written"


# --- text -----------------------------------------------------------------------------------------------------------


def test_text_names_places_and_shows_texts_only_when_asked(text: Callable[..., str], tmp_path: Path) -> None:
    write(
        tmp_path,
        train=texts("filler", "where do i find the blue ticket office in the old station"),
        test=texts("where do i find the blue ticket office in the old station?"),
    )
    plain = text("train.jsonl", "test.jsonl", "--holdout", "test")
    assert "block  test.jsonl:1 ~ train.jsonl:2  near 1.00" in plain
    assert "ticket office" not in plain
    assert plain.startswith("contaminated: 1 of 1 examples in the holdout 'test'")
    shown = text("train.jsonl", "test.jsonl", "--holdout", "test", "--show-text")
    assert "[station?]" in shown
    assert "[station]" in shown


def test_text_without_a_holdout_calls_nothing_contaminated(text: Callable[..., str], tmp_path: Path) -> None:
    write(tmp_path, train=texts("the very same words"), test=texts("the very same words"))
    plain = text("train.jsonl", "test.jsonl")
    assert "no holdout was named, so nothing is called contaminated" in plain
    assert "1 exact or near pairs across splits" in plain


def test_rates_are_given_both_ways_and_the_smaller_split_is_starred(text: Callable[..., str], tmp_path: Path) -> None:
    train = texts(*(f"number {number} of many different lines of text" for number in range(40)))
    write(tmp_path, train=train, test=texts("number 7 of many different lines of text", "nothing like it"))
    lines = text("train.jsonl", "test.jsonl", "--holdout", "test", "--limit", "0").splitlines()
    (small,) = (line for line in lines if line.startswith("  train -> test "))
    (large,) = (line for line in lines if line.startswith("  test -> train "))
    assert small.endswith("50.00 % *")
    assert not large.endswith("*")


def test_limit_cuts_the_list_and_not_the_counts(run: Run, tmp_path: Path) -> None:
    same = texts(*(f"sentence number {number}" for number in range(5)))
    write(tmp_path, train=same, test=same)
    _, report = run("train.jsonl", "test.jsonl", "--limit", "2")
    assert len(report["findings"]) == 2
    assert report["findings_total"] >= 5
    assert report["pairs"]["exact"] == 5


@pytest.mark.req("E2")
def test_the_report_is_the_same_every_time(run: Run, tmp_path: Path) -> None:
    rows = prepared("mbpp")
    write(tmp_path, all=[{"text": row["input"], "split": row["split"]} for row in rows])
    assert run("all.jsonl") == run("all.jsonl")
