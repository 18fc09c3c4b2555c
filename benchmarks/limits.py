"""What a clone with hundreds of frozen versions costs: `heldout gate`, `git tag` and `git push` of a version.

    python benchmarks/limits.py --versions 300 --datasets 6 --runs 7

The repository holds pointers and records only. Every version was compared with all that were frozen before it, so the
records name versions * (versions - 1) / 2 comparisons. Prints milliseconds; asserts nothing.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from pathlib import Path

from bench.repository import install_hooks, many_versions
from bench.timing import Operation, quiet_environment, run, table, take_turns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--versions", type=int, default=300)
    parser.add_argument("--datasets", type=int, default=6)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), options.versions, options.datasets, options.runs)


def measure(folder: Path, versions: int, datasets: int, runs: int) -> None:
    env = quiet_environment(folder)
    place = folder / "project"
    tags = many_versions(place, env, versions, datasets)
    run(["git", "init", "-q", "--bare", str(folder / "remote.git")], cwd=folder, env=env)
    run(["git", "remote", "add", "origin", str(folder / "remote.git")], cwd=place, env=env)
    run(["git", "push", "-q", "origin", "main"], cwd=place, env=env)
    install_hooks(place, env)
    operations = _operations(place, env, tags)
    print(f"{versions} versions of {datasets} datasets, median of {runs} runs")
    times = take_turns(operations, runs)
    rows = [["", "ms", "least", "processor ms"]]
    rows += [[name, *(f"{t:,.0f}" for t in (item.median, item.least, item.cpu_median))] for name, item in times.items()]
    print(table(rows))


def _operations(place: Path, env: dict[str, str], tags: list[str]) -> dict[str, Operation]:
    def git(*arguments: str) -> None:
        run(["git", *arguments], cwd=place, env=env)

    def gate() -> None:
        run([sys.executable, "-P", "-m", "heldout", "gate", tags[-1]], cwd=place, env=env)

    number = itertools.count()
    dataset = tags[-1].partition("@")[0]
    removed = [f":refs/tags/{tag}" for tag in tags]
    return {
        "heldout gate": Operation(gate),
        "git tag of a version": Operation(
            lambda: git("tag", "-m", "n", f"{dataset}@v7.{next(number)}.0"),
            after=lambda: git("tag", "-d", f"{dataset}@v7.{_last(place, env)}.0"),
        ),
        "git push of a version": Operation(
            lambda: git("push", "-q", "origin", tags[-1]),
            after=lambda: git("push", "-q", "--no-verify", "origin", removed[-1]),
        ),
        "git push of all versions": Operation(
            lambda: git("push", "-q", "origin", "--tags"),
            after=lambda: git("push", "-q", "--no-verify", "origin", *removed),
        ),
    }


def _last(place: Path, env: dict[str, str]) -> str:
    tags = run(["git", "tag", "--list", "*@v7.*"], cwd=place, env=env).split()
    return tags[-1].split(".")[1]


if __name__ == "__main__":
    main()
