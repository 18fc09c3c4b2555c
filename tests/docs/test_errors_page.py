"""docs/errors.md has a section for each slug the code uses, and none besides."""

from __future__ import annotations

from pathlib import Path

from support.console import ROOT

from tools.slugs import KEBAB, documented, uses

PAGE = ROOT / "docs" / "errors.md"


def test_every_slug_has_its_section_and_every_section_its_slug() -> None:
    used = {use.slug: f"{use.file}:{use.line}" for use in uses(ROOT / "src" / "heldout")}
    sections = documented(PAGE.read_text(encoding="utf-8"))
    assert sorted(set(used) - set(sections)) == [], "undocumented"
    assert sorted(set(sections) - set(used)) == [], "documented, but used nowhere"
    assert sections == sorted(set(sections)), "sections are in alphabetical order, each once"


def test_slugs_are_kebab_case() -> None:
    assert [use for use in uses(ROOT / "src" / "heldout") if not KEBAB.fullmatch(use.slug)] == []


def test_slugs_are_found_on_every_way_to_an_error(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(
        """
class Base(Exception):
    def __init__(self, slug, message): ...
class Derived(Base): ...
class Carrier:
    row: int
    slug: str
def refuse(line, slug): raise Derived(slug, "passed on")
raise Derived("direct", f"a {thing} is wrong")
Carrier(3, "carried")
refuse(4, "by-function")
module.refuse(4, slug="by-keyword")
raise Base("either" if x else "or", "words here")
print("not-a-slug", 1)
""",
        encoding="utf-8",
    )
    found = uses(tmp_path)
    assert [use.slug for use in found] == ["by-function", "by-keyword", "carried", "direct", "either", "or"]
    assert next(use.message for use in found if use.slug == "direct") == "a … is wrong"
