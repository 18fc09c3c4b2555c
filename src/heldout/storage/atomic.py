"""Files appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def write_file(path: Path, data: bytes) -> None:
    """Write a file with these bytes, in folders made as needed."""
    with replacing(path) as stream:
        stream.write(data)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream that becomes the file when the block ends without an error; otherwise nothing was there.

    Written aside and renamed (POSIX rename is atomic), so that neither ^C nor a full disk leaves half a file.
    """
    import tempfile  # 4 ms that hooks which only read do not pay

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            os.fchmod(stream.fileno(), 0o666 & ~_umask())
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """The process's file mode mask; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
