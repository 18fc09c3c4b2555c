"""Coverage and answers, against brute force: an answer may say clean only where everybody would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.leak_rules import Links, exposures
from support.worlds import INPUTS, World, given_members, record, worlds

from heldout.domain.answer import Gap, GapKind, Verdict
from heldout.domain.coverage import Knowledge, Retirement, Version
from heldout.domain.names import VersionName, VersionNumber
from heldout.domain.pool import Holding
from heldout.domain.scans import Scan, Scans


def scan_of(world: World, position: int, others: Sequence[int], incomplete: tuple[str, ...] = ()) -> Scan:
    """What a scan of one version against some others finds and records."""
    seen = World((world.holdings[position], *(world.holdings[i] for i in others)), world.links)
    found = seen.found()
    return Scan(record(seen.holdings[0], seen.holdings[1:], found, incomplete), lambda: found.findings)


def knows(versions: Sequence[Version], scans: Sequence[Scan], *more: Any, **others: Any) -> Knowledge:
    return Knowledge(versions, Scans(scans), *more, **others)


def version_of(holding: Holding, number: int) -> Version:
    return Version(VersionName(holding.dataset, VersionNumber(number, 0, 0)), f"commit{number}", holding.source)


def retirement_of(version: Version, source: str | None = None) -> Retirement:
    return Retirement(version.name, source or version.source, "never trained on", "A Person <a@example.org>")


@dataclass(frozen=True)
class History:
    """A world of frozen versions with the records that happen to exist, by (scanned, compared) positions."""

    world: World
    scans: tuple[tuple[int, tuple[int, ...], bool], ...]
    retired: frozenset[int]
    shallow: bool

    @property
    def versions(self) -> list[Version]:
        return [version_of(holding, number) for number, holding in enumerate(self.world.holdings)]

    def knowledge(self) -> Knowledge:
        return knows(
            self.versions,
            [scan_of(self.world, at, others, () if done else ("2 rows",)) for at, others, done in self.scans],
            [retirement_of(self.versions[number]) for number in self.retired],
            self.shallow,
        )

    # The rules again, from their words.

    def live(self) -> set[int]:
        return {*range(len(self.world.holdings))} - self.retired

    def compared(self, v: int, w: int) -> bool:
        """A30: W is in V's compared set or V in W's; A52: of scans and versions that are whole."""
        holdings = self.world.holdings
        return any(
            done and {at, other} == {v, w} and holdings[other].complete
            for at, others, done in self.scans
            for other in others
        )

    def complete(self, v: int) -> bool:
        own = any(at == v and done for at, _, done in self.scans)
        holding = self.world.holdings[v]
        held = any(member.split in holding.holdout for member in holding.members)
        others = all(self.compared(v, w) for w in self.live() - {v})
        return own and held and others and not self.shallow

    def exposed(self, v: int, *, by_records_only: bool) -> set[tuple[str, ...]]:
        """A29: held-out examples of V that V itself or a version taking part gives away."""
        holdings = self.world.holdings
        trusted = self.live() | {v}
        if by_records_only:
            pairs = [(at, w) for at, others, _ in self.scans if at in trusted for w in (at, *others)]
        else:
            pairs = [(v, w) for w in trusted]
        named = [(holdings[a].source, holdings[b].source) for a, b in pairs]
        wanted = {holdings[w].source for w in trusted}
        return {
            held.identity
            for held, other in exposures(self.world.rows(), named, self.world.links)
            if held.version == holdings[v].source and other.version in wanted
        }


@st.composite
def histories(draw: st.DrawFn) -> History:
    world = draw(worlds())
    holdings = tuple(replace(item, complete=draw(st.integers(0, 5)) > 0) for item in world.holdings)
    world = World(holdings, world.links)
    every = range(len(holdings))
    scans = []
    for at in every:
        for _ in range(draw(st.integers(0, 2))):
            others = draw(st.sets(st.sampled_from([*every])).map(lambda chosen, at=at: tuple(sorted(chosen - {at}))))
            # One version's scans say the same of its own rows: the data is the same.
            scans.append((at, others, holdings[at].complete))
    retired = draw(st.sets(st.sampled_from([*every]), max_size=1))
    return History(world, tuple(scans), frozenset(retired), draw(st.integers(0, 9)) == 0)


@pytest.mark.req("A29", "A30", "A52", "B50")
@settings(max_examples=150)
@given(histories())
def test_answers_are_what_the_rules_say(history: History) -> None:
    known = history.knowledge()
    for number, version in enumerate(history.versions):
        answer = known.answer(version.dataset, version.source)
        held = {hit.held.identity() for hit in answer.findings}
        truth = history.exposed(number, by_records_only=False)
        assert answer.complete == history.complete(number)
        assert history.exposed(number, by_records_only=True) & truth <= held <= truth
        assert answer.contaminated == bool(held)
        if answer.complete:
            assert held == truth, "a covered version's answer is the truth about it"
        if answer.verdict is Verdict.CLEAN:
            assert history.complete(number)
            assert not truth


@pytest.mark.req("A29", "B48")
@given(histories())
def test_every_contamination_names_a_held_out_and_an_open_example(history: History) -> None:
    known = history.knowledge()
    for version in history.versions:
        for hit in known.contaminations(version.source):
            assert version.source in hit.held.held_out_in
            assert set(hit.other.open_in) & (known.live | {version.source})
            assert {hit.held, hit.other} == {hit.finding.a, hit.finding.b}
            assert hit.finding.holdout_contamination


@given(histories())
def test_what_a_version_gives_away_is_what_contaminates_the_others(history: History) -> None:
    """A32: across datasets; within one, moving an example is the fix."""
    known = history.knowledge()
    for version in known.taking_part:
        wanted = {
            other: {hit.finding.id for hit in known.contaminations(other.source) if version.source in hit.other.open_in}
            for other in known.taking_part
            if other.dataset != version.dataset
        }
        got = {other: {hit.finding.id for hit in hits} for other, hits in known.contaminates(version).items()}
        assert got == {other: ids for other, ids in wanted.items() if ids}


# --- complete -------------------------------------------------------------------------------------------------------


def line(length: int) -> World:
    """Versions of one dataset, each with its own held-out and open example and no overlap."""
    return World(
        tuple(
            Holding(
                "a",
                f"sha256:{number:064x}",
                given_members({("test", f"t{number}"): f"t{number}", ("train", f"r{number}"): f"r{number}"}),
                frozenset({"test"}),
            )
            for number in range(length)
        ),
        Links(),
    )


@pytest.mark.req("B49", "A30")
@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_on_a_linear_history_complete_means_own_scan_and_every_later_one(scanned: list[bool]) -> None:
    """B49's words: each scan is made at the freeze, so it compares with what was frozen before."""
    world = line(len(scanned))
    scans = [scan_of(world, number, range(number)) for number, done in enumerate(scanned) if done]
    versions = [version_of(holding, number) for number, holding in enumerate(world.holdings)]
    known = knows(versions, scans)
    for number, version in enumerate(versions):
        assert known.answer("a", version.source).complete == all(scanned[number:])


@pytest.mark.req("A30")
def test_parallel_branches_need_a_scan_that_saw_both() -> None:
    world = line(3)
    versions = [version_of(holding, number) for number, holding in enumerate(world.holdings)]
    apart = [scan_of(world, 0, ()), scan_of(world, 1, (0,)), scan_of(world, 2, (0,))]
    answers = [knows(versions, apart).answer("a", version.source) for version in versions]
    assert [answer.verdict for answer in answers] == [Verdict.CLEAN, Verdict.UNKNOWN, Verdict.UNKNOWN]
    assert [gap.other for gap in answers[1].gaps] == [versions[2].name]
    merged = [*apart, scan_of(world, 2, (0, 1))]
    assert all(knows(versions, merged).answer("a", version.source).verdict is Verdict.CLEAN for version in versions)


def kinds(gaps: Sequence[Gap]) -> list[GapKind]:
    return [gap.kind for gap in gaps]


@pytest.mark.req("B50", "A43")
def test_what_is_not_scanned_is_unknown() -> None:
    world = line(1)
    version = version_of(world.holdings[0], 0)
    answer = knows([version], []).answer("a", version.source)
    assert (answer.verdict, kinds(answer.gaps)) == (Verdict.UNKNOWN, [GapKind.NOT_SCANNED])


@pytest.mark.req("A52")
def test_an_incomplete_scan_says_why() -> None:
    world = line(1)
    version = version_of(world.holdings[0], 0)
    answer = knows([version], [scan_of(world, 0, (), ("3 rows were skipped",))]).answer("a", version.source)
    assert (answer.verdict, kinds(answer.gaps)) == (Verdict.UNKNOWN, [GapKind.SCAN_INCOMPLETE])
    assert "3 rows were skipped" in answer.gaps[0].text


@pytest.mark.req("A52")
def test_a_version_that_could_not_be_read_whole_leaves_the_others_unknown() -> None:
    """Its missing rows might hold their examples; scanning again would not help, and the gap says so."""
    whole, torn = line(2).holdings
    world = World((whole, replace(torn, complete=False)), Links())
    versions = [version_of(holding, number) for number, holding in enumerate(world.holdings)]
    scans = [scan_of(world, 0, (1,)), scan_of(world, 1, (0,), ("1 rows were skipped",))]
    answer = knows(versions, scans).answer("a", versions[0].source)
    assert kinds(answer.gaps) == [GapKind.PARTLY_COMPARED]
    assert answer.gaps[0].other == versions[1].name


@pytest.mark.req("A52")
def test_no_held_out_example_is_unknown() -> None:
    holding = Holding("a", "sha256:1", given_members({("train", "1"): INPUTS[0]}), frozenset({"test"}))
    world = World((holding,), Links())
    version = version_of(holding, 0)
    answer = knows([version], [scan_of(world, 0, ())]).answer("a", version.source)
    assert (answer.verdict, kinds(answer.gaps)) == (Verdict.UNKNOWN, [GapKind.NO_HOLDOUT])


@pytest.mark.req("A30")
def test_a_shallow_clone_cannot_know() -> None:
    world = line(1)
    version = version_of(world.holdings[0], 0)
    known = knows([version], [scan_of(world, 0, ())], shallow=True)
    assert kinds(known.answer("a", version.source).gaps) == [GapKind.SHALLOW]


def test_a_damaged_record_counts_as_absent_and_explains_a_gap() -> None:
    world = line(1)
    version = version_of(world.holdings[0], 0)
    damaged = [("a", "scan.yaml is no record"), ("b", "another dataset's")]
    gaps = knows([version], [], damaged=damaged).answer("a", version.source).gaps
    assert kinds(gaps) == [GapKind.NOT_SCANNED, GapKind.UNREADABLE_RECORD]
    covered = knows([version], [scan_of(world, 0, ())], damaged=damaged).answer("a", version.source)
    assert covered.verdict is Verdict.CLEAN


def test_two_versions_of_equal_content_need_no_comparison() -> None:
    world = line(1)
    holding = world.holdings[0]
    versions = [version_of(holding, 1), version_of(holding, 2)]
    assert knows(versions, [scan_of(world, 0, ())]).answer("a", holding.source).verdict is Verdict.CLEAN


# --- the fix and the ways out ---------------------------------------------------------------------------------------


def leaking() -> World:
    """v0 holds a test example and its copy in train; v1 is v0 without the copy; v2 without the test example."""
    both = {("test", "k"): INPUTS[0], ("train", "j"): INPUTS[0], ("test", "x"): INPUTS[1], ("train", "y"): INPUTS[2]}
    states = [both, {k: v for k, v in both.items() if k[1] != "j"}, {k: v for k, v in both.items() if k[1] != "k"}]
    holdings = tuple(
        Holding("a", f"sha256:{number:064x}", given_members(rows), frozenset({"test"}))
        for number, rows in enumerate(states)
    )
    return World(holdings, Links())


@pytest.mark.req("A47", "B51")
def test_removing_the_open_copy_does_not_clear_the_next_version_but_removing_the_held_out_one_does() -> None:
    world = leaking()
    versions = [version_of(holding, number) for number, holding in enumerate(world.holdings)]
    known = knows(versions, [scan_of(world, number, range(number)) for number in range(3)])
    verdicts = [known.answer("a", version.source).verdict for version in versions]
    assert verdicts == [Verdict.CONTAMINATED, Verdict.CONTAMINATED, Verdict.CLEAN]


@pytest.mark.req("A47")
def test_retiring_the_version_that_gave_it_away_clears_the_next() -> None:
    world = leaking()
    versions = [version_of(holding, number) for number, holding in enumerate(world.holdings)]
    scans = [scan_of(world, number, range(number)) for number in range(3)]
    versions = versions[:2]  # v2 holds the copy in train, and so gives v1 away itself
    retired = knows(versions, scans, [retirement_of(versions[0])])
    assert retired.answer("a", versions[1].source).verdict is Verdict.CLEAN
    assert retired.answer("a", versions[0].source).verdict is Verdict.CONTAMINATED, "it stays what it was"
    # A retirement is of what the version held: a tag that was moved to other content takes part again.
    moved = knows(versions, scans, [retirement_of(versions[0], "sha256:other")])
    assert moved.answer("a", versions[1].source).verdict is Verdict.CONTAMINATED


def test_a_record_of_content_that_was_never_frozen_contaminates_only_itself() -> None:
    """A branch that leaks, scanned on the way and never frozen, is nobody's exposure."""
    world = leaking()
    draft, frozen = world.holdings[0], world.holdings[1]
    version = version_of(frozen, 1)
    known = knows([version], [scan_of(world, 1, ()), scan_of(world, 0, (1,))])
    assert known.answer("a", frozen.source).verdict is Verdict.CLEAN
    assert known.answer("a", draft.source).contaminated


@given(histories())
def test_what_is_looked_up_in_records_is_kept_with_them(history: History) -> None:
    """A push of many versions asks of a knowledge of its own for each; the records of all are indexed once."""
    known = history.knowledge()
    other = replace(known, shallow=not known.shallow)
    first, second = (version.source for version in (known.versions[0], known.versions[-1]))
    assert known.compared(first, second) == other.compared(first, second)
    assert other.scans is known.scans
    assert first == second or "pairs" in vars(known.scans)
