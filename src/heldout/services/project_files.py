"""What a project's .gitattributes and .gitignore have to say, asked of Git itself: people spell rules differently."""

from __future__ import annotations

from pathlib import Path

from heldout.storage.git import Git
from heldout.storage.working_files import require_own_place, write_own_file

ATTRIBUTES_FILE = ".gitattributes"
IGNORE_FILE = ".gitignore"
IGNORE_LINE = "/.heldout/"

# Each pattern with a path that it is about. Records are compared byte by byte, so Git must not convert line ends.
_UNCONVERTED = {
    "datasets/**/scans/** -text": "datasets/name/scans/0000000000000000/findings.jsonl",
    "corpora/**/scans/** -text": "corpora/name/scans/0000000000000000/findings.jsonl",
}


def missing_attributes(git: Git) -> list[str]:
    """Lines that .gitattributes needs and that no rule of the project stands for."""
    return [line for line, path in _UNCONVERTED.items() if not _is_binary_to_git(git, path)]


def cache_is_ignored(git: Git) -> bool:
    """Whether a .gitignore of the project keeps .heldout/ out; one person's own excludes protect nobody else."""
    found = git.line("--no-literal-pathspecs", "check-ignore", "--no-index", "-v", ".heldout/cache")
    if found is None:
        return False
    source, _, pattern = found.split(":", 2)
    return Path(source).name == IGNORE_FILE and not Path(source).is_absolute() and not pattern.startswith("!")


def append_lines(top: Path, name: str, lines: list[str]) -> None:
    """Add lines at the end, with the line ends that the file has; what stands there keeps its bytes.

    Raises ConfigError (slug symbolic-link): Git does not read these files through a link either.
    """
    path = require_own_place(top, name)
    before = path.read_bytes() if path.exists() else b""
    end = b"\r\n" if b"\r\n" in before else b"\n"
    joint = end if before and not before.endswith(b"\n") else b""
    write_own_file(top, name, before + joint + b"".join(line.encode("utf-8") + end for line in lines))


def _is_binary_to_git(git: Git, path: str) -> bool:
    answer = git.line("check-attr", "-z", "text", "--", path)
    return answer is not None and answer.split("\0")[2:3] == ["unset"]
