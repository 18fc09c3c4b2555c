"""What nobody may get away with, as a table: what was done, what `heldout verify` says of it, what gate and push do."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from support.cli import heldout
from support.story import Team, nearly, rows
from tampering.conftest import LEAKY, TEST, TRAIN, V1, cached_object, forge, only_record

Problem = tuple[str, str, str]
"""Level, place (or how it starts) and slug."""


@dataclass(frozen=True)
class Case:
    """`gate` is the exit code for a subject; `refused` what a push of refs says, hooks and all."""

    do: Callable[[Team], None]
    code: int
    problems: tuple[Problem, ...]
    options: tuple[str, ...] = ()
    gate: dict[str, int] = field(default_factory=dict)
    push: tuple[str, ...] = ()
    refused: str = ""


# --- data ---------------------------------------------------------------------------------------------------------


def flip_a_byte_of_the_cache(team: Team) -> None:
    file = cached_object(team, "datasets/support/train.csv.dvc")
    file.chmod(0o644)
    data = bytearray(file.read_bytes())
    data[20] ^= 1
    file.write_bytes(data)


def edit_a_file_that_is_hard_linked_to_the_cache(team: Team) -> None:
    file = team.path / "datasets/support/train.csv"
    file.unlink()
    os.link(cached_object(team, "datasets/support/train.csv.dvc"), file)
    file.chmod(0o644)
    with file.open("ab") as stream:
        stream.write(b"t99,one more\n")


def lose_the_data(team: Team) -> None:
    shutil.rmtree(team.path / ".dvc/cache")
    shutil.rmtree(team.path.parent / "store")


def point_to_data_that_nobody_has(team: Team) -> None:
    pointer = team.path / "datasets/support/train.csv.dvc"
    lines = [f"- md5: {'0' * 31}1" if "md5: " in line and "hash" not in line else line for line in _lines(pointer)]
    pointer.write_text("\n".join(lines) + "\n")
    team.bypass("commit", "-q", "-a", "-m", "A pointer to nothing")
    team.bypass("tag", "-a", "support@v1.1.0", "-m", "nothing")


def _lines(path: os.PathLike[str]) -> list[str]:
    with open(path) as stream:
        return stream.read().splitlines()


# --- findings and records -----------------------------------------------------------------------------------------


def edit_findings(team: Team) -> None:
    path, _, findings = only_record(team)
    team.write(path.replace("scan.yaml", "findings.jsonl"), findings.replace(b'"review"', b'"note"'))
    team.bypass("commit", "-q", "-a", "-m", "Less severe")


def remove_findings(team: Team) -> None:
    path, _, _ = only_record(team)
    team.git("rm", "-q", path.replace("scan.yaml", "findings.jsonl"))
    team.bypass("commit", "-q", "-m", "No findings")


def edit_findings_and_digest(team: Team) -> None:
    """Severity is not in the id, so that only making the record again can tell."""
    path, record, findings = only_record(team)
    forge(team, path, record, findings.replace(b'"review"', b'"note"'))


def reorder_findings(team: Team) -> None:
    path, record, findings = only_record(team)
    first, second = findings.splitlines(keepends=True)
    forge(team, path, record, second + first)


def truncate_findings(team: Team) -> None:
    path, record, findings = only_record(team)
    forge(team, path, record, findings.splitlines(keepends=True)[0])


def truncate_findings_and_counts(team: Team) -> None:
    path, record, findings = only_record(team)
    forge(team, path, record, findings.splitlines(keepends=True)[0], counts={"containment": 1})


def cut_the_last_line_in_two(team: Team) -> None:
    path, record, findings = only_record(team)
    forge(team, path, record, findings[:-30])


def replace_findings_by_text(team: Team) -> None:
    path, record, _ = only_record(team)
    forge(team, path, record, b"nothing was found\n")


def break_the_record(team: Team) -> None:
    path, _, _ = only_record(team)
    team.write(path, "format: heldout/scan@1\n")
    team.bypass("commit", "-q", "-a", "-m", "Half a record")


def put_a_record_elsewhere(team: Team) -> None:
    path, _, _ = only_record(team)
    team.git("mv", path.rpartition("/")[0], "datasets/support/scans/0123456789abcdef")
    team.bypass("commit", "-q", "-m", "Another id")


def forge_a_clean_record(team: Team) -> None:
    """The id is right, everything fits together, and nothing was found: only the data says otherwise."""
    _leak_and_forge(team)
    team.bypass("tag", "-a", "support@v1.1.0", "-m", "clean, says the record")


def _leak_and_forge(team: Team) -> None:
    before = set(team.records())
    team.dataset("support", train=TRAIN, test=LEAKY)
    team.save("More tests")
    (path,) = set(team.records()) - before
    from heldout.storage.records import parse_record

    record = parse_record((team.path / path).read_bytes(), path)
    assert record.contaminations == 1
    forge(team, path, record, b"", counts=dict.fromkeys(record.counts, 0))


def take_a_record_of_another_method(team: Team) -> None:
    """A threshold at which the leak is none, and a digest to go with it."""
    before = set(team.records())
    team.dataset("support", train=TRAIN, test={**TEST, "close": nearly("t2")})
    team.save("More tests")
    (path,) = set(team.records()) - before
    from heldout.storage.records import parse_record

    record = parse_record((team.path / path).read_bytes(), path)
    record = replace(
        record,
        method_digest="sha256:" + "5" * 64,
        method_parameters={**record.method_parameters, "threshold": "1/1"},
        counts=dict.fromkeys(record.counts, 0),
    )
    forge(team, path, record, b"")
    team.bypass("tag", "-a", "support@v1.1.0", "-m", "by a kinder method")


# --- tags ---------------------------------------------------------------------------------------------------------


def move_a_tag(team: Team) -> None:
    team.bypass("commit", "-q", "--allow-empty", "-m", "Later")
    team.bypass("tag", "-f", "-a", V1, "-m", "moved")


def point_a_tag_at_the_same_commit_anew(team: Team) -> None:
    team.bypass("tag", "-f", "-a", V1, "-m", "by somebody else", f"{V1}^{{commit}}")


def check_out_as_actions_do(team: Team) -> None:
    """actions/checkout#882: the tag that started a job is fetched again, by its commit."""
    team.git("fetch", "-q", "--force", "origin", f"+{team.git('rev-parse', V1 + '^{commit}')}:refs/tags/{V1}")


def move_a_tag_to_where_the_dataset_is_not(team: Team) -> None:
    first = team.git("rev-list", "--max-parents=0", "HEAD")
    team.bypass("tag", "-f", "-a", V1, "-m", "gone", first)


def delete_a_tag_here(team: Team) -> None:
    team.bypass("tag", "-d", V1)


def delete_a_tag_there(team: Team) -> None:
    team.git("push", "-q", "--no-verify", "origin", f":refs/tags/{V1}")


def move_a_tag_there(team: Team) -> None:
    other = team.clone("attacker")
    move_a_tag(other)
    other.git("push", "-q", "--no-verify", "--force", "origin", V1)


def put_a_tag_object_under_another_name(team: Team) -> None:
    team.git("update-ref", "refs/tags/support@v2.0.0", team.git("rev-parse", V1))


def freeze_by_pygit2(team: Team) -> None:
    import pygit2

    _change_without_record(team)
    repo = pygit2.Repository(str(team.path))
    who = pygit2.Signature("Test Person", "test@example.org")
    repo.create_tag("support@v1.1.0", repo.head.target, pygit2.enums.ObjectType.COMMIT, who, "past the hooks")


def freeze_by_gto(team: Team) -> None:
    _change_without_record(team)
    command = ["gto", "register", "support", "HEAD", "--version", "v1.1.0"]
    done = subprocess.run(command, cwd=team.path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert team.git("cat-file", "-t", "support@v1.1.0") == "tag"


def _change_without_record(team: Team) -> None:
    team.dataset("support", train={**TRAIN, **rows("u", 2)}, test=TEST)
    team.bypass("commit", "-q", "-m", "No record")


def replace_a_commit(team: Team) -> None:
    """`git replace` shows another commit under the id that a tag names."""
    _change_without_record(team)
    team.bypass("tag", "-a", "support@v1.1.0", "-m", "unscanned")
    team.git("replace", team.git("rev-parse", "HEAD"), team.git("rev-parse", "HEAD^"))


# --- decisions and history ----------------------------------------------------------------------------------------

RETIRED = "datasets/support/reviews/retired-v1.0.0.yaml"


def rewrite_a_retirement(team: Team) -> None:
    team.succeeds("retire", V1, "--reason", "Replaced")
    assert team.push("main").code == 0
    text = (team.path / RETIRED).read_text()
    team.write(RETIRED, text.replace("Replaced", "Nothing was ever trained on it"))
    team.bypass("commit", "-q", "-a", "-m", "A better reason")


def retire_what_was_not_meant(team: Team) -> None:
    team.succeeds("retire", V1, "--reason", "Replaced")
    text = (team.path / RETIRED).read_text()
    source = next(line.split()[-1].strip('"') for line in text.splitlines() if line.startswith("source"))
    team.write(RETIRED, text.replace(source, "sha256:" + "0" * 64))
    team.bypass("commit", "-q", "-a", "-m", "Of something else")


def rewrite_history_here(team: Team) -> None:
    """The commit again, without its record."""
    path, _, _ = only_record(team)
    team.git("rm", "-q", "-r", path.rpartition("/")[0])
    team.bypass("commit", "-q", "--amend", "--no-edit")


def rewrite_history_there(team: Team) -> None:
    other = team.clone("attacker")
    rewrite_history_here(other)
    other.git("push", "-q", "--no-verify", "--force", "origin", "main")
    team.git("fetch", "-q", "origin")


RECORD = "datasets/support/scans/"
NEW = "support@v1.1.0"
CASES = {
    "a flipped byte in the cache": Case(
        flip_a_byte_of_the_cache, 1, (("failed", "datasets/support", "corrupt-object"),)
    ),
    "a flipped byte in a hard-linked cache": Case(
        edit_a_file_that_is_hard_linked_to_the_cache, 1, (("failed", "datasets/support", "corrupt-object"),)
    ),
    "data that is gone": Case(lose_the_data, 3, (("unknown", RECORD, "record-not-replayed"),)),
    "a pointer to data that nobody has": Case(
        point_to_data_that_nobody_has,
        3,
        (("unknown", NEW, "not-covered"), ("unknown", "datasets/support", "not-scanned")),
        gate={NEW: 3, V1: 3},
        push=(NEW,),
        refused=f"nobody knows yet whether {NEW} is clean",
    ),
    "edited findings": Case(
        edit_findings,
        1,
        (("failed", RECORD, "findings-changed"), ("failed", RECORD, "record-not-kept")),
        gate={V1: 0},  # the copy that the tag's commit has still counts
        push=("main",),
        refused="would change or take away what the remote has recorded",
    ),
    "removed findings": Case(
        remove_findings,
        1,
        (("failed", RECORD, "findings-changed"),),
        push=("main",),
        refused="would change or take away what the remote has recorded",
    ),
    "edited findings and their digest": Case(
        edit_findings_and_digest,
        1,
        (("failed", RECORD, "record-forged"), ("failed", RECORD, "record-not-kept")),
        options=("--all",),
        push=("main",),
        refused="would change or take away what the remote has recorded",
    ),
    "reordered findings": Case(reorder_findings, 1, (("failed", RECORD, "record-inconsistent"),)),
    "truncated findings": Case(truncate_findings, 1, (("failed", RECORD, "record-inconsistent"),)),
    "truncated findings and counts": Case(
        truncate_findings_and_counts, 1, (("failed", RECORD, "record-forged"),), options=("--all",)
    ),
    "half a line of findings": Case(cut_the_last_line_in_two, 1, (("failed", RECORD, "record-inconsistent"),)),
    "text in place of findings": Case(replace_findings_by_text, 1, (("failed", RECORD, "findings-changed"),)),
    "half a record": Case(break_the_record, 1, (("failed", RECORD, "record-unreadable"),)),
    "a record under another id": Case(put_a_record_elsewhere, 1, (("failed", RECORD, "record-misplaced"),)),
    # Gate and hooks take a record's word for it (they have no data); verify, and a server that runs it, do not.
    "a forged record with a valid id": Case(forge_a_clean_record, 1, (("failed", RECORD, "record-forged"),)),
    "a record of another method": Case(
        take_a_record_of_another_method,
        3,
        (("unknown", NEW, "not-covered"), ("unknown", RECORD, "record-not-replayed")),
        gate={NEW: 3},
        push=(NEW,),
        refused=f"nobody knows yet whether {NEW} is clean",
    ),
    "a moved tag": Case(
        move_a_tag, 1, (("failed", V1, "version-moved"),), push=(V1, "--force"), refused=f"{V1} is another version"
    ),
    "a tag pointed anew": Case(
        point_a_tag_at_the_same_commit_anew,
        1,
        (("failed", V1, "version-moved"),),
        push=(V1, "--force"),
        refused=f"{V1} is another version",
    ),
    "a tag made lightweight by a checkout in CI": Case(
        check_out_as_actions_do, 0, (("reported", V1, "version-lightweight"),), gate={V1: 0}
    ),
    "a tag moved to where the dataset is not": Case(
        move_a_tag_to_where_the_dataset_is_not,
        1,
        (("failed", V1, "version-moved"),),
        gate={V1: 2},
        push=(V1, "--force"),
        refused=f"{V1} is another version",
    ),
    "a tag moved on the remote": Case(move_a_tag_there, 1, (("failed", V1, "version-moved"),)),
    "a tag deleted here": Case(
        delete_a_tag_here,
        3,
        (("unknown", V1, "version-missing"),),
        gate={V1: 2},
        push=(f":refs/tags/{V1}",),
        refused=f"{V1} would be deleted on the remote",
    ),
    # Not pushed yet looks the same; who would delete it there is refused before (pre-push, pre-receive).
    "a tag deleted on the remote": Case(delete_a_tag_there, 0, (("reported", V1, "version-not-on-remote"),)),
    "a tag object under another name": Case(
        put_a_tag_object_under_another_name,
        1,
        (("failed", "support@v2.0.0", "version-misnamed"),),
        gate={"support@v2.0.0": 3, V1: 0},
        push=("support@v2.0.0",),
        refused="support@v2.0.0 is another tag's object under this name",
    ),
    "a version frozen by pygit2": Case(
        freeze_by_pygit2,
        3,
        (("unknown", NEW, "not-covered"),),
        gate={NEW: 3, V1: 3},
        push=(NEW,),
        refused=f"nobody knows yet whether {NEW} is clean",
    ),
    "a version frozen by gto": Case(
        freeze_by_gto,
        3,
        (("unknown", NEW, "not-covered"),),
        gate={NEW: 3},
        push=(NEW,),
        refused=f"nobody knows yet whether {NEW} is clean",
    ),
    "a replaced commit": Case(
        replace_a_commit,
        3,
        (("unknown", NEW, "not-covered"),),
        gate={NEW: 3},
        push=(NEW,),
        refused=f"nobody knows yet whether {NEW} is clean",
    ),
    "a rewritten retirement": Case(
        rewrite_a_retirement,
        1,
        (("failed", RETIRED, "record-not-kept"),),
        push=("main",),
        refused="would change or take away what the remote has recorded",
    ),
    "a retirement of other content": Case(
        retire_what_was_not_meant, 1, (("failed", RETIRED, "retirement-of-other-content"),), gate={V1: 0}
    ),
    # As long as it stays here, the remote and the tag's commit have it all.
    "history rewritten here": Case(
        rewrite_history_here,
        0,
        (),
        gate={V1: 0},
        push=("main", "--force"),
        refused="would change or take away what the remote has recorded",
    ),
    "history rewritten there": Case(rewrite_history_there, 1, (("failed", RECORD, "record-not-kept"),), gate={V1: 0}),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_named_and_does_not_pass(name: str, frozen: Team) -> None:
    case = CASES[name]
    case.do(frozen)
    ran = heldout(frozen.path, "verify", "--json", *case.options)
    found = [(item["level"], item["place"], item["slug"]) for item in ran.json["problems"]]
    for level, place, slug in case.problems:
        assert any(one == level and where.startswith(place) and slug == what for one, where, what in found), found
    assert ran.code == case.code, found
    assert {subject: frozen.gate(subject) for subject in case.gate} == case.gate
    if case.push:
        pushed = frozen.push(*case.push)
        assert pushed.code != 0
        assert case.refused in pushed.err
        assert "nothing was pushed" in pushed.err


def test_nothing_is_named_where_nothing_was_done(frozen: Team) -> None:
    ran = heldout(frozen.path, "verify", "--json", "--all")
    assert (ran.code, ran.json["problems"], ran.json["replayed"]) == (0, [], 1)
