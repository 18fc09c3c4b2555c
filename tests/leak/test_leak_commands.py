"""`heldout leak` at the command line: the published report, line by line, and what is refused."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.cli import Ran, heldout
from support.console import ROOT
from support.data import data_path, prepared, truth

from heldout.domain.text import normalise

SAMPLE = Path(__file__).parent / "sample"
NAMES = ("train", "validation", "test")

PUBLISHED = """\
EvalLeak contamination report
normalisation: whitespace, case, punctuation
split record counts:
test: 3
train: 6
validation: 3
exact cross-split duplicates:
test/e1 == train/t2 digest=61b2a8f4c53e
near cross-split duplicates (jaccard >= 0.60, k=5, num_perm=128):
train/t1 ~ validation/v1 jaccard~=0.883
containment (min_length=16):
test/e2 inside train/t5 position=prefix
intra-split duplicates:
train/t3 == train/t6 digest=d9efde07fef6
contamination rate per split pair (source -> target):
test -> train: 2/6 = 33.33%
train -> test: 2/3 = 66.67%
train -> validation: 1/3 = 33.33%
validation -> train: 1/6 = 16.67%
total contaminated records: 8
"""
"""As published, but that two values rest on what is not: the salt of the estimate, and the text of t3 and t6."""
NOT_REPRODUCIBLE = {"jaccard~=0.883": r"jaccard~=0\.\d{3}", "digest=d9efde07fef6": r"digest=[0-9a-f]{12}"}


def sample(*names: str) -> list[str]:
    return [str(SAMPLE / f"{name}.manifest") for name in names or NAMES]


def leak(folder: Path, *arguments: str) -> Ran:
    return heldout(folder, "leak", *arguments)


def manifest(folder: Path, name: str, split: str, *texts: str) -> str:
    lines = [f"split: {split}", *(f"id: {number}\ntext: {text}" for number, text in enumerate(texts, 1))]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return name


def rows(folder: Path, name: str, *items: dict[str, Any]) -> str:
    (folder / name).write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return name


# --- the published sample -------------------------------------------------------------------------------------------


@pytest.mark.req("E22", "E23", "E24", "E25", "E26", "E27", "E28", "E29", "E30", "E33", "E34", "A23", "E11", "E15")
def test_the_published_report_comes_out_line_by_line(tmp_path: Path) -> None:
    ran = leak(tmp_path, "report", *sample(), "--estimate")
    assert ran.code == 1
    pattern = re.escape(PUBLISHED)
    for value, form in NOT_REPRODUCIBLE.items():
        pattern = pattern.replace(re.escape(value), form)
    assert re.fullmatch(pattern, ran.out.replace("\n\n", "\n")), ran.out


@pytest.mark.req("E26", "A23")
def test_without_estimate_the_similarity_is_exact(tmp_path: Path) -> None:
    """67/76 = .8816, from the published texts."""
    ran = leak(tmp_path, "report", *sample())
    differing = [
        (line, want)
        for line, want in zip(filter(None, ran.out.splitlines()), PUBLISHED.splitlines(), strict=True)
        if line != want
    ]
    assert next(line for line, _ in differing) == "train/t1 ~ validation/v1 jaccard=0.882"
    assert len(differing) == 2  # and the digest of a text that is not published
    (near,) = leak(tmp_path, "near", *sample(), "--json").json["findings"]
    assert near["jaccard"]["fraction"] == "67/76"
    assert near["shared_shingles"] == 67


@pytest.mark.req("E20", "E21")
@pytest.mark.parametrize(
    ("switch", "similarity"), [("--no-punctuation", "63/85"), ("--no-case", None), ("--no-whitespace", "67/76")]
)
def test_a_step_switched_off_shows_what_the_match_rests_on(switch: str, similarity: str | None, tmp_path: Path) -> None:
    """Published: 63/85 with punctuation, nothing in common with case."""
    found = leak(tmp_path, "near", *sample("train", "validation"), switch, "--json").json["findings"]
    assert [one["jaccard"]["fraction"] for one in found] == ([similarity] if similarity else [])


@pytest.mark.req("E23", "E12")
@pytest.mark.parametrize(
    ("switches", "shown"),
    [
        ((), "whitespace, case, punctuation"),
        (("--no-case",), "whitespace, punctuation"),
        (("--no-whitespace", "--no-case", "--no-punctuation"), "none"),
        (("--nfkc",), "nfkc, whitespace, case, punctuation"),
    ],
)
def test_the_report_names_the_active_steps(switches: tuple[str, ...], shown: str, tmp_path: Path) -> None:
    assert leak(tmp_path, "report", *sample(), *switches).out.splitlines()[1] == f"normalisation: {shown}"


@pytest.mark.req("E12", "E26", "E27", "E42")
def test_titles_tell_the_settings(tmp_path: Path) -> None:
    def titles(*options: str) -> list[str]:
        return [line for line in leak(tmp_path, "report", *sample(), *options).out.splitlines() if "(" in line][:2]

    changed = titles("--threshold", "0.875", "--k", "3", "--num-perm", "64", "--min-length", "30")
    assert changed == [
        "near cross-split duplicates (jaccard >= 0.875, k=3, num_perm=64):",
        "containment (min_length=30):",
    ]
    assert titles("--exact-join")[0] == "near cross-split duplicates (jaccard >= 0.60, k=5, exact join):"
    assert (
        titles("--shingles", "words")[0] == "near cross-split duplicates (jaccard >= 0.60, k=3, words, num_perm=128):"
    )


@pytest.mark.req("E10", "E35")
def test_one_detector_alone_prints_its_section_and_gates_by_itself(tmp_path: Path) -> None:
    exact, near = (leak(tmp_path, name, *sample()) for name in ("exact", "near"))
    assert exact.out == "exact cross-split duplicates:\ntest/e1 == train/t2 digest=61b2a8f4c53e\n"
    assert near.out.splitlines()[1:] == ["train/t1 ~ validation/v1 jaccard=0.882"]
    assert (exact.code, near.code) == (1, 1)
    clean = leak(tmp_path, "exact", *sample("train", "validation"))
    assert (clean.code, clean.out) == (0, "exact cross-split duplicates:\nnone\n")
    assert leak(tmp_path, "near", *sample("train", "test")).code == 0


@pytest.mark.req("E35")
def test_a_report_without_findings_is_clean(tmp_path: Path) -> None:
    ran = leak(tmp_path, "report", *sample("validation", "test"))
    assert ran.code == 0
    assert ran.out.count("none\n") == 5
    assert ran.out.endswith("total contaminated records: 0\n")


@pytest.mark.req("E35", "E11")
def test_repeats_inside_a_split_are_findings_of_the_report(tmp_path: Path) -> None:
    manifest(tmp_path, "a.manifest", "a", "one sentence", "One sentence.")
    manifest(tmp_path, "b.manifest", "b", "quite another")
    ran = leak(tmp_path, "report", "a.manifest", "b.manifest")
    assert ran.code == 1
    assert ran.out.endswith(
        "contamination rate per split pair (source -> target):\nnone\n\ntotal contaminated records: 2\n"
    )


@pytest.mark.req("E9")
def test_version_is_a_name_and_a_number(tmp_path: Path) -> None:
    assert re.fullmatch(r"[A-Za-z]+ \d+\.\d+\.\d+\n", leak(tmp_path, "version").out)
    assert set(re.findall(r"^  (\w+) ", leak(tmp_path, "--help").out, re.MULTILINE)) >= {
        "report", "exact", "near", "check", "diff", "version"
    }  # fmt: skip


@pytest.mark.req("E36")
def test_each_class_comes_with_what_to_do(tmp_path: Path) -> None:
    notes = leak(tmp_path, "report", *sample()).err
    for line in (
        "exact, 1 pair: remove the record from the evaluation split",
        "near, 1 pair: inspect the pair, then remove the record or keep it with a note",
        "containment, 1 pair: remove the item, or exclude the passage that holds it",
        "intra-split, 1 pair: deduplicate the split before its size is reported",
    ):
        assert line in notes
    assert leak(tmp_path, "report", *sample(), "--quiet").err == ""


@pytest.mark.req("A22", "E37")
@pytest.mark.parametrize(
    ("options", "note"),
    [
        ((), "42 bands of 3 find a pair at the threshold with probability 0.9999636"),
        (("--exact-join",), "exact join, every pair is found"),
        (("--threshold", "0.05"), "128 minima are too few for bands at this threshold"),
        (("--estimate",), "error is about 0.09 (1/sqrt(128))"),
    ],
)
def test_a_run_says_how_sure_it_is_of_near_pairs(options: tuple[str, ...], note: str, tmp_path: Path) -> None:
    """1 - (1 - .6^3)^42 = .99996361 and 1/sqrt(128) = .088, by hand."""
    assert note in leak(tmp_path, "near", *sample(), *options).err


@pytest.mark.req("E2", "E34", "A48")
def test_the_same_bytes_whatever_the_order_of_files_the_hash_seed_and_the_locale(tmp_path: Path) -> None:
    outputs = set()
    for seed, files in (("0", sample()), ("1", sample()[::-1])):
        for form in ([], ["--json"]):
            command = [
                sys.executable,
                "-m",
                "heldout",
                "leak",
                "report",
                *files,
                "--svg",
                str(tmp_path / f"{seed}{''.join(form)}.svg"),
                *form,
            ]
            environment = {"PYTHONHASHSEED": seed, "LC_ALL": "C", "PATH": ""}
            done = subprocess.run(command, capture_output=True, check=False, env=environment, cwd=tmp_path)
            assert done.returncode == 1, done.stderr
            outputs.add(done.stdout)
    assert len(outputs) == 2
    assert (tmp_path / "0.svg").read_bytes() == (tmp_path / "1.svg").read_bytes()


# --- input ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("E7", "E6", "E4")
@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("id: 1\ntext: x\n", 1, "before the `split:` line"),
        ("split: a\nid: 1\n", 2, "has no `text:` line"),
        ("split: a\ntext: x\n", 2, "without an `id:` line"),
        ("split: a\nid: 1\ntext: x\nid: 1\ntext: y\n", 4, "appears twice"),
        ("split: a\nsplit: b\n", 2, "second `split:`"),
        ("split: a\nid: 1\ntext: x\nlabel: y\n", 4, "expected `split:`"),
        ("split:\nid: 1\ntext: x\n", 1, "has no value"),
    ],
)
def test_a_malformed_manifest_ends_with_2_and_its_place(content: str, line: int, reason: str, tmp_path: Path) -> None:
    (tmp_path / "bad.manifest").write_text(content)
    ran = leak(tmp_path, "report", sample("train")[0], "bad.manifest")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"heldout: bad.manifest:{line}: ")
    assert reason in ran.err
    assert "[bad-manifest]" in ran.err


@pytest.mark.req("E7", "E35")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("report", "train", "nowhere.manifest"), "no-such-file"),
        (("report", "train", "--frobnicate"), "No such option"),
        (("report",), "Missing argument"),
        (("check", "train"), "Missing argument"),
        (("report", "train"), "one-split"),
        (("report", "train", "train"), "file-given-twice"),
        (("report", "train", "test", "--threshold", "0"), "bad-value"),
        (("report", "train", "test", "--threshold", "1.1"), "bad-value"),
        (("report", "train", "test", "--threshold", "nan"), "bad-value"),
        (("report", "train", "test", "--threshold", "1e-400"), "bad-value"),
        (("report", "train", "test", "--k", "0"), "--k"),
        (("report", "train", "test", "--estimate", "--exact-join"), "options-exclude"),
        (("report", "train", "test", "--split", "train"), "bad-split-option"),
        (("report", "train", "test", "--source-field", "url"), "no-source"),
        (("check", "train", "test", "--max-containment", "101"), "bad-value"),
        (("check", "train", "test", "--max-containment", "2%"), "bad-value"),
    ],
)
def test_wrong_usage_ends_with_2(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    files = dict(zip(NAMES, sample(), strict=True))
    ran = leak(tmp_path, *(files.get(argument, argument) for argument in arguments))
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


@pytest.mark.req("E4", "E5", "E8")
def test_manifests_are_known_by_their_first_line_whatever_they_are_called(tmp_path: Path) -> None:
    for name in NAMES:
        data = (SAMPLE / f"{name}.manifest").read_bytes()
        (tmp_path / f"{name}.txt").write_bytes(data)
        (tmp_path / name).write_bytes(b"# a comment\r\n\r\n" + data.replace(b"\n", b"\r\n"))
    expected = leak(tmp_path, "report", *sample()).out
    assert leak(tmp_path, "report", *(f"{name}.txt" for name in NAMES)).out == expected
    assert leak(tmp_path, "report", *NAMES).out == expected


@pytest.mark.req("E8", "E6")
def test_manifests_of_one_split_are_one_split(tmp_path: Path) -> None:
    manifest(tmp_path, "1.manifest", "a", "first")
    manifest(tmp_path, "2.manifest", "b", "second")
    (tmp_path / "3.manifest").write_text("split: a\nid: x\ntext: third\n")
    assert leak(tmp_path, "report", "1.manifest", "2.manifest", "3.manifest", "--json").json["splits"] == {
        "a": 2,
        "b": 1,
    }
    ran = leak(tmp_path, "report", "1.manifest", "2.manifest", manifest(tmp_path, "4.manifest", "a", "fourth"))
    assert ran.code == 2
    assert "the id '1' is already used in split 'a', at 1.manifest:2 [duplicate-key]" in ran.err


@pytest.mark.req("E52", "E3")
def test_jsonl_and_plain_text_one_record_a_line(tmp_path: Path) -> None:
    rows(tmp_path, "train.jsonl", {"id": "q7", "body": "The same sentence."}, {"id": "q8", "body": "And another one"})
    (tmp_path / "test.txt").write_text("something else entirely\nthe same sentence\n")
    ran = leak(tmp_path, "exact", "train.jsonl", "test.txt", "--text-field", "body")
    assert ran.out.splitlines()[1].startswith("test/2 == train/q7 digest=")
    assert "train.jsonl: ids are those of 'id'" in ran.err
    assert "test.txt: ids are numbers of lines" in ran.err
    assert leak(tmp_path, "exact", "train.jsonl", "test.txt", "--text-field", "text").code == 2


@pytest.mark.req("E3", "E6")
def test_ids_that_are_none_give_way_to_lines_and_named_ones_are_held_to(tmp_path: Path) -> None:
    rows(tmp_path, "a.jsonl", *({"text": f"text {n}", "id": n % 100, "code": f"c{n}"} for n in range(101)))
    rows(tmp_path, "b.jsonl", {"text": "Text 100", "code": "z"})
    assert "b/1" in leak(tmp_path, "exact", "a.jsonl", "b.jsonl").out.splitlines()[1]
    assert "a/101 == b/1" in leak(tmp_path, "exact", "a.jsonl", "b.jsonl").out
    assert "a/c100 == b/z" in leak(tmp_path, "exact", "a.jsonl", "b.jsonl", "--id-field", "code").out
    ran = leak(tmp_path, "exact", "a.jsonl", "b.jsonl", "--id-field", "id")
    assert (ran.code, "duplicate-key" in ran.err or "no 'id'" in ran.err) == (2, True)


@pytest.mark.req("E34")
def test_an_id_cannot_break_a_line(tmp_path: Path) -> None:
    rows(tmp_path, "a.jsonl", {"id": "x\ny", "text": "same"})
    rows(tmp_path, "b.jsonl", {"id": "\u2028", "text": "same"})
    assert (
        leak(tmp_path, "exact", "a.jsonl", "b.jsonl").out.splitlines()[1].startswith("a/x\\u000ay == b/\\u2028 digest")
    )


@pytest.mark.req("E8")
def test_a_folder_is_read_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    rows(tmp_path, "train/1.jsonl", {"text": "first"}, {"text": "second"})
    rows(tmp_path, "train/2.jsonl", {"text": "third"})
    rows(tmp_path, "test.jsonl", {"text": "Third"})
    assert (
        "test/1 == train/train/2.jsonl:1"
        in leak(tmp_path, "exact", "train", "test.jsonl", "--file-format", "jsonl").out
    )


# --- JSON and diff --------------------------------------------------------------------------------------------------


@pytest.mark.req("E41", "E32", "E31", "E33", "E3")
def test_json_holds_what_the_text_says_and_whole_digests(tmp_path: Path) -> None:
    data = leak(tmp_path, "report", *sample(), "--json").json
    assert data["format"] == "heldout/leak-report@1"
    assert data["counts"] == {"exact": 1, "near": 1, "containment": 1, "intra_split": 1}
    assert data["contaminated"] == 8
    exact = data["findings"][0]
    text = "photosynthesis converts light energy into chemical energy stored in glucose"
    assert exact["digest"] == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    assert exact["digest"].startswith("sha256:61b2a8f4c53e"), "as published"
    assert [(exact[side]["split"], exact[side]["id"], exact[side]["line"]) for side in "ab"] == [
        ("test", "e1", 2), ("train", "t2", 5)
    ]  # fmt: skip
    rates = {(rate["source"], rate["target"]): rate for rate in data["rates"]}
    assert len(rates) == 6, "both directions of every two splits"
    assert rates["train", "test"] == {
        "source": "train", "target": "test", "records": 2, "of": 3, "percent": 66.67, "smaller": True
    }  # fmt: skip
    assert rates["test", "train"]["smaller"] is False
    assert data["near"]["bands"] * data["near"]["rows"] <= 128
    assert set(data["actions"]) == {"exact", "near", "containment", "intra_split"}


@pytest.mark.req("E43")
@pytest.mark.parametrize("old_form", [(), ("--json",)])
@pytest.mark.parametrize("new_form", [(), ("--json",)])
def test_a_diff_names_new_and_removed_findings(
    old_form: tuple[str, ...], new_form: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "old").write_text(leak(tmp_path, "report", *sample("train", "validation"), *old_form).out)
    (tmp_path / "new").write_text(leak(tmp_path, "report", *sample("train", "test"), *new_form).out)
    ran = leak(tmp_path, "diff", "old", "new")
    assert ran.code == 1
    assert ran.out == (
        "EvalLeak report diff\n"
        "new findings: 2\n"
        "+ exact test/e1 == train/t2 digest=61b2a8f4c53e\n"
        "+ containment test/e2 inside train/t5 position=prefix\n"
        "removed findings: 1\n"
        "- near train/t1 ~ validation/v1 jaccard=0.882\n"
        "unchanged findings: 1\n"
    )
    assert leak(tmp_path, "diff", "new", "new").code == 0
    data = leak(tmp_path, "diff", "new", "old", "--json").json
    assert [len(data[part]) for part in ("new", "removed")] == [1, 2]


@pytest.mark.req("E43")
def test_a_score_that_moves_is_no_new_finding_and_changed_settings_are_told(tmp_path: Path) -> None:
    (tmp_path / "old").write_text(leak(tmp_path, "report", *sample()).out)
    (tmp_path / "new").write_text(leak(tmp_path, "report", *sample(), "--k", "4").out)
    assert "jaccard=0.882" not in (tmp_path / "new").read_text()
    ran = leak(tmp_path, "diff", "old", "new")
    assert ran.code == 0
    assert ran.out.splitlines()[1:] == [
        "settings changed: near: jaccard >= 0.60, k=5, num_perm=128 -> jaccard >= 0.60, k=4, num_perm=128",
        "new findings: 0",
        "removed findings: 0",
        "unchanged findings: 4",
    ]


@pytest.mark.req("E43", "E22")
def test_the_published_report_itself_can_be_compared(tmp_path: Path) -> None:
    """Indented or not."""
    (tmp_path / "theirs").write_text(re.sub(r"(?m)^(\w+/)", r"  \1", PUBLISHED))
    (tmp_path / "ours").write_text(leak(tmp_path, "report", *sample()).out)
    assert leak(tmp_path, "diff", "theirs", "ours").out == (
        "EvalLeak report diff\nnew findings: 0\nremoved findings: 0\nunchanged findings: 4\n"
    )


@pytest.mark.req("E43", "E35")
@pytest.mark.parametrize(
    ("content", "slug"),
    [
        ("nothing of the kind\n", "bad-report"),
        ("exact cross-split duplicates:\na/1 ~ b/2\n", "bad-report"),
        ('{"format": "heldout/check@1"}', "bad-report"),
        ('{"format": "heldout/leak-report@1"}', "bad-report"),
        (
            '{"format": "heldout/leak-report@1", "detectors": ["exact"], "findings": [{"kind": "exact", "a": 1}]}',
            "bad-report",
        ),
        ('{"format": ', "bad-json"),
        ("exact cross-split duplicates:\nnone\n", "different-detectors"),
    ],
)
def test_what_is_no_report_is_refused(content: str, slug: str, tmp_path: Path) -> None:
    (tmp_path / "old").write_text(content)
    (tmp_path / "new").write_text(leak(tmp_path, "report", *sample()).out)
    ran = leak(tmp_path, "diff", "old", "new")
    assert (ran.code, f"[{slug}]" in ran.err) == (2, True), ran.err


# --- check ----------------------------------------------------------------------------------------------------------


@pytest.mark.req("E44", "E45", "E49", "E50", "A26")
def test_check_measures_the_covered_share_and_prints_the_pairs(tmp_path: Path) -> None:
    ran = leak(tmp_path, "check", *sample("train", "test"), "--max-containment", "2.0")
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert "train/t2 == test/e1 jaccard=1.000 shared=67" in lines
    assert "test/e2 inside train/t5 position=prefix" in lines
    assert lines[-3:] == [
        "containment: 2/3 = 66.67% of test is covered by train",
        "verdict: exceeds the maximum of 2.0%",
        "advice: above about 2% headline numbers are optimistic; report the score without these too",
    ]


@pytest.mark.req("E45", "A26", "A21")
@pytest.mark.parametrize(("limit", "code"), [("0", 1), ("49.99", 1), ("50", 0), ("50.0", 0), ("100", 0)])
def test_exactly_the_limit_is_within_it(limit: str, code: int, tmp_path: Path) -> None:
    train = manifest(tmp_path, "train.manifest", "train", "one", "two", "three")
    test = manifest(tmp_path, "test.manifest", "test", "One!", "four")
    ran = leak(tmp_path, "check", train, test, "--max-containment", limit)
    assert ran.code == code
    assert leak(tmp_path, "check", train, test, "--max-containment", limit, "--json").json["exceeded"] is bool(code)


@pytest.mark.req("E45", "A26")
def test_check_does_not_count_repeats_inside_a_split(tmp_path: Path) -> None:
    train = manifest(tmp_path, "train.manifest", "train", "one", "one")
    test = manifest(tmp_path, "test.manifest", "test", "two")
    assert leak(tmp_path, "check", train, test).code == 0
    assert leak(tmp_path, "report", train, test).code == 1


@pytest.mark.req("E44")
def test_check_takes_one_pair_and_sides_by_their_place(tmp_path: Path) -> None:
    assert leak(tmp_path, "check", *sample()).code == 2
    turned = leak(tmp_path, "check", *sample("test", "train")).out
    assert "containment: 2/6 = 33.33% of train is covered by test" in turned
    assert "test/e1 == train/t2 jaccard=1.000" in turned
    rows(tmp_path, "a.jsonl", {"split": "x", "text": "1"}, {"split": "y", "text": "2"})
    ran = leak(tmp_path, "check", "a.jsonl", sample("train")[0])
    assert (ran.code, "not-one-pair" in ran.err) == (2, True)


@pytest.mark.req("E51")
def test_overlaps_are_rolled_up_by_source(tmp_path: Path) -> None:
    """By hand: two pairs from the web, one from a book; the record without a source is named as such."""
    texts = ("first text", "second text", "third text", "not shared")
    sources = ("web", "web", "book", "web")
    items = [{"text": text, "meta": {"url": source}} for text, source in zip(texts, sources, strict=True)]
    rows(tmp_path, "train.jsonl", *items)
    rows(tmp_path, "test.jsonl", *({"text": text.title()} for text in texts[:3]))
    ran = leak(tmp_path, "check", "train.jsonl", "test.jsonl", "--source-field", "meta.url")
    part = ran.out[ran.out.index("overlaps per source:") : ran.out.index("containment: ")].split("\n")
    assert part[1:4] == [
        "test/(missing): pairs=3 records=3/3",
        "train/web: pairs=2 records=2/3",
        "train/book: pairs=1 records=1/1",
    ]
    data = leak(tmp_path, "report", "train.jsonl", "test.jsonl", "--source-field", "meta.url", "--json").json
    assert data["sources"][1] == {"split": "train", "source": "web", "pairs": 2, "records": 2, "of": 3}
    assert data["findings"][0]["b"]["source"] == "web"


# --- the picture ----------------------------------------------------------------------------------------------------


@pytest.mark.req("E39")
def test_the_picture_holds_the_numbers_of_the_report(tmp_path: Path) -> None:
    leak(tmp_path, "report", *sample(), "--svg", "overlap.svg")
    drawing = (tmp_path / "overlap.svg").read_text(encoding="utf-8")
    texts = [element.text for element in ET.fromstring(drawing).iter("{http://www.w3.org/2000/svg}text")]
    for number in (
        "2/3",
        "66.67%",
        "2/6",
        "33.33%",
        "1/3",
        "1/6",
        "16.67%",
        "1 exact",
        "1 near",
        "1 contained",
        "1 repeated",
    ):
        assert number in texts
    assert "records in any finding: 8" in texts
    assert "prefers-color-scheme:dark" in drawing
    assert not re.search(r"href|url\(|@import|@font-face|<script", drawing)


@pytest.mark.req("E39", "E2")
def test_the_picture_in_the_documentation_is_that_of_the_sample(tmp_path: Path) -> None:
    leak(tmp_path, "report", *sample(), "--svg", "overlap.svg")
    assert (tmp_path / "overlap.svg").read_bytes() == (ROOT / "docs" / "images" / "overlap.svg").read_bytes()


@pytest.mark.req("E39")
def test_names_that_are_markup_or_long_are_drawn_as_text(tmp_path: Path) -> None:
    rows(tmp_path, "a.jsonl", {"split": "<b>&\"'\uffff\u0007", "text": "x"}, {"split": "n" * 300, "text": "y"})
    assert leak(tmp_path, "report", "a.jsonl", "--split-field", "split", "--svg", "o.svg").code == 0
    drawing = ET.fromstring((tmp_path / "o.svg").read_text(encoding="utf-8"))
    texts = [element.text or "" for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert any(text.startswith("<b>&") for text in texts)
    assert max(map(len, texts)) < 90


# --- real data ------------------------------------------------------------------------------------------------------


def normal_copy(folder: Path, name: str) -> list[str]:
    """A set as files of texts that the truth was computed on: EvalLeak's normaliser leaves them as they are."""
    splits: dict[str, list[dict[str, Any]]] = {}
    for row in prepared(name):
        splits.setdefault(row["split"], []).append({"id": row["id"], "text": normalise(row["input"])})
    return [rows(folder, f"{split}.jsonl", *items) for split, items in sorted(splits.items())]


@pytest.mark.req("E14", "E16", "E40", "A22", "E38")
@pytest.mark.parametrize(
    ("name", "near", "contained", "way"),
    [("banking77", 175, 602, ()), ("banking77", 175, 602, ("--exact-join",)), ("gsm8k", 0, 0, ())],
)
def test_real_pairs_are_those_of_the_truth(
    name: str, near: int, contained: int, way: tuple[str, ...], tmp_path: Path
) -> None:
    data = leak(tmp_path, "report", *normal_copy(tmp_path, name), "--threshold", "0.8", "--json", *way).json
    expected = [row for row in truth(name) if row["scope"] == "cross"]

    def side(value: dict[str, str]) -> tuple[str, str]:
        return value["split"], value["id"]

    pairs = {
        frozenset((side(row["a"]), side(row["b"]))): Fraction(row["inter"], row["union"])
        for row in expected
        if row["kind"] == "near"
    }
    found = {
        frozenset((side(one["a"]), side(one["b"]))): Fraction(one["jaccard"]["fraction"]) if "jaccard" in one else 1
        for one in data["findings"]
        if one["kind"] in ("exact", "near")
    }
    assert found == pairs
    assert len(found) == near
    inside = {(side(one["a"]), side(one["b"]), one["position"]) for one in data["findings"] if "position" in one}
    assert inside == {
        (side(row["short"]), side(row["long"]), row["how"]) for row in expected if row["kind"] == "contain"
    }
    assert len(inside) == contained


@pytest.mark.req("E45", "E49", "E52")
def test_a_real_clean_pair_is_within_two_per_cent(tmp_path: Path) -> None:
    train, test = (str(data_path(f"gsm8k/{name}.jsonl")) for name in ("train", "test"))
    ran = leak(tmp_path, "check", train, test, "--text-field", "question", "--max-containment", "2.0", "--exact-join")
    assert ran.code == 0
    assert "containment: 2/1319 = 0.15% of test is covered by train" in ran.out
    assert "verdict: is within the maximum of 2.0%" in ran.out
