"""Frames of datasets, slices and files, and draws that nothing but frame, stream and seed decide."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from hashlib import sha256

import pytest
from sampling.conftest import POPULATION, Files
from slices.conftest import PLAIN, write
from support.cli import heldout
from support.story import Team

from heldout.domain.sampling.design import Design, Outcome, Plan
from heldout.domain.sampling.drawing import select
from heldout.domain.sampling.frame import Frame, Population
from heldout.domain.sampling.kinds import Kind

PEOPLE = Population("p", ("w",), ("l",), ("c",), "r", "t", ())


def designed(frame: Frame, seed: str = "s", stream: str = "main", **draws: int) -> Design:
    plans = tuple(Plan(name, len(frame.strata[name]), draw) for name, draw in draws.items())
    about = Outcome("f", "m")
    return Design("d", 1, Kind.STRATIFIED, frame.digest, stream, seed, about, Fraction(1, 20), {}, plans)


@pytest.mark.req("D21", "D32")
def test_the_draw_is_the_documented_one() -> None:
    names = [f"u{n}" for n in range(50)]
    frame = Frame.of(PEOPLE, {}, [(name, "ab"[n % 2]) for n, name in enumerate(names)])
    drawn = select(frame, designed(frame, a=5, b=7))
    for stratum, count in (("a", 5), ("b", 7)):
        ranked = sorted(frame.strata[stratum], key=lambda name: sha256(f'["main","s","{name}"]'.encode()).hexdigest())
        assert [each.name for each in drawn if each.stratum == stratum] == ranked[:count]


def test_neither_order_nor_other_strata_have_a_say() -> None:
    pairs = [(f"u{n}", "ab"[n % 2]) for n in range(50)]
    frame, mixed = Frame.of(PEOPLE, {}, pairs), Frame.of(PEOPLE, {}, pairs[::-1])
    assert frame.digest == mixed.digest
    assert select(frame, designed(frame, a=5, b=7)) == select(mixed, designed(mixed, a=5, b=7))
    one = {each.name for each in select(frame, designed(frame, a=5, b=7)) if each.stratum == "a"}
    more = {each.name for each in select(frame, designed(frame, a=9, b=1)) if each.stratum == "a"}
    assert one < more, "a larger draw holds the smaller one"


@pytest.mark.req("D32")
def test_streams_and_seeds_draw_independently() -> None:
    frame = Frame.of(PEOPLE, {}, [(f"u{n}", "a") for n in range(1000)])
    draws = [
        {each.name for each in select(frame, designed(frame, seed, stream, a=100))}
        for seed, stream in (("s", "main"), ("t", "main"), ("s", "incidents"), ("main", "s"))
    ]
    for at, one in enumerate(draws):
        for other in draws[:at]:
            # 10 are expected in common, with a standard deviation of 2.8
            assert 0 < len(one & other) < 25


@pytest.mark.req("D21")
def test_every_unit_is_drawn_as_often_as_its_probability_says() -> None:
    frame = Frame.of(PEOPLE, {}, [(f"u{n}", "a") for n in range(20)])
    counts = Counter(each.name for seed in range(2000) for each in select(frame, designed(frame, str(seed), a=5)))
    # 500 each, with a standard deviation of 19.4
    assert set(counts) == set(frame.strata["a"])
    assert all(420 < count < 580 for count in counts.values())


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Team:
    team = Team.start(tmp_path_factory.mktemp("framed"))
    write(team, "plain", PLAIN)
    team.write("population.yaml", POPULATION)
    team.save("Add a dataset")
    team.git("tag", "-a", "plain@v1.0.0", "-m", "first")
    return team


def frame_of(team: Team, *arguments: str, output: str = "frame.jsonl") -> dict[str, list[str]]:
    (team.path / output).unlink(missing_ok=True)
    ran = heldout(team.path, "sample", "frame", *arguments, "--population", "population.yaml", "-o", output)
    assert ran.code == 0, ran.err
    found: dict[str, list[str]] = {}
    for line in (team.path / output).read_text().splitlines()[1:]:
        unit = json.loads(line)
        found.setdefault(unit["stratum"], []).append(unit["id"])
    return found


@pytest.mark.req("D19", "D21")
def test_a_frame_of_a_version_by_metadata(team: Team) -> None:
    found = frame_of(team, "plain@v1.0.0", "--by", "metadata.language")
    expected: dict[str, list[str]] = {}
    for row in PLAIN:
        expected.setdefault(row["metadata"]["language"], []).append(f"{row['split']}/{row['key']}")
    assert found == {stratum: sorted(names) for stratum, names in sorted(expected.items())}
    header = json.loads((team.path / "frame.jsonl").read_text().splitlines()[0])
    assert header["source"]["subject"] == "plain@v1.0.0"
    assert header["source"]["content"].startswith("sha256:")
    texts = [row["input"]["text"] for row in PLAIN]
    assert not any(text in (team.path / "frame.jsonl").read_text() for text in texts)


def test_a_frame_of_a_split_and_a_slice(team: Team) -> None:
    test = [f"test/{row['key']}" for row in PLAIN if row["split"] == "test"]
    assert frame_of(team, "plain", "--split", "test") == {"all": test}
    heldout(team.path, "slice", "new", "plain", "billing", "--where", "tag contains billing")
    billing = [f"test/{row['key']}" for row in PLAIN if row["split"] == "test" and row["tags"]]
    assert frame_of(team, "plain", "--split", "test", "--slice", "billing", output="b.jsonl") == {"all": billing}
    header = json.loads((team.path / "b.jsonl").read_text().splitlines()[0])
    assert header["source"]["slice_digest"].startswith("sha256:")


def test_values_are_put_together(team: Team) -> None:
    arguments = ("--by", "metadata.turns", "--group", "low=0,1,2", "--rest", "high")
    found = frame_of(team, "plain", *arguments)
    assert [len(found[name]) for name in ("low", "high")] == [3, 37]


@pytest.mark.req("D27")
@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (("--by", "metadata.absent"), "no-stratum"),
        (("--by", "metadata.language", "--group", "one=de"), "no-stratum"),
        (("--by", "metadata.language", "--group", "one=de,xx", "--rest", "r"), "bad-value"),
        (("--by", "metadata.language", "--group", "one=de", "--group", "two=de", "--rest", "r"), "bad-value"),
        (("--by", "metadata..language"), "bad-path"),
        (("--group", "one=de"), "bad-value"),
        (("--split", "none"), "unknown-split"),
        (("--slice", "none"), "unknown-slice"),
        (("--id", "key"), "no-such-file"),
    ],
)
def test_frames_that_cannot_be(team: Team, arguments: tuple[str, ...], slug: str) -> None:
    ran = heldout(team.path, "sample", "frame", "plain", *arguments, "--population", "population.yaml", "-o", "f.jsonl")
    assert ran.code == 2
    assert f"[{slug}]" in ran.err
    assert not (team.path / "f.jsonl").exists()


def test_a_frame_of_any_file(framed: Files) -> None:
    framed.write("cases.csv", "case,risk\na,low\nb,high\nc,low\n")
    make = ("--population", "population.yaml")
    framed.make("frame", "cases.csv", "--id", "case", "--by", "risk", *make, "-o", "csv.jsonl")
    assert [json.loads(line)["id"] for line in framed.read("csv.jsonl").splitlines()[1:]] == ["b", "a", "c"]
    framed.write("twice.csv", "case,risk\na,low\na,high\n")
    assert "[repeated-unit]" in framed.run("frame", "twice.csv", "--id", "case", *make, "-o", "f.jsonl").err
    framed.write("none.jsonl", '{"case": null}\n')
    assert "none.jsonl:1" in framed.run("frame", "none.jsonl", "--id", "case", *make, "-o", "f.jsonl").err


def test_texts_do_not_become_strata(framed: Files) -> None:
    rows = [{"id": f"u{n}", "text": f"question {n}", "long": "x" * 101} for n in range(201)]
    framed.write("texts.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    for field in ("text", "long"):
        ran = framed.run(
            "frame", "texts.jsonl", "--id", "id", "--by", field, "--population", "population.yaml", "-o", "f.jsonl"
        )
        assert ran.code == 2
        assert "that is no stratification [bad-value]" in ran.err
        assert "f.jsonl" not in framed.names()
