"""The published example of slices, rebuilt from its counts: 240 cases, three languages by two topics of 40 each.

By cell: how many the candidate and the baseline got right, and on how many the candidate alone or the baseline alone
did. They add up to every published count: 186 and 198 of 240; gains and losses 22 and 34 in all, 7 and 0 in German, 15
and 0 in English, 0 and 34 in French, 9 and 0 on accounts, 13 and 34 on billing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CELLS = {
    ("de", "account"): (40, 37, 3, 0),
    ("de", "billing"): (40, 36, 4, 0),
    ("en", "account"): (40, 34, 6, 0),
    ("en", "billing"): (40, 31, 9, 0),
    ("fr", "account"): (26, 26, 0, 0),
    ("fr", "billing"): (0, 34, 0, 34),
}
SUITE = """\
format: heldout/suite@1
slices: [metadata.lang, metadata.topic]
min_slice_support: 30
"""
POLICY = """\
format: heldout/compare@1
slices: [metadata.lang, metadata.topic]
rules:
- {id: overall, metric: pass_rate, kind: non_inferiority, margin: 0.05}
- {id: de, metric: pass_rate, kind: non_inferiority, margin: 0.05, scope: slice/metadata.lang=de, min_support: 30}
- {id: en, metric: pass_rate, kind: non_inferiority, margin: 0.05, scope: slice/metadata.lang=en, min_support: 30}
- {id: fr, metric: pass_rate, kind: non_inferiority, margin: 0.05, scope: slice/metadata.lang=fr, min_support: 30}
families:
- {id: languages, correction: holm, rules: [de, en, fr]}
"""


def rows(run: str) -> list[dict[str, Any]]:
    """One row a case of the candidate or the baseline; the cell's right answers of the baseline come first."""
    made = []
    for (lang, topic), (right, right_before, gains, losses) in CELLS.items():
        both = right - gains
        assert both + losses == right_before
        outcomes = [(True, True)] * both + [(False, True)] * losses + [(True, False)] * gains
        outcomes += [(False, False)] * (40 - len(outcomes))
        for number, (candidate, baseline) in enumerate(outcomes):
            made.append(
                {
                    "key": f"{lang}-{topic}-{number:02}",
                    "split": "test",
                    "outcome": candidate if run == "candidate" else baseline,
                    "metadata": {"lang": lang, "topic": topic},
                }
            )
    return made


def write_run(path: Path, made: list[dict[str, Any]], **header: Any) -> Path:
    lines = [{"format": "heldout/run@1", "run": path.stem, **header}, *made]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def published(folder: Path) -> Path:
    """`candidate.jsonl`, `baseline.jsonl`, `suite.yaml` and `compare.yaml` in a folder."""
    for run in ("candidate", "baseline"):
        write_run(folder / f"{run}.jsonl", rows(run))
    (folder / "suite.yaml").write_text(SUITE)
    (folder / "compare.yaml").write_text(POLICY)
    return folder
