"""What stands at a path: a regular file that stays what it is, or exit 2 and what it is instead."""

from __future__ import annotations

import gzip
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.cli import heldout, snapshot
from support.dvc import dvc_repository
from support.git import Repo

from heldout.domain.dataset import DataFile
from heldout.errors import DataError
from heldout.services import add, proposing
from heldout.services.workspace import Workspace
from heldout.storage import regular_files
from heldout.storage import rows as storage_rows
from heldout.storage.readers import Row, read_rows, source

DATA = b"x\none text here\nand another one\n"


def pipe(folder: Path) -> str:
    os.mkfifo(folder / "pipe.csv")
    return "pipe.csv"


def pipe_in_a_folder(folder: Path) -> str:
    (folder / "shards").mkdir()
    (folder / "shards" / "1.csv").write_bytes(DATA)
    os.mkfifo(folder / "shards" / "2.csv")
    return "shards"


def broken_link(folder: Path) -> str:
    (folder / "link.csv").symlink_to("gone.csv")
    return "link.csv"


def broken_link_in_a_folder(folder: Path) -> str:
    (folder / "shards").mkdir()
    (folder / "shards" / "1.csv").write_bytes(DATA)
    (folder / "shards" / "2.csv").symlink_to("gone.csv")
    return "shards"


def linked_folder_in_a_folder(folder: Path) -> str:
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "2.csv").write_bytes(DATA)
    (folder / "shards").mkdir()
    (folder / "shards" / "1.csv").write_bytes(DATA)
    (folder / "shards" / "more").symlink_to("../elsewhere")
    return "shards"


def link_to_itself(folder: Path) -> str:
    (folder / "loop.csv").symlink_to("loop.csv")
    return "loop.csv"


def a_socket(folder: Path) -> str:
    with socket.socket(socket.AF_UNIX) as opened:
        here = Path.cwd()
        os.chdir(folder)  # a socket's path may be 108 bytes long
        opened.bind("s.csv")
        os.chdir(here)
    return "s.csv"


def empty_folder(folder: Path) -> str:
    (folder / "shards").mkdir()
    return "shards"


def file_in_a_file(folder: Path) -> str:
    (folder / "f.csv").write_bytes(DATA)
    return "f.csv/g.csv"


PLACES: list[tuple[Callable[[Path], str], str, str]] = [
    (pipe, "not-a-file", "a named pipe"),
    (pipe_in_a_folder, "not-a-file", "shards/2.csv: this is a named pipe"),
    (broken_link, "no-such-file", "the link leads to gone.csv"),
    (broken_link_in_a_folder, "no-such-file", "shards/2.csv: the link leads to gone.csv"),
    (linked_folder_in_a_folder, "not-a-file", "shards/more: a link to a folder"),
    (link_to_itself, "unreadable-file", "symbolic links"),
    (a_socket, "not-a-file", "a socket"),
    (empty_folder, "no-examples", "shards"),
    (file_in_a_file, "no-such-file", "f.csv/g.csv"),
    (lambda _: "gone.csv", "no-such-file", "gone.csv"),
    (lambda _: "", "no-such-file", ""),
    (lambda _: "n" * 300 + ".csv", "unreadable-file", "too long"),
    (lambda _: "/".join(["folder"] * 700) + "/f.csv", "unreadable-file", "too long"),
    (lambda _: "/dev/null", "not-a-file", "a device"),
    (lambda _: "/dev/zero", "not-a-file", "a device"),
]
IDS = [make.__name__ if make.__name__ != "<lambda>" else says or "empty path" for make, _, says in PLACES]


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return Repo(dvc_repository(tmp_path_factory.mktemp("places") / "repo"))


@pytest.mark.req("A42")
@pytest.mark.parametrize(("make", "slug", "says"), PLACES, ids=IDS)
def test_what_is_no_file_is_refused_and_nothing_hangs(
    repo: Repo, tmp_path: Path, make: Callable[[Path], str], slug: str, says: str
) -> None:
    name = make(tmp_path)
    before = snapshot(tmp_path)
    ran = heldout(tmp_path, "check", name, "--file-format", "csv", "--text-field", "x")
    assert (ran.code, ran.out) == (2, ""), ran.err
    assert f"[{slug}]" in ran.err
    assert says in ran.err
    assert "Traceback" not in ran.err
    assert snapshot(tmp_path) == before
    before = snapshot(repo.path)
    given = name if name.startswith("/") or not name else os.path.join(tmp_path, name)
    ran = heldout(repo.path, "add", "support", given, "--file-format", "csv", "--input", "x")
    assert (ran.code, ran.out) == (2, ""), ran.err
    assert f"[{slug}]" in ran.err
    assert snapshot(repo.path) == before


@pytest.mark.skipif(sys.platform != "linux", reason="another system has no such file")
def test_an_error_while_reading_is_told(tmp_path: Path) -> None:
    """/proc/self/mem is a regular file whose first byte cannot be read."""
    ran = heldout(tmp_path, "check", "/proc/self/mem", "--file-format", "txt")
    assert ran.code == 2
    assert ran.err == "heldout: /proc/self/mem: it cannot be read: Input/output error [unreadable-file]\n"


def test_a_folder_of_shards_and_links_to_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "shards" / "deep").mkdir(parents=True)
    (tmp_path / "shards" / "1.csv").write_bytes(DATA)
    (tmp_path / "shards" / "deep" / "2.csv.gz").write_bytes(gzip.compress(b"x\nthird text here\n"))
    (tmp_path / "shards" / "3.jsonl").symlink_to("../real.jsonl")
    (tmp_path / "real.jsonl").write_bytes(b'{"x":"a fourth one"}\n')
    ran = heldout(tmp_path, "check", "shards", "--text-field", "x", "--json")
    assert (ran.code, ran.json["files"][0]["splits"]) == (0, {"shards": 4})


@pytest.mark.parametrize(
    "name", ["caf\udce9.csv", "日本 語.csv", "new\nline.csv", "-dash.csv", "a=b.csv", "'\"$x;.csv"]
)
def test_any_name_of_a_file_is_taken_and_shown(tmp_path: Path, name: str) -> None:
    """In an output that can say ASCII only, and names that are no text at all."""
    (tmp_path / name).write_bytes(DATA)
    program = Path(sys.executable).parent / "heldout"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    for options in ((), ("--json",)):
        ran = subprocess.run(
            [program, "check", "--text-field", "x", *options, "--", name],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            check=False,
        )
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert ran.stdout.isascii()


# --- files that change ----------------------------------------------------------------------------------------------


def append(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"a row more\n")


def overwrite(path: Path) -> None:
    """Other bytes, as many as before."""
    path.write_bytes(path.read_bytes().replace(b"one", b"two"))
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def replace(path: Path) -> None:
    """As an editor or DVC does it: another file under the same name, as old and as large as the first."""
    status = path.stat()
    path.with_suffix(".new").write_bytes(path.read_bytes())
    os.utime(path.with_suffix(".new"), ns=(status.st_atime_ns, status.st_mtime_ns))
    path.with_suffix(".new").rename(path)


def truncate(path: Path) -> None:
    os.truncate(path, 2)


def delete(path: Path) -> None:
    path.unlink()


def give_way_to_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


CHANGES = [append, overwrite, replace, truncate, delete, give_way_to_a_pipe]


@pytest.mark.req("A50")
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("command", ["check f.csv --text-field x", "add support f.csv --input x"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, command: str, change: Callable[[Path], None]
) -> None:
    path = repo.path / "f.csv"
    path.write_bytes(DATA)
    changed = []

    def changing(*arguments: object) -> Iterator[Row]:
        for row in read_rows(*arguments):  # type: ignore[arg-type]
            if not changed:
                change(path)
                changed.append(change)
            yield row

    monkeypatch.setattr(storage_rows, "read_rows", changing)
    ran = heldout(repo.path, *command.split())
    path.unlink(missing_ok=True)
    assert changed == [change]
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("heldout: f.csv: the file changed while it was being read [changed-while-reading]")
    assert not (repo.path / "datasets").exists()


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_is_tracked_is_what_was_read(repo: Repo, change: Callable[[Path], None]) -> None:
    """A change after the last row was read and before DVC has the file."""
    path = repo.path / "f.csv"
    path.write_bytes(DATA)
    request = add.Request(
        "support", ((str(path), None),), DataFile("f.csv", columns=()), proposing.Asked(input="x"), holdout=()
    )
    workspace = Workspace.open(repo.path)
    made = add.plan(workspace, request, Nobody())
    change(path)
    with pytest.raises(DataError) as caught:
        add.carry_out(workspace, made)
    path.unlink(missing_ok=True)
    assert (caught.value.slug, caught.value.file) == ("changed-while-reading", str(path))
    assert not (repo.path / "datasets").exists()
    assert not (repo.path / ".heldout").exists()


class Nobody:
    def input_column(self, reasons: object, columns: object) -> str | None:
        return None

    def holdout(self, by_split: object) -> tuple[str, ...]:
        return ()


def test_a_pipe_put_in_place_of_a_file_at_the_last_moment_does_not_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the question what it is and the opening."""
    path = tmp_path / "f.csv"
    path.write_bytes(DATA)
    ask = regular_files.is_folder

    def then_change(place: Path, shown: str) -> bool:
        answer = ask(place, shown)
        give_way_to_a_pipe(place)
        return answer

    monkeypatch.setattr(regular_files, "is_folder", then_change)
    with pytest.raises(DataError) as caught, regular_files.opened(path, "f.csv"):
        pass
    assert caught.value.slug == "not-a-file"


# --- bounds -----------------------------------------------------------------------------------------------------------


def test_a_document_is_read_up_to_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gzip bomb of a document: what is unpacked counts."""
    monkeypatch.setattr(source, "DOCUMENT_LIMIT", 1 << 20)
    packed = gzip.compress(b"[" + b" " * (1 << 22) + b"]")
    assert len(packed) < 8192
    (tmp_path / "f.json.gz").write_bytes(packed)
    ran = heldout(tmp_path, "check", "f.json.gz", "--text-field", "x")
    assert (ran.code, ran.out) == (2, "")
    assert "[document-too-large]" in ran.err
    assert "format jsonl" in ran.err


def test_no_room_for_a_copy_of_a_parquet_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from heldout.storage.readers.parquet import process

    monkeypatch.setattr(process, "_SPOOL_LIMIT", 1 << 10)
    (tmp_path / "f.parquet").write_bytes(bytes(4096))
    ran = heldout(tmp_path, "check", "f.parquet")
    assert (ran.code, ran.out) == (2, "")
    assert "[document-too-large]" in ran.err


MEASURE = """
import sys
from heldout.domain.dataset import DataFile
from heldout.errors import DataError
from heldout.storage.readers import read_rows
try:
    with open(sys.argv[1], "rb") as stream:
        rows = sum(1 for _ in read_rows(stream, DataFile(sys.argv[1]), sys.argv[1]))
except DataError as error:
    rows = error.slug
(peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(rows, int(peak) >> 10)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="another system tells its peak in another way")
@pytest.mark.parametrize(
    ("name", "size", "ends", "most"),
    [
        ("row.jsonl", 60, (b'{"x":"', b'"}\n'), 350),
        ("row.jsonl", 100, (b'{"x":"', b'"}\n'), 250),
        ("row.csv", 100, (b"x\n", b"\n"), 250),
        ("row.txt", 100, (b"", b"\n"), 250),
        ("document.json", 60, (b'[{"x":"', b'"}]'), 450),
    ],
)
def test_memory_is_bounded(tmp_path: Path, name: str, size: int, ends: tuple[bytes, bytes], most: int) -> None:
    """MiB in the file, and at most in the process: docs/reading.md states them."""
    path = tmp_path / name
    with path.open("wb") as stream:
        stream.write(ends[0])
        for _ in range(size):
            stream.write(b"a text " * ((1 << 20) // 7))
        stream.write(ends[1])
    told = subprocess.run([sys.executable, "-c", MEASURE, path], capture_output=True, check=True).stdout.split()
    assert told[0] == (b"1" if size < 64 else b"row-too-large")
    assert int(told[1]) <= most, f"{name} of {size} MiB took {told[1].decode()} MiB"
