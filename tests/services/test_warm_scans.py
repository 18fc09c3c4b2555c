"""Scans that take over what earlier ones compared: the same bytes as without, whatever came and went, and whatever
became of the cache."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from heldout.domain.canonical import digest
from heldout.domain.dataset import DataFile, DatasetSpec
from heldout.domain.method import Method
from heldout.services.matching import pool as matching_pool
from heldout.services.matching import warm as matching_warm
from heldout.services.matching.link_memory import LinkMemory
from heldout.services.matching.memory_limit import MemoryLimit
from heldout.services.matching.texts import TextStore
from heldout.services.reading import read_version
from heldout.services.scanning import scan
from heldout.services.sources import PlainFiles
from heldout.storage.caches.links import LinkCache

WORDS = ["the", "of", "and", "to", "in", "is", "you", "that", "it", "he", "was", "for", "on", "are", "as", "with"]
NAMES = ("a1", "a2", "b1")
DAMAGE = (*["none"] * 15, "bit", "cut", "gone", "garbage", "emptied")


@pytest.fixture(autouse=True)
def every_scan_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching_warm, "REMEMBER_FROM", 0)


class Project:
    """Three versions as files, which change from scan to scan, and a cache."""

    def __init__(self, folder: Path, method: Method) -> None:
        self.folder, self.method = folder, method
        self.notes: list[str] = []
        folder.mkdir(parents=True)

    @property
    def sets(self) -> list[Path]:
        return sorted((self.folder / ".heldout").rglob("*.compared"))

    def write(self, name: str, rows: dict[str, tuple[str, str, bool]]) -> None:
        """Rows by key: (split, text, whether the text is there)."""
        lines = []
        for key, (split, text, there) in rows.items():
            row = {"split": split, "key": key} | ({"input": text} if there else {"payload": digest(text)})
            lines.append(json.dumps(row))
        (self.folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")

    def scan(self, *, warm: bool, limit: MemoryLimit | None = None) -> dict[str, bytes]:
        memory = LinkMemory(LinkCache(self.folder / ".heldout", self.method.digest, self.notes.append))
        store = TextStore(self.method, limit, memory=memory if warm else None)
        readings = [
            read_version(
                DatasetSpec(name[0], (DataFile(f"{name}.jsonl"),), holdout=("test",)),
                f"sha256:{name}",
                PlainFiles(self.folder),
                store=store,
            )
            for name in NAMES
        ]
        result = scan(readings[0], readings[1:], self.method, store=store).files()
        store.close()
        return result

    def damage(self, kind: str, rng: random.Random) -> None:
        for path in self.sets:
            data = bytearray(path.read_bytes())
            if kind == "bit":
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            elif kind == "cut":
                del data[rng.randrange(len(data)) :]
            elif kind == "garbage":
                data = bytearray(rng.randbytes(rng.randrange(2000)))
            elif kind == "emptied":
                data = bytearray()
            path.unlink()
            if kind != "gone":
                path.write_bytes(data)


def sentence(rng: random.Random, low: int, high: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(low, high)))


def noise(rng: random.Random, words: int) -> str:
    """A text that shares nothing with any other."""
    return " ".join(f"{rng.getrandbits(48):x}" for _ in range(words))


def universe(rng: random.Random, size: int) -> list[str]:
    """Texts of which many are edits of others, or stand in others, or are one template; some say nothing."""
    base = [sentence(rng, 1, 40) for _ in range(size)]
    texts = ["?!", "…", "", *base]
    for _ in range(3):  # families and crowds that new inputs bring over the cap
        template, short = sentence(rng, 25, 30), sentence(rng, 5, 8)
        texts += [f"{template} {number}" for number in range(size // 6)]
        texts += [f"{sentence(rng, 1, 9)} {short} {sentence(rng, 1, 9)}" for _ in range(size // 6)] + [short]
    for text in base:
        if rng.random() < 0.4:
            texts.append(f"{sentence(rng, 0, 3)} {text} {sentence(rng, 0, 3)}".strip())
        if rng.random() < 0.4:
            texts.append(f"{text[:-2]}{rng.choice('xyz')}é")
        if rng.random() < 0.1:
            texts.append(f"日本語 шпион {text}")
    return sorted({*texts})


def changed(rng: random.Random, pool: list[str], rows: dict[str, tuple[str, str, bool]], share: float) -> None:
    """Some rows go, some change, some come."""
    for key in [key for key in rows if rng.random() < share]:
        del rows[key]
    for number, text in enumerate(pool):
        if rng.random() < share:
            rows[f"k{number}"] = (rng.choice(["train", "train", "test"]), text, rng.random() < 0.95)
    rows["always"] = ("test", "there is a held-out row in each version", True)


History = list[tuple[float, str, bool]]
"""Of each step the share of rows that change, what becomes of the cache, and whether memory is short."""

steps = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.05, 0.1, 0.1, 0.2, 0.5]),
        st.sampled_from(DAMAGE),
        st.sampled_from([*[False] * 9, True]),
    ),
    min_size=2,
    max_size=5,
)
methods = st.builds(
    Method,
    bucket_cap=st.sampled_from([3, 5, 256, 256]),
    pair_cap=st.sampled_from([2, 1024]),
    containment_cap=st.sampled_from([2, 4, 1024, 1024]),
)


@pytest.mark.req("A33", "E2")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32), st.integers(4, 60), methods, steps, st.sampled_from([2, 32]))
def test_no_scan_can_tell_what_was_compared_before(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int, method: Method, history: History, new_part: int
) -> None:  # fmt: skip
    rng = random.Random(seed)
    project = Project(tmp_path_factory.mktemp("history") / "p", method)
    pool = universe(rng, size)
    versions: dict[str, dict[str, tuple[str, str, bool]]] = {name: {} for name in NAMES}
    taken = 0
    real = matching_warm.taken_over

    def counted(*arguments: object) -> object:
        nonlocal taken
        found = real(*arguments)  # type: ignore[arg-type]
        taken += found is not None
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching_pool, "taken_over", counted)
        patch.setattr(matching_warm, "_NEW_PART", new_part)
        for number, (share, damage, tight) in enumerate(history):
            for name in NAMES:
                changed(rng, pool, versions[name], share if number else 0.35)
                project.write(name, versions[name])
            damaged = damage in ("bit", "cut", "garbage", "emptied") and bool(project.sets)
            project.damage(damage, rng)
            before = len(project.notes)
            limit = MemoryLimit((192 << 20) + 20_000) if tight else None
            assert project.scan(warm=True, limit=limit) == project.scan(warm=False)
            if damaged and not tight:
                assert any("damaged" in note for note in project.notes[before:])
    event(f"taken over {min(taken, 3)} times")
    shutil.rmtree(project.folder)


@pytest.mark.req("A33", "E2")
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["family", "crowd"])
def test_new_inputs_that_bring_old_ones_over_a_cap(tmp_path: Path, kind: str, seed: int) -> None:
    """Four of a kind are listed, six are a family, or stand in too many to list: of the old ones too. And back again,
    once some are gone."""
    rng = random.Random(seed)
    project = Project(tmp_path / "p", Method(bucket_cap=4, containment_cap=4))
    template = noise(rng, 12)
    if kind == "family":
        alike = [f"{template} {number}" for number in range(12)]
    else:
        alike = [template, *(f"{noise(rng, 9)} {template} {noise(rng, 9)}" for _ in range(11))]
    others = {f"o{number}": ("train", noise(rng, 20), True) for number in range(60)}
    for count in (4, 6, 12, 5, 3, 4, 9):
        rows = {f"k{number}": (("train", "test")[number % 2], alike[number], True) for number in range(count)}
        for name in NAMES:
            project.write(name, {"always": ("test", "there is a held-out row in each version", True)} | others | rows)
        assert project.scan(warm=True) == project.scan(warm=False), count
    assert project.notes == []
