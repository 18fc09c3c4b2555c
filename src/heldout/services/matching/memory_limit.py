"""How much memory a scan may take, and how it is shared out."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from heldout.domain.sizes import parse_size
from heldout.errors import UsageError

_CGROUP: Final = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_BASE: Final = 192 << 20
"""Bytes that the interpreter and its libraries take before there is any data."""

_INPUT: Final = 750
"""Bytes that a scan takes for each distinct input even where it reads all texts again: digests, keys, places, numbers
of its rows and bands, and one bitmap. Measured with a million rows, at the step that takes most."""

_LEAST: Final = 1 << 16
_MMAP_THRESHOLD, _TRIM_THRESHOLD, _ARENA_MAX = -3, -1, -8  # options of mallopt(3)
_MAPPED: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """`texts` bytes may be kept of texts and what is computed of them before they are read again instead; `work` bytes
    may be taken by one step over some of them. Whatever the limit, the findings are the same."""

    size: int

    @property
    def texts(self) -> int:
        return self._room * 35 // 100

    @property
    def work(self) -> int:
        return max(self._room * 25 // 100, _LEAST)

    def beyond(self, inputs: int) -> str | None:
        """What to tell people where so many distinct inputs do not fit, however often their texts are read."""
        needed = _BASE + inputs * _INPUT
        if needed <= self.size:
            return None
        return (
            f"a limit of {self.size / (1 << 30):.2f} GiB cannot be kept: {inputs:,} distinct inputs take about "
            f"{needed / (1 << 30):.1f} GiB without their texts"
        )

    @property
    def _room(self) -> int:
        return max(self.size - _BASE, 0)


def spare_memory() -> None:
    """From here on memory goes back to the system when it is freed, where the C library would keep some of it.

    What it keeps counts as taken: with a pool of its own for every thread that was a third of all that a scan of a
    million rows took. Arrays of a mebibyte are now mapped and unmapped one by one; the library would raise that size
    by itself to 32. Only the GNU C library knows these settings.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for option, value in ((_MMAP_THRESHOLD, _MAPPED), (_TRIM_THRESHOLD, _MAPPED), (_ARENA_MAX, 1)):
            library.mallopt(option, value)
        library.malloc_trim(0)


def default_limit() -> MemoryLimit:
    """Half of what the machine, or the container around this process, has."""
    sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for path in _CGROUP:
        try:
            sizes.append(int(path.read_text(encoding="ascii")))
        except (OSError, ValueError):
            continue  # no such file, or "max"
    return MemoryLimit(min(sizes) // 2)


def asked_limit(text: str) -> MemoryLimit:
    """What `--memory` says. Raises UsageError (slug bad-size)."""
    size = parse_size(text)
    if size is None:
        raise UsageError("bad-size", f"--memory {text}: that is no size", hint="--memory 1GiB, 512MiB or 2GB")
    return MemoryLimit(size)
