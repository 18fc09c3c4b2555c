"""The story of the demo. Two findings are named by their ids: ids are made of the data alone, so they never change."""

from __future__ import annotations

from heldout.domain.story import Chapter, Step

_SAME, _REWORDED = "408569f8", "eaad5c50"

CHAPTERS = (
    Chapter(
        "A repository",
        (
            Step("A team keeps its evaluation data in a Git repository.", "git init -q -b main"),
            Step(
                "Heldout sets up DVC, which keeps large files out of Git, and Git hooks, which do the checking.",
                "heldout init",
                shows=("set up DVC", "pre-commit", "pre-push"),
            ),
            Step(
                "The set-up is committed, so that the whole team has it.",
                'git add .dvc/config .gitattributes .gitignore && git commit -q -m "Set up Heldout"',
            ),
        ),
    ),
    Chapter(
        "The data arrives",
        (
            Step(
                "13,083 questions in two files. The test file is declared held out: models are measured on it, and so "
                "none may be trained on it.",
                "heldout add banking77 ../train.csv ../test.csv \\\n"
                "    --input text --expected category --holdout test",
                shows=("train 10,003", "test 3,080", "held out: test"),
            ),
        ),
    ),
    Chapter(
        "The commit finds the leak",
        (
            Step(
                "An ordinary commit. The hook compares every example with every other and adds what it finds to the "
                "same commit.",
                'git add datasets/banking77 && git commit -q -m "Add banking77"',
                shows=("13,083 examples", "175 near", "151 held-out examples are given away"),
            ),
            Step(
                "The data stays with DVC; Git holds pointers to it and the scan record.",
                "git show --stat --format=",
                shows=("scan.yaml", "findings.jsonl", "test.csv.dvc"),
            ),
        ),
    ),
    Chapter(
        "What a leak looks like",
        (
            Step(
                "Whoever trained on the first question knows the answer to the second: it is the same one.",
                f"heldout findings show {_SAME}",
                shows=("There are a few transaction", "contaminates"),
            ),
            Step(
                "Here one word was changed: no search for equal lines would find it.",
                f"heldout findings show {_REWORDED}",
                shows=("exorbitant", "high"),
            ),
        ),
    ),
    Chapter(
        "Freeze it, and try to push it",
        (
            Step(
                "A version is a Git tag. A contaminated version may be frozen here, with a warning.",
                'git tag -a banking77@v1.0.0 -m "As it was published"',
                shows=("freezes a contaminated holdout", "151 held-out examples"),
            ),
            Step(
                "The team shares its work through a remote repository.",
                "git init -q --bare ../remote.git && git remote add origin ../remote.git",
            ),
            Step(
                "But it does not leave this machine: results on this holdout would look better than the model is.",
                "git push origin main banking77@v1.0.0",
                status=1,
                shows=("refused: banking77@v1.0.0 is contaminated", "151 held-out", "nothing was pushed"),
                findings=1,
            ),
        ),
    ),
    Chapter(
        "The fix",
        (
            Step(
                "The held-out copies have to go. (Removing the training copies would not do: whoever trained on v1.0.0 "
                "has seen them.) Ten lines of Python take them out of the test file.",
                "cat ../drop_leaked.py",
            ),
            Step(
                "Every answer is there as JSON too, so a script can act on it.",
                "heldout gate banking77@v1.0.0 --json | python ../drop_leaked.py",
                shows=("151 of 3080",),
            ),
            Step(
                "DVC takes the new file, Git the commit, and the hook compares the new data: with itself, and with "
                "v1.0.0.",
                'dvc add -q datasets/banking77/test.csv && git commit -q -a -m "Remove leaked questions"',
                shows=(
                    "12,932 examples compared",
                    "none of its held-out examples is given away",
                ),
            ),
        ),
    ),
    Chapter(
        "Freeze it again, and push",
        (
            Step(
                "Held-out examples left, so results before and after cannot be compared: that is a new major version.",
                "heldout freeze banking77",
                shows=("banking77@v2.0.0 frozen", "clean"),
            ),
            Step(
                "Nothing stands in the way of this version. v1.0.0 stays behind.",
                "git push origin main banking77@v2.0.0",
                shows=("main -> main", "banking77@v2.0.0 -> banking77@v2.0.0"),
            ),
            Step(
                "What was frozen stays what it is: v1.0.0 is contaminated, and is on this machine only.",
                "heldout versions banking77",
                shows=("contaminated  151 held-out examples given away", "clean"),
            ),
            Step(
                "An evaluation asks before it trusts a holdout. Clean: compared with every version, nothing found.",
                "heldout gate banking77@v2.0.0",
                shows=("banking77@v2.0.0: clean",),
                tells_status=True,
            ),
        ),
    ),
)
