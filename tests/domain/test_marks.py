"""Which texts the method's normaliser takes apart."""

from __future__ import annotations

from collections import Counter

import pytest
from support.data import prepared

from heldout.domain.marks import texts_with_many_marks
from heldout.matching.marked import with_many_marks


@pytest.mark.req("A18")
def test_the_languages_of_mgsm_that_write_marks_and_no_other() -> None:
    rows = {row["id"]: row for row in prepared("mgsm")}
    marked = texts_with_many_marks({name: row["input"] for name, row in rows.items()})
    assert Counter(rows[name]["split"] for name in marked) == {"bn": 250, "te": 250, "th": 250}


@pytest.mark.parametrize(
    ("text", "many"),
    [
        ("", False),
        ("plain words", False),
        ("भारत एक विशाल देश है", True),
        ("cafe\u0301 re\u0301sume\u0301", False),  # NFKC composes these
        ("x\u0301y\u0301", True),  # and has no letter for these
        ("ok \u2764\ufe0f \u2764\ufe0f", False),  # a variation selector follows no letter
        ("\u0301\u0301", False),
    ],
)
def test_marks_count_behind_letters(text: str, many: bool) -> None:
    assert texts_with_many_marks({"it": text, "other": "words"}) == ({"it"} if many else set())
    assert with_many_marks(["words", text, text]).tolist() == [False, many, many]
