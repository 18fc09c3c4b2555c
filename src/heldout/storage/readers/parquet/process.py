"""Parquet, read by a process of its own: a damaged file can end the process that reads it, and that must not be ours.

Arrow checks much, and not all: a few bytes changed in a footer or a page have made it abort or fault (tests/data has
one such file). The worker (`worker.py`) gets the file's bytes, and gives rows back; when it dies, the file is
refused like any other that cannot be read. One worker reads file after file, as starting one takes 0.3 s (measured).
"""

from __future__ import annotations

import atexit
import marshal
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from heldout.errors import DataError
from heldout.storage.readers.source import Row, Source

_SPOOL_LIMIT: Final = 1 << 34  # bytes of the worker's copy on disk, decompressed
_BLOCK: Final = 1 << 20
_LENGTH: Final = 8  # bytes that say how long what follows is; zero ends a file

_idle: list[_Worker] = []


def read_parquet(source: Source) -> Iterator[Row]:
    """Rows as objects, at most 1,024 in memory at a time; `columns` in dataset.yaml restricts what is read."""
    worker = _take()
    whole = False
    try:
        for kind, *said in worker.answers(source):
            if kind == "rows":
                yield from _rows(source, *said)
            elif kind == "fault":
                slug, message, field, hint = said
                raise DataError(slug, message, file=source.name, field=field, hint=hint)
            else:
                raise RuntimeError(f"the reader of Parquet files failed: {said[0]}")
        whole = True
    finally:
        # One that met a damaged file, or was left in the middle of one, is not asked again.
        worker.end() if not whole else _idle.append(worker)


def _rows(source: Source, first: int, entries: list[Any]) -> Iterator[Row]:
    """Objects by column, or (slug, reason, column) of a row that cannot be read exactly."""
    for number, entry in enumerate(entries, first):
        if isinstance(entry, tuple):
            slug, reason, field = entry
            source.refuse_row(DataError(slug, reason, file=source.name, row=number, field=field))
        else:
            yield Row(entry, number)


class _Worker:
    """The other process. Both sides send lengths and bytes; values travel by `marshal`, which runs nothing."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "heldout.storage.readers.parquet.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a library that aborts says so there
            start_new_session=True,  # ^C is ours to answer; it ends when its input does
        )

    def answers(self, source: Source) -> Iterator[tuple[Any, ...]]:
        """What it says of a file, until it says that this was all."""
        with suppress(BrokenPipeError):
            self._send(source)
        while True:
            try:
                answer = self._receive()
            except EOFError:
                raise self._died(source) from None
            if answer[0] == "end":
                return
            yield answer

    def _send(self, source: Source) -> None:
        self._write(marshal.dumps(list(source.item.columns)))
        size = 0
        while block := source.stream.read(_BLOCK):
            size += len(block)
            if size > _SPOOL_LIMIT:
                message = f"the file is larger than {_SPOOL_LIMIT >> 30} GiB"
                raise DataError("document-too-large", message, file=source.name, hint="Write it as several files.")
            self._write(block)
        self._write(b"")

    def _write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(len(data).to_bytes(_LENGTH, "big") + data)
        self.process.stdin.flush()

    def _receive(self) -> tuple[Any, ...]:
        stream = self.process.stdout
        assert stream is not None
        length = stream.read(_LENGTH)
        data = stream.read(int.from_bytes(length, "big"))
        if len(length) < _LENGTH or not data or len(data) < int.from_bytes(length, "big"):
            raise EOFError
        answer: tuple[Any, ...] = marshal.loads(data)
        return answer

    def _died(self, source: Source) -> DataError:
        """By a signal, if the file is to blame. SIGKILL is what the system ends a process with when memory is short."""
        status = self.process.wait()
        how = f"exit status {status}" if status >= 0 else signal.Signals(-status).name
        hint = "There may be too little memory for it." if -status == signal.SIGKILL else None
        message = f"the Parquet file cannot be read: it ended the process that read it ({how})"
        return DataError("bad-parquet", message, file=source.name, hint=hint)

    def end(self) -> None:
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()
        self.process.wait()


def _take() -> _Worker:
    """One that waits, or a new one; a process that was forked from ours does not share ours."""
    while _idle:
        worker = _idle.pop()
        if worker.owner == os.getpid() and worker.process.poll() is None:
            return worker
    return _Worker()


@atexit.register
def _end_all() -> None:
    while _idle:
        worker = _idle.pop()
        if worker.owner == os.getpid():
            worker.end()
