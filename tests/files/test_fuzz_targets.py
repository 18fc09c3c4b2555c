"""The promises of tools/fuzzing/targets.py on seeds and on mutations of them, and what fuzzing found before."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from support.console import ROOT
from support.data import DATA

from tools.fuzzing.mutations import mutated
from tools.fuzzing.seeds import seeds
from tools.fuzzing.targets import TARGETS

_DATASET = b"format: heldout/dataset@1\nname: a\ndata:\n- path: a.csv\n  split: train\n"

FOUND: list[tuple[str, str, bytes]] = [
    # target, what was wrong, input
    ("encodings", "UTF-16 without its mark was a defect (exit 70)", b"\x01a\0b\0"),
    ("encodings", "half of a surrogate pair in UTF-7 was a defect", b"\x04+2AA-\n"),
    ("encodings", "EBCDIC's newline is not LF: a text file was one row", b"\x06" + "a\nb\n".encode("cp037")),
    ("json-values", "9007199254740993.0 became ...992.0", b"9007199254740993.0"),
    ("json-values", "1e-400 became 0", b"[1e-400]"),
    ("json-values", "0.1234567890123456789 lost two digits", b"0.1234567890123456789"),
    ("json-values", "depth was as deep as the interpreter went", b"[" * 500 + b"]" * 500),
    ("yaml-values", "the fast parser took `- b` for a text", b"a: - b\n"),
    ("yaml-values", "a comment went on after CR, where YAML ends it", b"# c\rb: 1\na: 2\n"),
    ("yaml-values", "the same after U+2028", "# c\u2028b: 1\na: 2\n".encode()),
    ("yaml-values", "escapes of a pair were one character to one parser only", b'a: "\\ud83d\\ude00"\n'),
    ("yaml-values", "half a pair was read, and could not be written", b'"\\ud800": 1\n'),
    ("yaml-values", "a version that ruamel.yaml asserts against", b"%YAML 1.1052\n---\na: 1\n"),
    ("yaml-values", "a key of more than 1,024 characters", b"k" * 1100 + b": 1\n"),
    ("yaml-values", "deeper than the limit, by the fast parser", b"".join(b" " * n + b"a:\n" for n in range(250))),
    ("datasets", "a date of no calendar was a defect when a file was added", _DATASET + b"description: 2024-99-99\n"),
    ("datasets", "so was a key that YAML 1.1 merges", _DATASET + b"fields: {metadata: {<<: d}}\n"),
    ("parquet-rows", "asking for a column's size ended the process (SIGABRT)",
     (DATA / "awkward" / "found" / "level-histogram.parquet").read_bytes()),
    ("findings", "division by zero", seeds("findings")[0].replace(b"4/5", b"1/0")),
    ("findings", "a fraction that takes for ever", seeds("findings")[0].replace(b"4/5", b"1e999999999")),
    ("scan-records", "parameters that are no mapping", seeds("scan-records")[0].replace(b'threshold: "4/5"', b"- a")),
    ("scan-records", "a text for a list: complete, to whoever asked", seeds("scan-records")[0].replace(
        b"incomplete: []", b'incomplete: ""')),
    ("folder-manifests", "half of a surrogate pair in a path", b'[{"md5":"' + b"0" * 32 + b'","relpath":"\\ud800"}]'),
    ("folder-manifests", "NUL in a path", b'[{"md5":"' + b"0" * 32 + b'","relpath":"a\\u0000"}]'),
    ("folder-manifests", "too deep for the standard library", b"[" * 100_000),
    ("findings", "too deep for the standard library", b"[" * 100_000 + b"\n"),
]  # fmt: skip


@pytest.mark.req("A49", "A50")
@pytest.mark.parametrize(("name", "why", "data"), FOUND, ids=[f"{name}: {why}" for name, why, _ in FOUND])
def test_what_was_found_stays_mended(name: str, why: str, data: bytes) -> None:
    TARGETS[name](data)


@pytest.mark.req("A49", "A50")
@pytest.mark.parametrize("name", TARGETS)
def test_promises_hold_for_seeds(name: str) -> None:
    found = seeds(name)
    assert found
    for data in found:
        TARGETS[name](data)


@pytest.mark.req("A49", "A50")
@pytest.mark.parametrize("name", TARGETS)
def test_promises_hold_for_mutations(name: str) -> None:
    @given(mutated(name))
    @settings(max_examples=60, deadline=None)
    def holds(data: bytes) -> None:
        TARGETS[name](data)

    holds()


BROKEN = """
import sys, tools.fuzz
from tools.fuzzing import targets

def broken(data):
    if len(data) > 3:
        raise KeyError("no promise holds")

targets.TARGETS["findings"] = broken
sys.exit(tools.fuzz.main(sys.argv[1:]))
"""
HAS_ATHERIS = importlib.util.find_spec("atheris") is not None


def fuzz(*arguments: str | Path, program: tuple[str, ...] = ("-m", "tools.fuzz")) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *program, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.req("A49")
@pytest.mark.parametrize("engine", ["hypothesis", *(["atheris"] if HAS_ATHERIS else [])])
def test_a_clean_run_says_what_ran(tmp_path: Path, engine: str) -> None:
    ran = fuzz("--seconds", "1", "--target", "findings", "--work", tmp_path, "--engine", engine)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert engine in ran.stdout.splitlines()[0]
    assert ran.stdout.splitlines()[1].startswith("findings")
    assert ran.stdout.endswith("clean\n")
    assert list((tmp_path / "findings").glob("*")) == []


@pytest.mark.req("A49")
def test_without_atheris_hypothesis_fuzzes(tmp_path: Path) -> None:
    absent = "import sys; sys.modules['atheris'] = None\nimport tools.fuzz\nsys.exit(tools.fuzz.main(sys.argv[1:]))"
    ran = fuzz("--seconds", "1", "--target", "findings", "--work", tmp_path, program=("-c", absent))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "by hypothesis" in ran.stdout.splitlines()[0]


@pytest.mark.req("A49")
def test_a_find_fails_and_says_how_to_replay_it(tmp_path: Path) -> None:
    options = ("--seconds", "1", "--target", "findings", "--work", tmp_path)
    ran = fuzz(*options, "--engine", "hypothesis", program=("-c", BROKEN))
    assert ran.returncode == 1
    assert "FOUND" in ran.stdout
    assert "no promise holds" in ran.stdout
    (kept,) = (tmp_path / "findings").iterdir()
    assert kept.read_bytes() in [seed for seed in seeds("findings") if len(seed) > 3]
    assert f"python -m tools.fuzz --target findings --replay {kept}" in ran.stdout
    replayed = fuzz("--target", "findings", "--replay", kept, program=("-c", BROKEN))
    assert replayed.returncode != 0
    assert "no promise holds" in replayed.stderr
    assert fuzz("--target", "findings", "--replay", kept).returncode == 0


@pytest.mark.req("A49")
@pytest.mark.skipif(not HAS_ATHERIS, reason="atheris runs on Linux and x86-64")
def test_the_fuzzer_keeps_what_breaks_a_promise(tmp_path: Path) -> None:
    ran = fuzz("--inside", "findings", "--seconds", "5", "--work", tmp_path, program=("-c", BROKEN))
    assert ran.returncode != 0
    assert "no promise holds" in ran.stdout + ran.stderr
    assert [path.name[:14] for path in (tmp_path / "findings").iterdir()] == ["findings-crash"]
