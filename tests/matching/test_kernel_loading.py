"""Kernels are an offer: where they cannot be had numpy answers, and a damaged or closed cache costs nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from heldout.matching import kernels
from heldout.matching.kernels import compiler, loader
from heldout.matching.minhash import signatures
from heldout.matching.texts import normalise_batch

pytestmark = pytest.mark.req("E40")
TEXTS = ["Where is my new card?", "Ünïcode", ""] * 5


@pytest.fixture(scope="module")
def compiled() -> dict[str, compiler.Compiled]:
    """This machine's kernels, as they are kept."""
    assert kernels.prepare()
    for folder in loader._folders():
        found = loader._read(folder / loader._file_name())
        if found:
            return found
    raise AssertionError("nothing was kept")


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], None]:
    """A process that has not looked for kernels yet, and may keep them in `tmp_path` only."""
    monkeypatch.setattr(loader, "_folders", lambda: [tmp_path / "one", tmp_path / "two"])

    def forget() -> None:
        monkeypatch.setattr(kernels, "_STATE", kernels._State())

    forget()
    return forget


def test_small_work_loads_nothing(anew: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HELDOUT_KERNELS", raising=False)
    monkeypatch.setattr(loader, "load_cached", pytest.fail)
    signatures(normalise_batch(TEXTS))
    assert not kernels.to_compile(kernels.COMPILE_FROM - 1)


def test_numba_is_asked_once_a_machine(
    anew: Callable[[], None], compiled: dict[str, compiler.Compiled], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(loader, "compile_kernels", lambda: asked.append(1) or compiled)
    assert kernels.to_compile(kernels.COMPILE_FROM)
    said: list[str] = []
    kernels.when_compiling(lambda: said.append("compiling"))
    assert kernels.prepare()
    anew()
    assert not kernels.to_compile(kernels.COMPILE_FROM)
    assert kernels.kernels_for(kernels.LOAD_FROM) is not None
    assert (asked, said) == ([1], ["compiling"])


def test_many_small_blocks_add_up(
    anew: Callable[[], None], compiled: dict[str, compiler.Compiled], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HELDOUT_KERNELS", raising=False)
    monkeypatch.setattr(loader, "compile_kernels", lambda: compiled)
    blocks = [kernels.kernels_for(kernels.COMPILE_FROM // 4, fresh=True) for _ in range(4)]
    assert [block is None for block in blocks] == [True, True, True, False]


@pytest.mark.parametrize("module", ["numba", "llvmlite"])
def test_without_numba_numpy_answers(module: str) -> None:
    """In a process of its own, where the module cannot be imported."""
    program = f"""
import sys
sys.modules[{module!r}] = None
from pathlib import Path
from heldout.matching import kernels
from heldout.matching.kernels import loader
loader._folders = lambda: [Path("/nowhere")]
assert not kernels.prepare()
assert not kernels.to_compile(10**12)
from heldout.matching.minhash import signatures
from heldout.matching.texts import normalise_batch
print(signatures(normalise_batch({TEXTS!r})).sum())
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert int(done.stdout) == int(signatures(normalise_batch(TEXTS)).sum())


def test_a_damaged_cache_is_made_again(
    anew: Callable[[], None],
    compiled: dict[str, compiler.Compiled],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "one" / loader._file_name()
    loader._write(path, compiled)
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[: len(whole) // 2], b"", whole[:200] + b"\0" + whole[201:], b"x" * len(whole)):
        path.write_bytes(damaged)
        assert loader.load_cached() is None
    monkeypatch.setattr(loader, "compile_kernels", lambda: compiled)
    assert kernels.prepare()
    assert path.read_bytes() == whole
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_folder_that_takes_nothing_is_passed_over(
    anew: Callable[[], None],
    compiled: dict[str, compiler.Compiled],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loader, "compile_kernels", lambda: compiled)
    (tmp_path / "one").write_text("a file where a folder should be")  # even root cannot write below it
    assert kernels.prepare()
    assert (tmp_path / "two" / loader._file_name()).exists()
    anew()
    (tmp_path / "two" / loader._file_name()).unlink()
    (tmp_path / "two").rmdir()
    (tmp_path / "two").write_text("nor here")
    assert kernels.prepare(), "compiled for this process alone"


def test_a_failure_to_compile_is_final(anew: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("a processor that nobody knows")

    monkeypatch.setenv("HELDOUT_KERNELS", "on")
    monkeypatch.setattr(loader, "compile_kernels", fail)
    assert signatures(normalise_batch(TEXTS)).shape == (15, 64)
    monkeypatch.setattr(loader, "compile_kernels", pytest.fail)
    assert kernels.kernels_for(10**12) is None


def test_a_kernel_refuses_arrays_of_another_type(compiled: dict[str, compiler.Compiled]) -> None:
    made = loader._mapped(compiled)
    right = [np.zeros(8, np.uint32), 4, 16, np.zeros(1 << 16, np.uint8)]
    assert made.tally(*right) == 0
    for place, wrong in ((0, np.zeros(8, np.uint64)), (0, np.zeros(16, np.uint32)[::2]), (3, np.zeros(9, np.int8))):
        with pytest.raises(TypeError, match="kernel"):
            made.tally(*right[:place], wrong, *right[place + 1 :])


def test_the_object_code_leaves_nothing_to_numba(compiled: dict[str, compiler.Compiled]) -> None:
    """A process that loads kernels imports llvmlite alone."""
    program = (
        "import sys; from heldout.matching import kernels; assert kernels.prepare(); print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["False"]
