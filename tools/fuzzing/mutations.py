"""Seeds with a few pieces cut out, doubled or replaced, by hypothesis: for tests, and where atheris does not run."""

from __future__ import annotations

import time
from typing import Any, Final

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tools.fuzzing.seeds import TOKENS, seeds
from tools.fuzzing.targets import TARGETS

_ROUND: Final = 50  # examples between two looks at the clock


@st.composite
def mutated(draw: st.DrawFn, name: str) -> bytes:
    """A seed of a target, with pieces replaced by what its format is made of."""
    data = bytearray(draw(st.sampled_from(seeds(name))))
    tokens = st.sampled_from([token.encode() for token in TOKENS.get(name, ("\0",))])
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 6)))
        data[at:end] = draw(st.one_of(tokens, st.binary(max_size=4), st.just(bytes(data[at:end]) * 2)))
    return bytes(data)


class Found(Exception):
    """The smallest input met that breaks a promise; the cause says which."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.data = data


def mutate(name: str, seconds: float, first_seed: int) -> int:
    """Run a target on its seeds and on mutations of them for so long; how many inputs it took. Raises Found."""
    end = time.monotonic() + seconds
    executed = 0
    broken: list[bytes] = []

    def holds(data: bytes) -> None:
        nonlocal executed
        executed += 1
        try:
            TARGETS[name](data)
        except BaseException:
            broken.append(data)
            raise

    try:
        for data in seeds(name):
            holds(data)
        number = first_seed
        while time.monotonic() < end:
            _round(holds, name, number)
            number += 1
    except Exception as error:
        # Hypothesis ends with the smallest that it could make.
        raise Found(broken[-1]) from error
    return executed


def _round(holds: Any, name: str, number: int) -> None:
    quiet = settings(
        max_examples=_ROUND, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=False
    )
    seed(number)(quiet(given(mutated(name))(holds)))()
