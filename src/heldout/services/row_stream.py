"""The rows of one state of a dataset as a scan needs them, to be read as often as that takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from heldout.domain.canonical import DIGEST_PREFIX
from heldout.domain.dataset import DatasetSpec
from heldout.domain.example import JSON
from heldout.errors import DataError
from heldout.services.reading import examples, lookup_table
from heldout.services.sources import DataSource
from heldout.storage.quick.members import Facts, facts_of, member_facts
from heldout.storage.regular_files import changed
from heldout.storage.rows import RowMapper

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class RowStream:
    """`first` is the number of its first row where several are put behind each other; `own_names` as for a mapper."""

    spec: DatasetSpec
    data: DataSource
    skip_bad_rows: bool = False
    own_names: bool = True
    first: int = 0

    def facts(
        self, on_bad_row: Callable[[DataError], None], *, inputs_only: bool = False
    ) -> Iterator[tuple[str, Facts]]:
        """(file, row) of every row, in the order of dataset.yaml and of the files. Rows that cannot be read exactly
        raise DataError, or go to `on_bad_row` where such rows are skipped.

        With `inputs_only` the other digests may be missing.
        """
        skip = on_bad_row if self.skip_bad_rows else None
        if self.spec.payloads is not None:
            for name, example in examples(self.spec, self.data, skip, own_names=self.own_names):
                yield name, facts_of(example)
            return
        for item in self.spec.data:
            for name, stream in self.data.open(item.path):
                described = (self.spec, item, name)
                for facts in member_facts(
                    stream, described, self._mapper, skip, own_names=self.own_names, inputs_only=inputs_only
                ):
                    yield name, facts

    @cached_property
    def _mapper(self) -> RowMapper:
        lookups: dict[str, Mapping[str, JSON]] = {
            path: lookup_table(self.data, path) for path in self.spec.lookup_paths()
        }
        return RowMapper(self.spec, lookups, own_names=self.own_names)

    def again(self, rows: NDArray[np.int64]) -> Iterator[tuple[str, bytes, str]]:
        """(file, input digest, text) of the rows with these ascending numbers.

        Raises DataError (slug changed-while-reading) where a row holds no text any more.
        """
        wanted = iter(rows.tolist())
        following = next(wanted, None)
        if following is None:
            return
        for number, (file, facts) in enumerate(self.facts(_ignore, inputs_only=True), self.first):
            if number == following:
                if facts.text is None:
                    raise changed(file)
                yield file, facts.digests[0], facts.text
                following = next(wanted, None)
                if following is None:
                    return


def _ignore(_: DataError) -> None:
    """Rows that are skipped were told of when they were read first."""


class TextsAgain(Mapping[str, str]):
    """The texts of a version by the digests of their inputs, read when the first one is asked for."""

    def __init__(self, rows: RowStream) -> None:
        self._rows = rows

    @cached_property
    def _texts(self) -> dict[str, str]:
        found: dict[bytes, str] = {}
        for _, facts in self._rows.facts(_ignore, inputs_only=True):
            if facts.text is not None:
                found.setdefault(facts.digests[0], facts.text)
        return {DIGEST_PREFIX + digest.hex(): text for digest, text in found.items()}

    def __getitem__(self, digest: str) -> str:
        return self._texts[digest]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)
