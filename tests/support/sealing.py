"""A sealed holdout with two DVC remotes: everybody may read the one, and its owner alone the one with the inputs."""

from __future__ import annotations

import hashlib
import json

from support.story import Team

LETTERS = str.maketrans("0123456789abcdef", "ghijklmnopqrstuv")
HELD = 5


def text(name: str) -> str:
    """Nine words of seven letters that no other name's text has, and no digest."""
    digits = hashlib.sha256(name.encode()).hexdigest().translate(LETTERS)
    return " ".join(digits[at : at + 7] for at in range(0, 63, 7))


def nearly(name: str) -> str:
    """Another last word: 59 of 75 shingles or more are shared."""
    return text(name)[:-1] + "x"


SEALED = {f"q{number}": text(f"sealed {number}") for number in range(HELD)}
TRAIN = {
    "copied": SEALED["q0"],
    "near": nearly("sealed 1"),
    "around": f"{SEALED['q2']} {text('and more')}",
    **{f"own{number}": text(f"own {number}") for number in range(8)},
}
SECRET_WORDS = sorted({SEALED["q1"].split()[-1]} | {word for key in ("q3", "q4") for word in SEALED[key].split()})
"""Words of sealed texts that no public text has: those of texts that nobody copied."""


def digest_of(value: str) -> str:
    return "sha256:" + hashlib.sha256(f'"{value}"'.encode()).hexdigest()


def jsonl(rows: list[dict[str, str]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def seal(team: Team) -> None:
    """The dataset `faq`: addresses and digests in the open, inputs in the store that goes to the private remote."""
    with (team.path / ".dvc/config").open("a") as config:
        # Absolute: of an old commit, DVC would look for a relative one below the root.
        config.write(f"['remote \"private\"']\n    url = {team.path.parent / 'private'}\n")
    rows = [{"key": key, "split": "test", "payload": digest_of(value)} for key, value in SEALED.items()]
    rows += [{"key": f"d{n}", "split": "dev", "input": text(f"dev {n}")} for n in range(3)]
    team.write(
        "datasets/faq/dataset.yaml",
        "format: heldout/dataset@1\nname: faq\ndata: [{path: rows.jsonl}]\nholdout: [test]\npayloads: inputs.jsonl\n",
    )
    team.write("datasets/faq/rows.jsonl", jsonl(rows))
    team.write("datasets/faq/inputs.jsonl", jsonl([{"payload": digest_of(v), "input": v} for v in SEALED.values()]))
    team.track("datasets/faq/rows.jsonl", "datasets/faq/inputs.jsonl")
    pointer = team.path / "datasets/faq/inputs.jsonl.dvc"
    pointer.write_text(pointer.read_text().replace("  path: inputs.jsonl", "  path: inputs.jsonl\n  remote: private"))
    team.git("add", "--all")
    team.save("Add faq, its test questions sealed")


def add_chat(team: Team, message: str = "Add chat") -> str:
    """A training set with an exact copy, a near one and a longer text; what the hook said."""
    team.dataset("chat", holdout=(), train=TRAIN)
    return team.save(message)
