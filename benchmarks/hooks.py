"""What our hooks add to Git: the same work in two repositories, one with them and one without, taking turns.

    python benchmarks/hooks.py --runs 9

Prints the median of each side and the milliseconds added, with the budget beside them. The repository has three
datasets with a frozen version each. Asserts nothing: budgets are for one quiet core.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.repository import install_hooks, many_versions
from bench.timing import Operation, Times, quiet_environment, run, table, take_turns

BUDGETS = {
    "commit elsewhere": 15,
    "push without datasets": 30,
    "plain tag": 20,
    "version tag": 250,
    "rebase of 29 commits": 1000,
    "fetch of 300 tags": 2000,
}
"""Milliseconds that hooks may add."""


class Side:
    """One repository with a remote of its own, and the operations on it."""

    def __init__(self, folder: Path, env: dict[str, str], *, hooks: bool) -> None:
        self.place, self.remote, self.env = folder / "project", folder / "remote.git", env
        self.dataset = many_versions(self.place, env, versions=3, datasets=3)[-1].partition("@")[0]
        self.git("init", "-q", "--bare", str(self.remote))
        self.git("remote", "add", "origin", str(self.remote))
        self.git("push", "-q", "-u", "origin", "main", "--tags")
        self._make_branches()
        self._make_remote_tags()
        if hooks:
            install_hooks(self.place, env)
        self.number = itertools.count()

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        return run(["git", *arguments], cwd=self.place, env=self.env, stdin=stdin)

    def operations(self) -> dict[str, Operation]:
        return {
            "commit elsewhere": Operation(lambda: self.git("commit", "-q", "-m", "n"), before=self._edit),
            "push without datasets": Operation(lambda: self.git("push", "-q"), before=self._commit),
            "plain tag": Operation(lambda: self.git("tag", f"build-{next(self.number)}")),
            "version tag": Operation(lambda: self.git("tag", f"{self.dataset}@v2.{next(self.number)}.0")),
            "rebase of 29 commits": Operation(
                lambda: self.git("rebase", "-q", "topic-base"),
                before=lambda: self._bypass("checkout", "-q", "-B", "work", "topic"),
                after=lambda: self._bypass("checkout", "-q", "main"),
            ),
            "fetch of 300 tags": Operation(lambda: self.git("fetch", "-q", "--tags"), before=self._forget_tags),
        }

    def _bypass(self, *arguments: str, stdin: bytes = b"") -> str:
        return self.git("-c", "core.hooksPath=/dev/null", *arguments, stdin=stdin)

    def _edit(self) -> None:
        (self.place / "README.md").write_text(f"A project, {next(self.number)}.\n", encoding="utf-8")
        self.git("add", "README.md")

    def _commit(self) -> None:
        self._edit()
        self._bypass("commit", "-q", "-m", "n")

    def _make_branches(self) -> None:
        """`topic` has 29 commits from where main stands, `topic-base` one that they are rebased onto."""
        lines = ["commit refs/heads/topic-base", f"committer {_WHO}", "data 4", "base", "from refs/heads/main"]
        lines += ["M 100644 inline base.txt", "data 5", "base", ""]
        for number in range(29):
            text = f"work {number}"
            lines += ["commit refs/heads/topic", f"committer {_WHO}", f"data {len(text)}", text]
            lines += ["from refs/heads/main"] if number == 0 else []
            lines += [f"M 100644 inline work-{number}.txt", f"data {len(text) + 1}", text, ""]
        self.git("fast-import", "--quiet", stdin="\n".join(lines).encode())

    def _make_remote_tags(self) -> None:
        head = self.git("rev-parse", "main").strip()
        names = [f"{self.dataset}@v9.{number}.0" for number in range(300)]
        text = "".join(f"create refs/tags/{name} {head}\n" for name in names)
        run(["git", "update-ref", "--stdin"], cwd=self.remote, env=self.env, stdin=text.encode())

    def _forget_tags(self) -> None:
        names = self.git("tag", "--list", "*@v9.*").split()
        text = "".join(f"delete refs/tags/{name}\n" for name in names)
        self._bypass("update-ref", "--stdin", stdin=text.encode())


_WHO = "Bench <bench@example.org> 1767225600 +0000"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = quiet_environment(folder)
        without, with_hooks = (Side(folder / side, env, hooks=side == "with") for side in ("without", "with"))
        times = _in_turns(without, with_hooks, options.runs)
    print(f"milliseconds, median of {options.runs} runs; budgets are for a quiet core")
    print(table(_rows(times)))


def _in_turns(without: Side, with_hooks: Side, runs: int) -> dict[str, dict[str, Times]]:
    ours, theirs = with_hooks.operations(), without.operations()
    return {name: take_turns({"without": theirs[name], "with": ours[name]}, runs) for name in BUDGETS}


def _rows(times: dict[str, dict[str, Times]]) -> list[list[str]]:
    added: dict[str, Callable[[Times], float]] = {"by median": lambda t: t.median, "by least": lambda t: t.least}
    rows = [["", "without", "with", *(f"added {name}" for name in added), "added processor", "budget"]]
    for name, sides in times.items():
        plain, hooked = sides["without"], sides["with"]
        cells = [f"{plain.median:,.0f}", f"{hooked.median:,.0f}"]
        cells += [f"{of(hooked) - of(plain):+,.0f}" for of in added.values()]
        rows.append([name, *cells, f"{hooked.cpu_median - plain.cpu_median:+,.0f}", f"+{BUDGETS[name]:,}"])
    return rows


if __name__ == "__main__":
    main()
