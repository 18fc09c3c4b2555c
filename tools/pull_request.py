"""Print what a reviewer gets to see: a pull request on real data, from its making to the comment under it.

    python -m tools.pull_request [leak|fix|unseen] [FOLDER]

Two people, two clones, a bare Git remote and a DVC remote, all in one folder. The main branch has Banking77 without the
training questions that repeat a test question; its test split is held out, and a change of it needs an approval. A pull
request brings more data. `leak` brings the training questions that were left out, in good faith; `fix` leaves out the
test questions that they repeat; `unseen` is `leak` made by somebody without Heldout's hooks, so that no record exists.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
NAMES = {"ada": "Ada", "ben": "Ben"}
STORIES = ("leak", "fix", "unseen")

_CONFIG = "[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n"
_POLICY = "format: heldout/project@1\nholdout_changes: {required: 1}\n"
_DATE = "2026-01-01T12:00:00+00:00"
_CARDS = "metadata.category in [card_arrival, card_not_working, lost_or_stolen_card]"
_MORE_CARDS = "metadata.category in [card_arrival, card_not_working, card_swallowed, lost_or_stolen_card]"

Row = tuple[str, str, str]
"""Key, question, category."""


@dataclass(frozen=True)
class Clone:
    """One person's clone of the remote, with this very installation's `heldout` on the path."""

    path: Path
    env: Mapping[str, str]

    def run(self, *command: str, accept: Sequence[int] = (0,)) -> str:
        """Standard output of a command that has to work."""
        done = subprocess.run(command, cwd=self.path, env=self.env, capture_output=True, text=True, check=False)
        if done.returncode not in accept:
            raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def heldout(self, *arguments: str, accept: Sequence[int] = (0,)) -> str:
        return self.run("heldout", *arguments, accept=accept)

    def commit(self, message: str, *options: str) -> None:
        self.run("git", "add", "--all", "datasets")
        self.run("git", "commit", "-q", "-m", message, *options)

    def write(self, path: str, rows: Iterable[Row]) -> None:
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows([("id", "text", "category"), *rows])
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(stream.getvalue(), encoding="utf-8")


@dataclass(frozen=True)
class Stage:
    """`folder` has `remote.git`, `store` and the clones."""

    folder: Path

    def clone(self, person: str) -> Clone:
        path = self.folder / person
        here = Clone(self.folder, self.environment(person))
        here.run("git", "clone", "-q", (self.folder / "remote.git").as_uri(), person)
        return Clone(path, here.env)

    def environment(self, person: str) -> dict[str, str]:
        """Nothing of the person at the keyboard but where programs are."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        (home / "gitconfig").write_text(_CONFIG, encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "DVC_", "HELDOUT_"))}
        dvc = {f"DVC_{kind}_DIR": str(home / kind) for kind in ("GLOBAL_CONFIG", "SYSTEM_CONFIG", "SITE_CACHE")}
        named = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", NAMES[person]), ("EMAIL", f"{person}@example.org"), ("DATE", _DATE))
        }
        programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
        own = {"HOME": str(home), "GIT_CONFIG_GLOBAL": str(home / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}
        return {**kept, **dvc, **named, **own, "PATH": programs, "DVC_NO_ANALYTICS": "1", "TZ": "UTC", "NO_COLOR": "1"}


def questions(split: str) -> list[Row]:
    """Banking77 as published, a key for every row: train-17."""
    with gzip.open(DATA / "banking77" / f"{split}.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))[1:]
    return [(f"{split}-{number}", *row) for number, row in enumerate(rows)]  # type: ignore[misc]


def repeated() -> tuple[set[str], set[str]]:
    """Keys of training questions that repeat a test question, and of those test questions (tests/data/README.md)."""
    keys: tuple[set[str], set[str]] = (set(), set())
    with gzip.open(DATA / "truth" / "banking77.jsonl.gz", "rt", encoding="utf-8") as stream:
        for row in map(json.loads, stream):
            sides = {row[side]["split"]: row[side]["id"].replace(":", "-") for side in ("a", "b") if side in row}
            if row["kind"] in ("exact", "near") and len(sides) == 2:
                keys[0].add(sides["train"])
                keys[1].add(sides["test"])
    return keys


def main_branch(folder: Path) -> Stage:
    """Ada's work: clean data, frozen as v1.0.0 and pushed, with a slice and a policy."""
    folder.mkdir(parents=True, exist_ok=True)
    stage = Stage(folder)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder / "remote.git")], check=True)
    ada = stage.clone("ada")
    ada.heldout("init")
    ada.run("dvc", "remote", "add", "-q", "-d", "store", str(folder / "store"))
    (ada.path / "heldout.yaml").write_text(_POLICY, encoding="utf-8")
    ada.run("git", "add", "--all")
    ada.run("git", "commit", "-q", "-m", "Set up Heldout")
    leaking, _ = repeated()
    ada.write("train.csv", (row for row in questions("train") if row[0] not in leaking))
    ada.write("test.csv", questions("test"))
    _add(ada, "banking77", "train.csv", "test.csv")
    ada.heldout("slice", "new", "banking77", "cards", "--where", _CARDS)
    ada.commit("Add banking77")
    ada.heldout("freeze", "banking77")
    ada.run("dvc", "push", "-q")
    ada.run("git", "push", "-q", "origin", "main", "banking77@v1.0.0")
    return stage


def pull_request(stage: Stage, story: str = "leak") -> Clone:
    """Ben's branch `more-questions`, pushed as far as it can be."""
    ben = stage.clone("ben")
    ben.run("git", "switch", "-q", "-c", "more-questions")
    if story != "unseen":
        ben.heldout("init")
        ben.run("dvc", "pull", "-q")
    _, given_away = repeated()
    test = questions("test")
    wrong = [("test-0", test[0][1], "card_delivery_estimate"), *test[1:]]  # one label is mended
    ben.write("train.csv", questions("train"))
    ben.write("test.csv", (row for row in wrong if story != "fix" or row[0] not in given_away))
    _add(ben, "banking77", "train.csv", "test.csv")
    slice_file = ben.path / "datasets/banking77/slices/cards.yaml"
    before, history = slice_file.read_text(encoding="utf-8").split("history:")
    slice_file.write_text(
        before.replace("- card_not_working\n", "- card_not_working\n    - card_swallowed\n") + "history:" + history
    )
    _maths(ben)
    ben.run("git", "add", "--all", "datasets")
    ben.run("git", "commit", "-q", "-m", "Train on more questions", *(["--no-verify"] if story == "unseen" else []))
    ben.run("dvc", "push", "-q")
    ben.run("git", "push", "-q", "origin", "more-questions")
    return ben


def _maths(ben: Clone) -> None:
    """A second dataset: grade-school maths, nothing of which is near a banking question."""
    for split in ("train", "test"):
        with gzip.open(DATA / "gsm8k" / f"{split}.jsonl.gz", "rt", encoding="utf-8") as stream:
            rows = [json.loads(line) for line in stream]
        ben.write(
            f"maths-{split}.csv", ((f"{split}-{n}", row["question"], row["answer"]) for n, row in enumerate(rows))
        )
    _add(ben, "gsm8k", "maths-train.csv=train", "maths-test.csv=test")


def _add(clone: Clone, name: str, *files: str) -> None:
    """The first time with what the columns mean; later `heldout add` only updates the files."""
    meaning = [
        "--key",
        "id",
        "--input",
        "text",
        "--expected",
        "category",
        "--metadata",
        "category",
        "--holdout",
        "test",
    ]
    known = (clone.path / f"datasets/{name}/dataset.yaml").exists()
    clone.heldout("add", name, *files, *([] if known else meaning), "--yes")
    for file in files:
        (clone.path / file.partition("=")[0]).unlink()


def main(arguments: Sequence[str]) -> None:
    story = arguments[0] if arguments else "leak"
    if story not in STORIES:
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(arguments[1]) if len(arguments) > 1 else Path(scratch) / "pull-request"
        ben = pull_request(main_branch(folder.resolve()), story)
        sys.stdout.write(ben.heldout("report", "--base", "origin/main", "--markdown", "--quiet"))


if __name__ == "__main__":
    main(sys.argv[1:])
