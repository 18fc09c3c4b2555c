"""What a pull request is failed for: its own changes, never what the main branch has already."""

from __future__ import annotations

from story.conftest import CLEAN_TEST, TEST, TRAIN
from support.story import Team, rows


def test_an_old_leak_fails_no_pull_request_that_leaves_it_alone(leaky: Team) -> None:
    """`support` leaks on main. Another dataset's pull request passes, one that touches `support` does not."""
    leaky.git("push", "-q", "--no-verify", "origin", "main")
    leaky.push_data()
    assert leaky.heldout("verify").code == 1, "main itself is told"

    leaky.git("switch", "-q", "-c", "other")
    leaky.dataset("other", train=rows("o", 5), test=rows("p", 5))
    leaky.save("Add another dataset")
    passed = leaky.heldout("verify", "--base", "origin/main")
    assert passed.code == 0, str(passed)
    assert "reported: datasets/support: 2 held-out examples are given away" in passed.out

    leaky.git("switch", "-q", "-c", "worse", "main")
    leaky.dataset("support", train={**TRAIN, **rows("u", 3)}, test=TEST)
    leaky.save("More training data, the leak unmended")
    refused = leaky.heldout("verify", "--base", "origin/main")
    assert refused.code == 1, str(refused)
    assert "failed: datasets/support" in refused.out

    leaky.git("switch", "-q", "-c", "fix", "main")
    leaky.dataset("support", train=TRAIN, test=CLEAN_TEST)
    leaky.save("Mend the leak")
    assert leaky.heldout("verify", "--base", "origin/main").code == 0
