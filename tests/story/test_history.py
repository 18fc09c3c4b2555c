"""Records survive what people do to history, and what went past the hooks is repaired."""

from __future__ import annotations

import pytest
from story.conftest import CLEAN_TEST, TRAIN
from support.story import Team

GROWN = {**TRAIN, "t20": "one more training example about nothing in particular"}


@pytest.mark.req("B42")
def test_a_commit_past_the_hook_gets_its_record_after_it(clean: Team) -> None:
    clean.dataset("support", train=GROWN, test=CLEAN_TEST)
    clean.write("draft.txt", "not yet")
    said = clean.save("Grow", "--no-verify")
    assert "scan records committed as" in said
    assert clean.git("log", "-2", "--format=%s") == "heldout: add scan records\nGrow"
    changed = clean.git("show", "--name-only", "--format=", "HEAD").splitlines()
    assert {path.rsplit("/", 1)[1] for path in changed} == {"scan.yaml", "findings.jsonl"}
    assert clean.status() == ["?? draft.txt"]
    assert clean.run("tag", "-a", "support@v1.1.0", "-m", "x").returncode == 0
    assert clean.gate("support@v1.1.0") == 0


@pytest.mark.req("B42", "A31")
def test_a_rebase_and_a_squash_merge_keep_the_answer(clean: Team) -> None:
    clean.git("switch", "-q", "-c", "topic")
    clean.dataset("support", train=GROWN, test=CLEAN_TEST)
    clean.save("Grow")
    (added,) = set(clean.records()) - set(clean.records("main"))
    clean.save("Note", "--allow-empty")
    clean.git("switch", "-q", "main")
    clean.write("notes.txt", "n")
    clean.git("add", "notes.txt")
    clean.save("Meanwhile")

    clean.git("switch", "-q", "-c", "rebased", "topic")
    assert clean.run("rebase", "-q", "main").returncode == 0
    assert clean.git("log", "-1", "--format=%s", "HEAD^") == "Grow"  # no repair was needed
    clean.git("switch", "-q", "main")
    clean.git("merge", "-q", "--squash", "topic")
    clean.save("Grow, squashed")
    for branch in ("rebased", "main"):
        assert added in clean.records(branch)
        clean.git("switch", "-q", branch)
        assert clean.run("tag", "-a", "support@v1.1.0", "-m", branch).returncode == 0
        assert clean.gate("support@v1.1.0") == 0
        assert clean.push("support@v1.1.0").code == 0 if branch == "main" else True
        clean.git("tag", "-d", "support@v1.1.0")
