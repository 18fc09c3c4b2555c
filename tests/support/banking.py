"""A team whose repository holds banking77 with its real leaks, the mended version after it, and training data that
copies a few held-out questions: what the page is shown and tested with."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from support.data import original
from support.story import Team

from heldout.domain.canonical import digest

LEAKY, MENDED, TRAINING = "banking77@v1.0.0", "banking77@v2.0.0", "faq@v1.0.0"
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> when is my card here"
"""A question that a page must show as text. It is in both splits of `faq`, so that a finding is about it."""

_BANKING = """\
format: heldout/dataset@1
name: banking77
description: Questions of a bank's customers, each with one of 77 intents (PolyAI, Casanueva et al. 2020).
data:
  - {path: train.csv, split: train}
  - {path: test.csv, split: test}
fields:
  input: text
  expected: category
  metadata: {intent: category}
holdout: [test]
"""
_FAQ = """\
format: heldout/dataset@1
name: faq
description: Questions collected for training.
role: training
data:
  - {path: all.jsonl}
holdout: [dev]
"""
SLICE = """\
format: heldout/slice@1
name: card-arrival  # watched since the new supplier
description: Cards that are on their way, or ought to be.
required: true
definition:
  match: any
  conditions:
    # the intent itself
    - {subject: metadata, key: intent, operator: eq, value: card_arrival}
    - subject: metadata
      key: intent
      operator: eq
      value: lost_or_stolen_card  # asked for by support
"""
_SECOND = """\
format: heldout/slice@1
name: exchange
definition:
  match: all
  conditions:
  - subject: metadata
    key: intent
    operator: contains
    value: exchange
"""


def banking_team(base: Path) -> Team:
    """`banking77` as published (v1.0.0, contaminated) and mended (v2.0.0), `faq` (v1.0.0), two slices; all committed.

    About twenty seconds: make it once and copy the folder.
    """
    team = Team.start(base)
    _banking(team, base)
    _freeze(team, LEAKY, "Add banking77")
    _faq(team)
    _freeze(team, TRAINING, "Add questions for training")
    _mend(team)
    _freeze(team, MENDED, "Take the leaked questions out")
    team.write("datasets/banking77/slices/card-arrival.yaml", SLICE)
    team.write("datasets/banking77/slices/exchange.yaml", _SECOND)
    team.git("add", "datasets")
    team.save("Name two slices")
    return team


def _freeze(team: Team, tag: str, message: str) -> None:
    team.save(message)
    team.git("tag", "-a", tag, "-m", message)


def _banking(team: Team, base: Path) -> None:
    for name in ("train.csv", "test.csv"):
        team.write(f"datasets/banking77/{name}", original(f"banking77/{name}", base).read_bytes())
    team.write("datasets/banking77/dataset.yaml", _BANKING)
    team.track("datasets/banking77/train.csv", "datasets/banking77/test.csv")


def _faq(team: Team) -> None:
    with (team.path / "datasets/banking77/test.csv").open(newline="", encoding="utf-8") as file:
        questions = [row[0] for row in list(csv.reader(file))[1:40:4]]
    rows = [
        {"key": f"faq-{number:03}", "split": "train", "input": text.replace("my", "our"), "tags": ["copied"]}
        for number, text in enumerate(questions)
    ]
    rows += [{"key": f"hostile-{split}", "split": split, "input": HOSTILE} for split in ("train", "dev")]
    team.write("datasets/faq/all.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    team.write("datasets/faq/dataset.yaml", _FAQ)
    team.track("datasets/faq/all.jsonl")


def _mend(team: Team) -> None:
    """As the demo does: every held-out question that is given away leaves the test file."""
    leaked = {hit["held"]["input"] for hit in team.answer(LEAKY)["findings"]}
    place = team.path / "datasets/banking77/test.csv"
    with place.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    with place.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *(row for row in rows if digest(row[0]) not in leaked)])
    team.track("datasets/banking77/test.csv")
